import { decideManager, type Manager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { RoleTable } from 'hallpass/scope'
import { areaRefusal, hasOnly } from './area-refusal.js'
import { readForm } from './form.js'
import { pageResponse } from '../pages/response.js'
import type { SignedInFrame } from '../pages/applications/views.js'
import { notFoundPage } from '../pages/error.js'
import type { Html } from '../pages/html.js'
import type { People } from '../members/people.js'
import type { SignIn } from './sign-in.js'
import type { SiteDefinition } from '../sites.js'
import type { Visitors } from './visitors.js'

/** What an area for people who are signed in is made of. */
export interface AreaOptions {
  readonly site: SiteDefinition
  readonly origin: string
  readonly people: People
  readonly visitors: Visitors
  readonly signIn: Pick<SignIn, 'ask' | 'outOfDate'>
  readonly roles: RoleTable
  /** Epoch seconds. */
  readonly now: () => number
}

/** Somebody signed in, and what they ask for. */
export interface Visit {
  readonly person: Person
  /** What every page of theirs needs. */
  readonly frame: SignedInFrame
  readonly query: URLSearchParams
  /** What they sent: the fields that the place names and no other; empty where they only look. */
  readonly form: URLSearchParams
  readonly show: (page: Html, status?: number) => Response
}

/** A visit of somebody who manages the site's clients. */
export interface ManagerVisit extends Visit {
  readonly manager: Manager
}

/** One address, for `GET`, for `POST` or for both. */
export interface Place<By = Visit> {
  readonly get?: (visit: By) => Promise<Response>
  readonly post?: (visit: By) => Promise<Response>
  /** What its form sends beside `csrf_token`, each at most once. */
  readonly fields?: readonly string[]
  /** What its form sends as often as it likes. */
  readonly lists?: readonly string[]
  /** Whether it reads nothing of a form, so that anything may stand there. */
  readonly readsNothing?: boolean
  /** Whether only somebody who signed in just now gets in. */
  readonly fresh?: boolean
  /** Where to go on after a sign-in that a `POST` asked for; a path. Default: this address. */
  readonly from?: string
}

/** An area for people who are signed in. Whatever changes anything is a `POST` of its own form. */
export interface Area {
  /** Answers at a place for everybody who is signed in. */
  readonly forPeople: (request: Request, place: Place) => Promise<Response>
  /** Answers at a place for those who manage clients. */
  readonly forManagers: (request: Request, place: Place<ManagerVisit>) => Promise<Response>
  readonly notFound: () => Response
}

/** How old a sign-in may be where it must be fresh. A form that was opened in time may take longer. */
const FRESH_SECONDS = { get: 15 * 60, post: 30 * 60 }

/** Makes what the areas of a site have in common. */
export function createArea(options: AreaOptions): Area {
  const { site, origin, people, visitors, signIn, roles, now } = options
  const refuse = (reason: Parameters<typeof areaRefusal>[0]['reason']): Response =>
    areaRefusal({ site, origin, reason })

  async function answer<By>(
    request: Request,
    place: Place<By>,
    admit: (visit: Visit) => By | Response,
  ): Promise<Response> {
    const method = request.method === 'POST' ? 'post' : 'get'
    const handle = place[method]
    if (handle === undefined || !['GET', 'HEAD', 'POST'].includes(request.method))
      return areaRefusal({ site, origin, reason: 'method', allow: methodsOf(place) })
    const form = method === 'post' ? await readForm(request) : new URLSearchParams()
    if (form === null) return signIn.outOfDate()
    if (method === 'post' && !visitors.isOwnForm(request, form.get('csrf_token')))
      return signIn.outOfDate()

    const { pathname, search, searchParams: query } = new URL(request.url)
    const ask = (): Promise<Response> =>
      signIn.ask(
        request,
        method === 'get'
          ? { returnTo: pathname + search }
          : { returnTo: place.from ?? pathname, status: 403 },
      )
    const signedIn = await visitors.signedIn(request)
    const person = signedIn === null ? null : await people.find(signedIn.subject)
    if (signedIn === null || person === null) return ask()
    const id = visitors.idOf(request)
    const visit = admit({
      person,
      frame: frameOf(person, visitors.csrfToken(id)),
      query,
      form,
      show: (page, status = 200) =>
        pageResponse(page, { origin, status, cookie: visitors.cookie(id) }),
    })
    if (visit instanceof Response) return visit
    const isFresh = signedIn.authTime + FRESH_SECONDS[method] > now()
    if (place.fresh === true && !isFresh) return ask()
    if (place.readsNothing !== true && !hasOnly(form, place)) return refuse('form')
    return handle(visit)
  }

  const managerOf = (person: Person) => decideManager({ person, table: roles })
  const frameOf = (person: Person, csrfToken: string): SignedInFrame => ({
    csrfToken,
    person,
    isAdmin: managerOf(person).ok,
    now: now(),
    timeZone: site.timeZone,
  })

  return {
    forPeople: (request, place) => answer(request, place, (visit) => visit),
    forManagers: (request, place) =>
      answer(request, place, (visit) => {
        const decided = managerOf(visit.person)
        return decided.ok ? { ...visit, manager: decided.manager } : refuse('role')
      }),
    notFound: () => pageResponse(notFoundPage({ site }), { origin, status: 404 }),
  }
}

const methodsOf = ({ get, post }: Pick<Place<never>, 'get' | 'post'>): string =>
  [get && 'GET, HEAD', post && 'POST'].filter((one) => one !== undefined).join(', ')
