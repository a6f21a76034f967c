import type { SignedIn } from 'hallpass/authorization-server'
import { decideManager, type Manager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { RoleTable } from 'hallpass/scope'
import { readForm } from './form.js'
import { pageResponse } from '../../../pages/response.js'
import type { AreaFault, PagesOfArea, SignedInFrame } from '../../../pages/applications/views.js'
import type { Html } from '../../../pages/html.js'

/** The browsers that visit the site. */
interface AreaVisitors {
  /** Returns the secret of the browser's cookie, or a new one. */
  readonly idOf: (request: Request) => string
  readonly signedIn: (request: Request) => Promise<SignedIn | null>
  /** Returns the `Set-Cookie` value that stores an identifier. */
  readonly cookie: (id: string) => string
  /** Returns the value that the forms of one page must send as `csrf_token`. */
  readonly csrfToken: (id: string) => string
  /** Whether a form came from a page of this site in this browser. */
  readonly isOwnForm: (request: Request, csrfToken: string | null) => boolean
}

/** How the site asks a visitor to sign in. */
interface AreaSignIn {
  /** Responds with the sign-in page, which leads to a path of this site afterwards. */
  readonly ask: (
    request: Request,
    options: { returnTo: string; status?: number },
  ) => Promise<Response>
  /** Creates the response to a form that did not come from a page of this site in this browser. */
  readonly outOfDate: (request: Request) => Response
}

/** The forms that were sent to the site. */
interface AreaForms {
  /** Handles a form once, however often it is sent. Returns a word if there is no response to give again. */
  readonly once: (
    form: { visitor: string; memberId: string; path: string; fields: URLSearchParams },
    handle: () => Promise<{ response: Response; isDone: boolean }>,
  ) => Promise<Response | 'sent_before' | 'too_many'>
}

/** Options of an area for signed-in people. */
export interface AreaOptions<Pages extends PagesOfArea> {
  readonly origin: string
  /** IANA name of the time zone in which times are shown. */
  readonly timeZone: string
  /** Returns the pages of the area, in the language of the reader. */
  readonly pagesFor: (request: Request) => Pages
  readonly people: {
    /** Returns the person with this `sub`, or `null` if there is none or they are suspended. */
    readonly find: (subject: string) => Promise<Person | null>
  }
  readonly visitors: AreaVisitors
  readonly signIn: AreaSignIn
  readonly sentForms: AreaForms
  readonly roles: RoleTable
  /** Epoch seconds. */
  readonly now: () => number
}

/** The request of a signed-in person. */
export interface Visit<Pages = PagesOfArea> {
  readonly person: Person
  /** The pages of the area, in the language of the person. */
  readonly pages: Pages
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
export interface ManagerVisit<Pages = PagesOfArea> extends Visit<Pages> {
  readonly manager: Manager
}

/** One address, for `GET`, for `POST` or for both. */
export interface Place<By> {
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
export interface Area<Pages> {
  /** Responds at a place that is open to every signed-in person. */
  readonly forPeople: (request: Request, place: Place<Visit<Pages>>) => Promise<Response>
  /** Responds at a place that is open to managers only. */
  readonly forManagers: (request: Request, place: Place<ManagerVisit<Pages>>) => Promise<Response>
  readonly notFound: (request: Request) => Response
}

/** Maximum age of a recent sign-in, in seconds. `POST` allows more, for the time it takes to fill in a form. */
const FRESH_SECONDS = { get: 15 * 60, post: 30 * 60 }

const STATUSES: Readonly<Record<AreaFault, number>> = {
  role: 403,
  form: 400,
  method: 405,
  sent_before: 409,
  too_many: 429,
}

/** Returns the number of the page of a list that a query names, from 1. */
export function pageOf(query: URLSearchParams): number {
  const text = query.get('page') ?? ''
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1
}

/** Creates what the areas of a site have in common. */
export function createArea<Pages extends PagesOfArea>(options: AreaOptions<Pages>): Area<Pages> {
  const { origin, timeZone, pagesFor, people, visitors, signIn, sentForms, roles, now } = options
  const notFound: Area<Pages>['notFound'] = (request) =>
    pageResponse(pagesFor(request).notFound(), { origin, status: 404 })

  async function answer<By extends Visit<Pages>>(
    request: Request,
    place: Place<By>,
    admit: (visit: Visit<Pages>) => By | AreaFault,
  ): Promise<Response> {
    const pages = pagesFor(request)
    const refuse = (reason: AreaFault, back: string | null = null): Response =>
      pageResponse(pages.refused({ reason, back }), { origin, status: STATUSES[reason] })
    const method = request.method === 'POST' ? 'post' : 'get'
    const handle = place[method]
    if (handle === undefined || !['GET', 'HEAD', 'POST'].includes(request.method)) {
      const refused = refuse('method')
      refused.headers.set('allow', methodsOf(place))
      return refused
    }
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
    const show: Visit<Pages>['show'] = (page, status = 200) =>
      pageResponse(page, { origin, status, cookie })
    const done = new Set<Response>()
    const visit = admit({
      person,
      pages,
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
    timeZone,
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

/** Whether a form contains only the fields of its place, so that no other value can be smuggled in. */
function hasOnly(
  form: URLSearchParams,
  { fields = [], lists = [] }: Pick<Place<never>, 'fields' | 'lists'>,
): boolean {
  const once = ['csrf_token', ...fields]
  return [...form.keys()].every(
    (name) => lists.includes(name) || (once.includes(name) && form.getAll(name).length === 1),
  )
}

/** Returns the first page of the area that a path is in. */
const topOf = (pathname: string): string => pathname.split('/', 3).join('/')

const methodsOf = ({ get, post }: Pick<Place<never>, 'get' | 'post'>): string =>
  [get && 'GET, HEAD', post && 'POST'].filter((one) => one !== undefined).join(', ')
