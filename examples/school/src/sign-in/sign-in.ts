import type { Site as HallpassSite } from 'hallpass'
import type { PasswordThrottle, SessionEvent } from 'hallpass/operations'
import type { SignInView } from 'hallpass/authorization-server'
import type { Person } from 'hallpass/policy'
import { readForm } from './form.js'
import { isForApp, pageResponse, redirectTo } from '../../../pages/response.js'
import { PasswordsBusyError, verifyPassword } from './password.js'
import { errorPage, tooManyTriesPage } from '../../../pages/error.js'
import { type HomeLink, signedInPage, signOutPage } from '../../../pages/home.js'
import type { Html } from '../../../pages/html.js'
import type { Site } from '../../../pages/layout.js'
import {
  signInOnlyPage,
  signInPage,
  type SignInForm,
  type SignInState,
} from '../../../pages/sign-in.js'
import { forReader } from '../../../pages/words/languages.js'
import type { People } from '../members/people.js'
import type { Sessions } from './sessions.js'
import { type RequestContext, withContext } from '../platform/request-context.js'
import type { SiteDefinition } from '../sites.js'
import type { Language } from '../../../pages/words/words.js'
import type { Visitors } from './visitors.js'

/** Sign-in, sign-out and the home page of one site, as functions from `Request` to `Response`. */
export interface SignIn {
  /** Responds with the home page, or with the sign-in page if the visitor is not signed in. */
  readonly home: (request: Request) => Promise<Response>
  /** `GET /sign-in`: the sign-in page, or the home page for a person who is signed in. */
  readonly signInPage: (request: Request) => Promise<Response>
  /** `GET /sign-out`: the page that asks, or the sign-in page for a visitor who is not signed in. */
  readonly signOutPage: (request: Request) => Promise<Response>
  /** `POST /sign-in` */
  readonly signIn: (request: Request, context: RequestContext) => Promise<Response>
  /** `POST /sign-out` */
  readonly signOut: (request: Request) => Promise<Response>
  /**
   * Responds with the sign-in page for a protected path of this site, if the visitor is signed out or
   * signed in too long ago.
   *
   * @param options - `returnTo`: the path with its query; a path that is not allowed leads to the home page
   */
  readonly ask: (
    request: Request,
    options: { returnTo: string; status?: number },
  ) => Promise<Response>
  /** Creates the response to a form that did not come from a page of this site in this browser. */
  readonly outOfDate: (request: Request) => Response
  /** Responds with the sign-in page while an app waits: the `signIn` of hallpass's `interact`. */
  readonly page: (request: Request, view: SignInView) => Response
  /** Returns who is signed in: the `currentPerson` of hallpass's `interact`. */
  readonly currentPerson: Visitors['signedIn']
}

/**
 * Returns what the sign-in page shows below its form. `client`: the app that waits, or `null`. `site`: the school, in the
 * language of the reader. `returnTo` and `csrfToken`: what a form that signs in has to send.
 */
export type BelowSignIn = (page: {
  readonly site: Site
  readonly client: SignInView['client'] | null
  readonly returnTo: string
  readonly csrfToken: string
}) => Html | null

interface Failure {
  readonly state: SignInState
  readonly status: number
  readonly email: string
}

/** The pages of the school that a form may return to, in addition to those of hallpass: the areas for people. */
const AREAS = /^\/oauth\/(?:authorized_)?applications(?:[/?][\x21-\x7e]*)?$/
const MAX_RETURN_TO = 8 * 1024

function areaPath(wanted: string | null, origin: string): string {
  if (wanted === null || wanted.length > MAX_RETURN_TO || !AREAS.test(wanted)) return '/'
  // A browser would normalize a path such as "/../" to another one, so it is not allowed.
  return new URL(wanted, origin).href === origin + wanted ? wanted : '/'
}

/**
 * Creates the sign-in of one site.
 *
 * @param options - `resume`: opens the page of a waiting request, as the browser would.
 *   `returnTo`: that of the site, which knows the pages of hallpass.
 *   `links`: returns the links of the home page. Default: none.
 *   `front`: returns a page that replaces the home page, or `null`. Default: always `null`.
 *   `below`: returns what the sign-in pages show below their form, or `null`. Default: always `null`.
 */
export function createSignIn({
  site,
  origin,
  people,
  sessions,
  visitors,
  passwords,
  findPerson,
  resume,
  returnTo: readReturnTo,
  links = () => [],
  front = () => null,
  below = () => null,
  onEvent,
  now,
}: {
  site: SiteDefinition
  origin: string
  people: People
  sessions: Sessions
  visitors: Visitors
  passwords: PasswordThrottle
  findPerson: (subject: string) => Promise<Person | null>
  resume: (request: Request) => Promise<Response>
  returnTo: HallpassSite['returnTo']
  links?: (person: Person, language: Language) => readonly HomeLink[]
  front?: (visitor: { person: Person | null; form: SignInForm }) => Html | null
  below?: BelowSignIn
  onEvent: (event: SessionEvent) => void
  now: () => number
}): SignIn {
  // Failures to show when the page is rendered again. They never pass through the browser.
  const failures = new WeakMap<Request, Failure>()

  const returnPath = (wanted: string | null): string =>
    readReturnTo(wanted) ?? areaPath(wanted, origin)
  const formOf = (id: string, failure: Failure | undefined): SignInForm => ({
    csrfToken: visitors.csrfToken(id),
    email: failure?.email ?? null,
    state: failure?.state ?? { kind: 'plain' },
  })
  const optionsOf = (id: string, failure: Failure | undefined) => ({
    origin,
    status: failure?.status ?? 200,
    cookie: visitors.cookie(id),
    retryAfterSeconds: failure?.state.kind === 'throttled' ? failure.state.waitSeconds : null,
  })
  const belowOf = (
    reader: Site,
    { csrfToken }: SignInForm,
    returnTo: string,
    client: SignInView['client'] | null = null,
  ): Html | null => below({ site: reader, client, returnTo, csrfToken })
  const outOfDate = (request: Request, forApp = false): Response =>
    pageResponse(
      errorPage({
        site: forReader(site, request),
        view: {
          status: 403,
          error: 'access_denied',
          reason: 'csrf_token_mismatch',
          description: 'the form did not come from this page, or cookies are turned off',
        },
      }),
      { origin, forApp, status: 403 },
    )

  async function home(request: Request): Promise<Response> {
    const id = visitors.idOf(request)
    const failure = failures.get(request)
    const signedIn = failure === undefined ? await visitors.signedIn(request) : null
    const person = signedIn === null ? null : await findPerson(signedIn.subject)
    const form = formOf(id, failure)
    const instead = front({ person, form })
    if (instead !== null) return pageResponse(instead, { ...optionsOf(id, failure), script: true })
    const reader = forReader(site, request)
    return pageResponse(
      person === null
        ? signInOnlyPage({ site: reader, form, below: belowOf(reader, form, '/') })
        : signedInPage({
            site: reader,
            person,
            csrfToken: form.csrfToken,
            links: links(person, reader.language),
          }),
      optionsOf(id, failure),
    )
  }

  async function personOf(request: Request): Promise<Person | null> {
    const signedIn = await visitors.signedIn(request)
    return signedIn === null ? null : findPerson(signedIn.subject)
  }

  async function ask(
    request: Request,
    { returnTo, status = 200 }: { returnTo: string; status?: number },
  ): Promise<Response> {
    const id = visitors.idOf(request)
    const failure = failures.get(request)
    const person = await personOf(request)
    const form = formOf(id, failure)
    const [reader, path] = [forReader(site, request), returnPath(returnTo)]
    return pageResponse(
      signInOnlyPage({
        site: reader,
        form: { ...form, email: form.email ?? person?.email ?? null },
        returnTo: path,
        cause: person === null ? 'signed_out' : 'again',
        below: belowOf(reader, form, path),
      }),
      { ...optionsOf(id, failure), status: failure?.status ?? status },
    )
  }

  /** Renders the page of the form again, with the failure. */
  function again(request: Request, returnTo: string, failure: Failure): Promise<Response> {
    const page = new Request(origin + returnTo, {
      headers: {
        cookie: request.headers.get('cookie') ?? '',
        'accept-language': request.headers.get('accept-language') ?? '',
      },
    })
    failures.set(page, failure)
    if (returnTo === '/') return home(page)
    return isForApp(returnTo) ? resume(page) : ask(page, { returnTo })
  }

  return {
    home,
    ask,
    signInPage: async (request) =>
      (await personOf(request)) === null ? ask(request, { returnTo: '/' }) : redirectTo('/'),
    async signOutPage(request) {
      const person = await personOf(request)
      if (person === null) return redirectTo('/sign-in')
      const id = visitors.idOf(request)
      const csrfToken = visitors.csrfToken(id)
      return pageResponse(signOutPage({ site: forReader(site, request), person, csrfToken }), {
        origin,
        cookie: visitors.cookie(id),
      })
    },
    outOfDate,
    currentPerson: async (request) => (failures.has(request) ? null : visitors.signedIn(request)),
    page(request, view) {
      const id = visitors.idOf(request)
      const failure = failures.get(request)
      const form = formOf(id, failure)
      const reader = forReader(site, request, view.uiLocales)
      // At a step-up link and on the page for a device, no app is named before sign-in. At the latter none waits either.
      const { client, returnTo, cause } = view
      const options = { ...optionsOf(id, failure), forApp: isForApp(returnTo) }
      const isNamed = client.clientId !== origin
      const under = belowOf(reader, form, returnTo, isNamed ? client : null)
      return pageResponse(
        isNamed
          ? signInPage({ site: reader, view, form, below: under })
          : signInOnlyPage({ site: reader, form, returnTo, cause, below: under }),
        options,
      )
    },

    async signIn(request, context) {
      const form = await readForm(request)
      const returnTo = returnPath(form?.get('return_to') ?? null)
      if (form === null || !visitors.isOwnForm(request, form.get('csrf_token')))
        return outOfDate(request, isForApp(returnTo))
      const email = (form.get('email') ?? '').trim().slice(0, 254)
      const failed = (reason: string, subject: string | null): void =>
        onEvent({ type: 'session.failed', at: now(), subject, reason })
      const refused = (
        kind: 'wrong_credentials' | 'suspended',
        subject: string | null,
      ): Promise<Response> => {
        failed(kind, subject)
        return again(request, returnTo, { state: { kind }, status: 403, email })
      }
      let found = null as Awaited<ReturnType<People['findByEmail']>>
      let attempt: Awaited<ReturnType<PasswordThrottle['attempt']>>
      try {
        attempt = await passwords.attempt(withContext(request, context), email, async () => {
          found = await people.findByEmail(email)
          const matches = await verifyPassword(
            form.get('password') ?? '',
            found?.passwordHash ?? null,
          )
          return matches && found !== null
        })
      } catch (fault) {
        if (!(fault instanceof PasswordsBusyError)) throw fault
        return pageResponse(tooManyTriesPage({ site: forReader(site, request), waitSeconds: 5 }), {
          origin,
          forApp: isForApp(returnTo),
          status: 503,
          retryAfterSeconds: 5,
        })
      }
      if (!attempt.ok && attempt.retryAfterSeconds > 0) {
        failed('throttled', null)
        const state = { kind: 'throttled', waitSeconds: attempt.retryAfterSeconds } as const
        return again(request, returnTo, { state, status: 429, email })
      }
      if (!attempt.ok || found === null)
        return refused('wrong_credentials', found?.memberId ?? null)
      if (found.suspended) return refused('suspended', found.memberId)
      const old = visitors.idOf(request)
      const sessionId = await sessions.begin({ memberId: found.memberId, old })
      if (sessionId === null) return refused('wrong_credentials', null)
      onEvent({ type: 'session.signed_in', at: now(), subject: found.memberId })
      return redirectTo(returnTo, visitors.cookie(sessionId), attempt.setCookie)
    },

    async signOut(request) {
      const form = await readForm(request)
      const returnTo = returnPath(form?.get('return_to') ?? null)
      if (form === null || !visitors.isOwnForm(request, form.get('csrf_token')))
        return outOfDate(request, isForApp(returnTo))
      const id = visitors.idOf(request)
      await sessions.end(id)
      // The next person in this browser gets a new identifier.
      const next = visitors.idOf(new Request(origin))
      return redirectTo(returnTo, visitors.cookie(next))
    },
  }
}
