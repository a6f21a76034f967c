import type { SessionEvent } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { decideManager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'
import { schoolRoles } from 'hallpass/scope'
import type { People } from '../members/people.js'
import { type HomeLink, homeLinks } from '../pages/home.js'
import type { Html } from '../pages/html.js'
import type { SignInForm } from '../pages/sign-in.js'
import type { Counters } from '../platform/counters.js'
import type { SiteDefinition } from '../sites.js'
import { createInteract } from './interact.js'
import { createSessions, type Sessions } from './sessions.js'
import { createSignIn, type SignIn } from './sign-in.js'
import { createThrottle } from './throttle.js'
import { createVisitors, type Visitors } from './visitors.js'

/** What a page that stands in the place of the home page is made of. */
export interface FrontVisitor {
  /** `null` = nobody is signed in. */
  readonly person: Person | null
  /** For every form of the page. */
  readonly form: SignInForm
  /** Where they can go from there. */
  readonly links: readonly HomeLink[]
}

/** How people sign in to one site. */
export interface SignInParts {
  readonly sessions: Sessions
  readonly visitors: Visitors
  readonly signIn: SignIn
  /** What hallpass asks while an app waits. */
  readonly interact: AuthorizationServerOptions['interact']
}

/**
 * Makes how people sign in to one site: sessions in its tables, a cookie for each browser, and a throttle
 * on guessing.
 *
 * @param options - `resume`: opens the page of a request that waits, as the browser would; `front`: the
 *   page in the place of the home page, for everybody; `null` = none; `now`: epoch seconds
 */
export function createSignInParts({
  site,
  origin,
  execute,
  people,
  counters,
  resume,
  front,
  onEvent,
  now,
}: {
  site: SiteDefinition
  origin: string
  execute: Execute
  people: People
  counters: Counters
  resume: (request: Request) => Promise<Response>
  front: (visitor: FrontVisitor) => Html | null
  onEvent: (event: SessionEvent) => void
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
    throttle: createThrottle(counters),
    findPerson: people.find,
    resume,
    links: linksOf,
    front: ({ person, form }) =>
      front({ person, form, links: person === null ? [] : linksOf(person) }),
    onEvent,
    now,
  })
  const interact = createInteract({ site, origin, visitors, signIn })
  return { sessions, visitors, signIn, interact }
}

const linksOf = (person: Person): readonly HomeLink[] =>
  homeLinks({ isAdmin: decideManager({ person, table: schoolRoles }).ok })
