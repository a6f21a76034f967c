import type { Site as HallpassSite } from 'hallpass'
import type { PasswordThrottle, SessionEvent } from 'hallpass/operations'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { decideManager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'
import { schoolRoles } from 'hallpass/scope'
import type { PeopleOfApp } from '../applications/known.js'
import type { Logos } from '../applications/logos.js'
import type { People } from '../members/people.js'
import { type HomeLink, homeLinks } from '../../../pages/home.js'
import type { Html } from '../../../pages/html.js'
import type { SignInForm } from '../../../pages/sign-in.js'
import type { SiteDefinition } from '../sites.js'
import { createInteract } from './interact.js'
import { createSentForms, type SentForms } from './sent-forms.js'
import { createSessions, type Sessions } from './sessions.js'
import { type BelowSignIn, createSignIn, type SignIn } from './sign-in.js'
import type { Language } from '../../../pages/words/words.js'
import { createVisitors, type Visitors } from './visitors.js'

/** The values for a page that replaces the home page. */
export interface FrontVisitor {
  /** The person who is signed in, or `null`. */
  readonly person: Person | null
  /** The values for every form of the page. */
  readonly form: SignInForm
  /** The links for this person. */
  readonly links: readonly HomeLink[]
}

/** The parts with which people sign in to one site. */
export interface SignInParts {
  readonly sessions: Sessions
  readonly visitors: Visitors
  readonly signIn: SignIn
  readonly sentForms: SentForms
  /** The `interact` option of hallpass. */
  readonly interact: AuthorizationServerOptions['interact']
}

/**
 * Creates the sign-in of one site: sessions in its tables, a cookie for each browser, and a throttle
 * against password guessing.
 *
 * @param options - `resume`: opens the page of a waiting request, as the browser would.
 *   `logoOf`: returns the path of the copy of an app's logo, or `null`. `peopleOf`: counts
 *   the people who have connected an app.
 *   `front`: returns a page that replaces the home page, or `null`.
 *   `below`: returns what the sign-in pages show below their form, or `null`.
 *   `now`: epoch seconds.
 */
export function createSignInParts({
  site,
  origin,
  execute,
  people,
  passwords,
  resume,
  returnTo,
  front,
  below,
  onEvent,
  logoOf,
  peopleOf,
  now,
}: {
  site: SiteDefinition
  origin: string
  execute: Execute
  people: People
  passwords: PasswordThrottle
  resume: (request: Request) => Promise<Response>
  returnTo: HallpassSite['returnTo']
  front: (visitor: FrontVisitor) => Html | null
  below: BelowSignIn
  onEvent: (event: SessionEvent) => void
  logoOf: Logos['pathOf']
  peopleOf: PeopleOfApp
  now: () => number
}): SignInParts {
  const sessions = createSessions({ execute, site: site.id, now })
  const visitors = createVisitors({ origin, site: site.id, sessions })
  const signIn = createSignIn({
    site,
    origin,
    people,
    sessions,
    visitors,
    passwords,
    findPerson: people.find,
    resume,
    returnTo,
    links: linksOf,
    front: ({ person, form }) =>
      front({ person, form, links: person === null ? [] : linksOf(person) }),
    below,
    onEvent,
    now,
  })
  const interact = createInteract({ site, origin, visitors, signIn, logoOf, peopleOf })
  const sentForms = createSentForms({ execute, site: site.id, now })
  return { sessions, visitors, signIn, sentForms, interact }
}

const linksOf = (person: Person, language?: Language): readonly HomeLink[] =>
  homeLinks({
    isAdmin: decideManager({ person, table: schoolRoles }).ok,
    ...(language && { language }),
  })
