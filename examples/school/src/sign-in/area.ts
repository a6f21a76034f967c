import { decideManager, type Manager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { RoleTable } from 'hallpass/scope'
import { areaRefusal, hasOnly } from './area-refusal.js'
import { readForm } from './form.js'
import { pageResponse } from '../../../pages/response.js'
import type { SignedInFrame } from '../../../pages/applications/views.js'
import { notFoundPage } from '../../../pages/error.js'
import type { Site } from '../../../pages/layout.js'
import { forReader } from '../../../pages/words/languages.js'
import type { AreaFault } from '../../../pages/words/words.js'
import type { Html } from '../../../pages/html.js'
import type { People } from '../members/people.js'
import type { SentForms } from './sent-forms.js'
import type { SignIn } from './sign-in.js'
import type { SiteDefinition } from '../sites.js'
import type { Visitors } from './visitors.js'

/** Options of an area for signed-in people. */
export interface AreaOptions {
  readonly site: SiteDefinition
  readonly origin: string
  readonly people: People
  readonly visitors: Visitors
  readonly signIn: Pick<SignIn, 'ask' | 'outOfDate'>
  readonly sentForms: Pick<SentForms, 'once'>
  readonly roles: RoleTable
  /** Epoch seconds. */
  readonly now: () => number
}

/** The request of a signed-in person. */
export interface Visit {
  readonly person: Person
  /** The site, in the language of the person. */
  readonly site: SiteDefinition & Pick<Site, 'language'>
  /** The values that every page for this person needs. */
  readonly frame: SignedInFrame
  readonly query: URLSearchParams
  /** The submitted form, with the fields of the place and no others. Empty for `GET`. */
  readonly form: URLSearchParams
  readonly show: (page: Html, status?: number) => Response
  /**
   * Shows the result of something that was done. A form is handled again unless it led to this or to a redirect.
   * A script of this site may run on the page.
   */
  readonly showDone: (page: Html) => Response
  readonly notFound: () => Response
}

/** The request of a person who manages the site's apps. */
export interface ManagerVisit extends Visit {
  readonly manager: Manager
}

/** One address, for `GET`, for `POST` or for both. */
export interface Place<By = Visit> {
  readonly get?: (visit: By) => Promise<Response>
  readonly post?: (visit: By) => Promise<Response>
  /** Fields that its form sends at most once, in addition to `csrf_token`. Default: none. */
  readonly fields?: readonly string[]
  /** Fields that its form may repeat. Default: none. */
  readonly lists?: readonly string[]
  /** Whether the place ignores the form, so that its fields are not checked. Default: `false`. */
  readonly readsNothing?: boolean
  /** Whether the place requires a recent sign-in. Default: `false`. */
  readonly fresh?: boolean
  /** The path to return to after a sign-in that a `POST` required. Default: the path of the request. */
  readonly from?: string
}

/** An area for signed-in people. Every change is a `POST` of a form of the area. */
export interface Area {
  /** Responds at a place that is open to every signed-in person. */
  readonly forPeople: (request: Request, place: Place) => Promise<Response>
  /** Responds at a place that is open to managers only. */
  readonly forManagers: (request: Request, place: Place<ManagerVisit>) => Promise<Response>
  readonly notFound: (request: Request) => Response
}

/** Maximum age of a recent sign-in, in seconds. `POST` allows more, for the time it takes to fill in a form. */
const FRESH_SECONDS = { get: 15 * 60, post: 30 * 60 }

/** Creates what the areas of a site have in common. */
export function createArea(options: AreaOptions): Area {
  const { site, origin, people, visitors, signIn, sentForms, roles, now } = options
  const notFound: Area['notFound'] = (request) =>
    pageResponse(notFoundPage({ site: forReader(site, request) }), { origin, status: 404 })

  async function answer<By extends Visit>(
    request: Request,
    place: Place<By>,
    admit: (visit: Visit) => By | AreaFault,
  ): Promise<Response> {
    const localized = forReader(site, request)
    const refuse = (reason: AreaFault, back: string | null = null): Response =>
      areaRefusal({ site: localized, origin, reason, back })
    const method = request.method === 'POST' ? 'post' : 'get'
    const handle = place[method]
    if (handle === undefined || !['GET', 'HEAD', 'POST'].includes(request.method))
      return areaRefusal({ site: localized, origin, reason: 'method', allow: methodsOf(place) })
    const form = method === 'post' ? await readForm(request) : new URLSearchParams()
    if (form === null) return signIn.outOfDate(request)
    if (method === 'post' && !visitors.isOwnForm(request, form.get('csrf_token')))
      return signIn.outOfDate(request)

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
    const cookie = visitors.cookie(id)
    const show: Visit['show'] = (page, status = 200) =>
      pageResponse(page, { origin, status, cookie })
    const done = new Set<Response>()
    const visit = admit({
      person,
      site: localized,
      frame: frameOf(person, visitors.csrfToken(id)),
      query,
      form,
      show,
      showDone(page) {
        const response = pageResponse(page, { origin, cookie, script: 'without calls' })
        done.add(response)
        return response
      },
      notFound: () => notFound(request),
    })
    if (typeof visit === 'string') return refuse(visit)
    const isFresh = signedIn.authTime + FRESH_SECONDS[method] > now()
    if (place.fresh === true && !isFresh) return ask()
    if (place.readsNothing !== true && !hasOnly(form, place)) return refuse('form')
    if (method === 'get') return handle(visit)
    const answered = await sentForms.once(
      { visitor: id, memberId: person.subject, path: pathname, fields: form },
      async () => {
        const response = await handle(visit)
        return { response, isDone: response.status === 303 || done.has(response) }
      },
    )
    return typeof answered === 'string' ? refuse(answered, place.from ?? topOf(pathname)) : answered
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
        return decided.ok ? { ...visit, manager: decided.manager } : 'role'
      }),
    notFound,
  }
}

/** Returns the first page of the area that a path is in. */
const topOf = (pathname: string): string => pathname.split('/', 3).join('/')

const methodsOf = ({ get, post }: Pick<Place<never>, 'get' | 'post'>): string =>
  [get && 'GET, HEAD', post && 'POST'].filter((one) => one !== undefined).join(', ')
