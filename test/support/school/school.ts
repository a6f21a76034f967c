import {
  type AuthorizationServer,
  defineSite,
  type FaultNotice,
  type RefusalNotice,
  type Site,
  type SiteEvent,
  type SiteOptions,
} from 'hallpass'
import {
  type AuthorizationServerOptions,
  type BackToAppView,
  type ConsentView,
  configureAuthorizationServer,
  createRouter,
  createStepUp,
  type Endpoint,
  type ErrorView,
  type Incoming,
  type PasteAddressView,
  type SignInView,
} from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import type { Client, Person, Vendor } from 'hallpass/policy'
import { schoolRoles, type SchoolScope, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import { createEndpoints } from '../../../src/authorization-server/server.js'
import { type SiteChanges, split } from './bare-server.js'

/** 2026-11-20T09:00:00Z. */
export const T = 1_795_165_200

/** Seconds as JSON and GraphQL say them. */
export const iso = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '')

export const ISSUER = 'https://lantern.example'

export const STUDENT: Person = {
  subject: 'mem_mei',
  orgId: 'site_lantern',
  roles: ['student'],
  name: 'Mei-Ling Chou',
  email: 'mei-ling.chou@example.com',
  picture: null,
}

export const OWNER: Person = {
  subject: 'mem_ines',
  orgId: 'site_lantern',
  roles: ['owner'],
  name: 'Ines Duarte',
  email: 'ines.duarte@example.com',
  picture: 'https://lantern.example/ines.png',
}

export const STUDY_BUDDY: Client = defineClient({
  clientId: 'study-buddy',
  kind: 'member',
  name: 'Study Buddy',
  redirectUris: ['http://127.0.0.1:7777/callback'],
  scopes: ['account:read'],
  createdAt: T - 1000,
})

export const PORTFOLIO_SECRET = 'portfolio-hub-demo-secret'

export const PORTFOLIO_HUB: Client = {
  ...STUDY_BUDDY,
  clientId: 'portfolio-hub',
  name: 'Portfolio Hub',
  tokenEndpointAuthMethod: 'client_secret_post',
  secrets: [{ hash: hashToken(PORTFOLIO_SECRET), expiresAt: null }],
  scopes: ['account:read', 'account:write'],
}

export const ACME: Vendor<SchoolScope> = {
  clientId: 'acme-agents',
  name: 'Acme Agents',
  redirectUris: ['https://agents.acme.example/callback', 'http://127.0.0.1/', 'acme://callback'],
  scopes: ['courses:read', 'courses:write'],
  reviewedOn: '2026-11-01',
}

export interface School {
  readonly site: Site<string, Store>
  /** What the site was defined with, for another that differs from it. */
  readonly siteOptions: SiteOptions
  readonly server: AuthorizationServer
  readonly router: Endpoint
  /** A `fetch` that reaches the server in this process, with `issuer` as its origin. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly store: Store
  readonly clock: { now: number }
  readonly people: Map<string, Person>
  /** Who is signed in; a test changes it. */
  signedIn: { subject: string; authTime: number } | null
  /** As `refusals`. */
  readonly events: Heard[]
  /** Without the names of the requests, which are different each time. */
  readonly refusals: Omit<RefusalNotice, 'requestId'>[]
  readonly faults: Omit<FaultNotice, 'requestId'>[]
  /** What the last page was made of. */
  view:
    | { page: 'signIn'; view: SignInView }
    | { page: 'consent'; view: ConsentView }
    | { page: 'backToApp'; view: BackToAppView }
    | { page: 'pasteAddress'; view: PasteAddressView }
    | { page: 'error'; view: Omit<ErrorView, 'requestId'> }
    | null
}

/** An event without the name of its request. */
export type Heard = SiteEvent extends infer Event
  ? Event extends SiteEvent
    ? Omit<Event, 'requestId'>
    : never
  : never

/** Leaves out the name of the request, which is different each time. */
export function heard(event: SiteEvent): Heard {
  const { requestId: _requestId, ...rest } = { requestId: null, ...event }
  return rest
}

/**
 * A school whose people are two, whose clock stands still, and whose pages are JSON. Its errors name
 * no page, so that a test of what is refused compares no more than that; with `errorPages` they do.
 */
export async function createSchool({
  issuer = ISSUER,
  store = createMemoryStore(),
  signing = true,
  errorPages = false,
  options = {},
}: {
  issuer?: string
  store?: Store
  signing?: boolean
  errorPages?: boolean
  options?: SiteChanges & Partial<AuthorizationServerOptions>
} = {}): Promise<School> {
  const clock = { now: T }
  const now = (): number => clock.now
  const people = new Map([STUDENT, OWNER].map((person) => [person.subject, person]))
  const events: Heard[] = []
  const refusals: School['refusals'] = []
  const faults: School['faults'] = []
  const { ofSite, own } = split<AuthorizationServerOptions>(options)
  const siteOptions: SiteOptions = {
    issuer,
    name: 'Lantern Street Drawing School',
    id: 'site_lantern',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    vendors: [ACME],
    findPerson: async (subject) => people.get(subject) ?? null,
    onEvent: (event) => events.push(heard(event)),
    onRefusal: ({ requestId: _requestId, ...notice }) => refusals.push(notice),
    onFault: ({ requestId: _requestId, ...notice }) => faults.push(notice),
    now,
    ...ofSite,
  }
  const site = defineSite(siteOptions)
  const keys = createKeyRing(defineSite({ ...siteOptions, onEvent: () => {} }), {
    sealingSecret: 'a sealing secret of thirty-two characters',
    signing,
    reloadAfterSeconds: 0,
  })
  if (own.keys === undefined) await keys.maintain()
  for (const client of [STUDY_BUDDY, PORTFOLIO_HUB]) await store.insertClient(client)
  const page = (view: NonNullable<School['view']>, status = 200): Response => {
    school.view = view
    return Response.json(view, { status })
  }
  const configuration = configureAuthorizationServer(site, {
    keys,
    interact: {
      currentPerson: async () => school.signedIn,
      signIn: (_request, view) => page({ page: 'signIn', view }),
      consent: (_request, view) => page({ page: 'consent', view }),
      stepUp: createStepUp({
        backToApp: (_request, view) => page({ page: 'backToApp', view }),
      }),
      pasteAddress: (_request, view) => page({ page: 'pasteAddress', view }),
      error: (_request, { requestId: _requestId, ...view }) =>
        page({ page: 'error', view }, view.status),
    },
    ...(errorPages && { errorUri: (error) => `${issuer}/auth.md#error-${error}` }),
    ...own,
  })
  // Each request meets new endpoints, so that none may keep what a later request needs.
  const made = (): Endpoint => createRouter(createEndpoints(configuration))
  const router: Endpoint = Object.assign((request: Request) => made()(request), {
    handle: (incoming: Incoming) => made().handle(incoming),
  })
  const school: School = {
    site,
    siteOptions,
    server: createEndpoints(configuration),
    router,
    fetch: (input, init) => router(new Request(input, { ...init, redirect: 'manual' })),
    store,
    clock,
    people,
    signedIn: null,
    events,
    refusals,
    faults,
    view: null,
  }
  return school
}

/** A browser: keeps cookies, follows redirects on the origin, presses the buttons of the consent page. */
export function createBrowser(
  school: School,
  issuer = ISSUER,
): {
  open: (url: string | URL) => Promise<Response>
  post: (
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<Response>
  authorize: (url: URL, decision?: 'allow' | 'deny') => Promise<URL>
} {
  let cookie: string | null = null
  const send = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (cookie !== null) headers.set('cookie', cookie)
    const response = await school.fetch(new URL(url, issuer), { ...init, headers })
    for (const set of response.headers.getSetCookie()) cookie = set.split(';', 1)[0]!
    return response
  }
  const open = async (url: string | URL): Promise<Response> => {
    let response = await send(url)
    for (let hop = 0; hop < 5; hop++) {
      const location = response.headers.get('location')
      if (location === null || !new URL(location, issuer).href.startsWith(`${issuer}/`)) break
      response = await send(location)
    }
    return response
  }
  const post = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> => send(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  return {
    open,
    post,
    async authorize(url, decision = 'allow') {
      let response = await open(url)
      if (school.view?.page === 'consent' && response.status === 200) {
        const { action, csrfToken } = school.view.view
        response = await post(action, { csrf_token: csrfToken, decision })
      }
      const location = response.headers.get('location')
      if (location === null)
        throw new Error(`no redirect: ${response.status} ${await response.text()}`)
      return new URL(location)
    },
  }
}
