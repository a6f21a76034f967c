import { readFileSync } from 'node:fs'
import {
  type ApiEvent,
  type AuthorizationServer,
  createAuthorizationServer,
  defineSite,
  type FetchDocument,
  maintain,
  type SiteEvent,
} from 'hallpass'
import { type AccountApi, createAccountApi } from 'hallpass/account-api'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import {
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  type Endpoint,
} from 'hallpass/authorization-server'
import type { McpAdapter } from 'hallpass/mcp'
import { createDocumentFetcher, createNodeSigner } from 'hallpass/node'
import { decideManager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import { createAccountSource } from './account/source.js'
import { createApplications } from './applications/applications.js'
import { type AuditEvent, createAudit } from './platform/audit.js'
import { documentHosts, pinnedDocuments } from './applications/clients-policy.js'
import { createConnectedAppsPages } from './applications/connected-apps.js'
import { type Counters, countersOf } from './platform/counters.js'
import type { Database } from './platform/database.js'
import { DEMO_PASSWORD, demoSignIns, seedDemo } from './demo/demo.js'
import { withDemoDocuments } from './demo/documents.js'
import { type SchoolAdmin, createSchoolAdmin } from './admin/admin-api.js'
import { answerFrontAsset } from './pages/front/asset.js'
import { createLimits, type Limits, NO_LIMITS } from './platform/limits.js'
import { pageResponse } from './pages/response.js'
import { consentPage } from './pages/consent.js'
import { errorPage, notFoundPage } from './pages/error.js'
import { frontPage } from './pages/front/front.js'
import { homeLinks } from './pages/home.js'
import { schoolCss } from './pages/style/style.js'
import { createPeople } from './members/people.js'
import { createSessions } from './sign-in/sessions.js'
import { createSettings } from './applications/settings.js'
import { createSignIn, type SignIn } from './sign-in/sign-in.js'
import type { SiteDefinition } from './sites.js'
import { createThrottle } from './sign-in/throttle.js'
import { TOO_MANY, tooMany, wantsPage } from './platform/too-many.js'
import { createMcp } from './agents/mcp.js'
import { createVisitors } from './sign-in/visitors.js'
import { apiReference, vendors as knownVendors } from './applications/vendors.js'

const PUBLIC = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
}

/** A line for the log: no code, token, secret, cookie or password is ever in one. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void

/** One school, ready to be put behind a router. */
export interface SchoolSite {
  readonly definition: SiteDefinition
  readonly origin: string
  /** hallpass's endpoints, for `routesOf`. */
  readonly server: AuthorizationServer
  /** `POST /account/graphql` and `GET /account/schema.graphql` */
  readonly account: AccountApi
  /** The admin API below `/api/v1`, its description and its reference. */
  readonly admin: SchoolAdmin
  /** `/mcp` */
  readonly mcp: Endpoint
  /** Seconds that an address has to wait; 0 = go ahead. Counts as a request. */
  readonly ofAddress: Limits['ofAddress']
  /** `GET /assets/sign-in.js`: how the pages of this site that are apps sign in. */
  readonly script: () => Response
  /** `GET /assets/front.css` and `/assets/walk.js`: what the demo's front page loads beside the stylesheet. */
  readonly frontAsset: (request: Request) => Response
  readonly home: SignIn['home']
  readonly signIn: SignIn['signIn']
  readonly signOut: SignIn['signOut']
  /** `/oauth/applications` and below: the clients of the site, for those who manage them. */
  readonly applications: (request: Request) => Promise<Response>
  /** `/oauth/authorized_applications` and below: what somebody has connected. */
  readonly connectedApps: (request: Request) => Promise<Response>
  /** `GET /assets/school.css` */
  readonly stylesheet: () => Response
  readonly notFound: () => Response
  /** The answer to an address that has to wait so many seconds. */
  readonly busy: (request: Request, retryAfterSeconds: number) => Response
  /** `GET /account/graphiql` and below; not there unless the site is the demo. */
  readonly graphiql: (request: Request) => Promise<Response>
  /** Moves keys on and removes what has expired. Call it at the start and every few minutes. */
  readonly maintain: () => Promise<void>
}

/** What one school is made with. */
export interface SiteOptions {
  readonly definition: SiteDefinition
  /** Issuer and prefix of every URL. */
  readonly origin: string
  readonly database: Database
  /** Seals the private keys in the database. */
  readonly sealingSecret: string
  readonly counters: Counters
  /** What speaks MCP. */
  readonly mcpAdapter: McpAdapter
  /** Whether requests are counted at all. Default: yes. */
  readonly rateLimits?: boolean
  readonly log: Log
  /** Gets client ID metadata documents. Default: `createDocumentFetcher()`. */
  readonly fetchDocument?: FetchDocument
  /** Epoch seconds. Default: the platform's clock. */
  readonly now?: () => number
}

/** What a site answers to programs of staff and to agents. */
type Apis = Pick<SchoolSite, 'admin' | 'mcp'>

/** A site that can become the demo. */
interface Seedable {
  /** Makes the site the demo, with its people, what they learn, its clients and GraphiQL. */
  readonly seed: () => Promise<void>
}

/** Wires hallpass into one school. */
export function createSite(options: SiteOptions): SchoolSite & Seedable {
  const { site, createApis } = wireSite(options)
  return { ...site, ...createApis() }
}

/**
 * The same in two steps: the admin API and `/mcp` check and describe over a hundred operations, which is
 * most of what it takes to make a site.
 */
export function wireSite({
  definition,
  origin,
  database,
  sealingSecret,
  counters,
  mcpAdapter,
  rateLimits = true,
  log,
  fetchDocument = createDocumentFetcher(),
  now = () => Math.floor(Date.now() / 1000),
}: SiteOptions): { site: Omit<SchoolSite, keyof Apis> & Seedable; createApis: () => Apis } {
  const { id, name } = definition
  const { execute, transaction } = database
  const own = countersOf(counters, id)
  const limits = rateLimits ? createLimits(own) : NO_LIMITS
  const people = createPeople({ execute, site: id })
  const settings = createSettings({ execute, site: id })
  const audit = createAudit({ execute, site: id, now })
  const fault = (endpoint: string, thrown: unknown): void =>
    log({ site: id, type: 'fault', endpoint, fault: describeFault(thrown) })
  const onEvent = (event: AuditEvent): void => {
    log({ site: id, ...event })
    audit.record(event).catch((thrown: unknown) => fault('audit', thrown))
  }
  let isDemo = false
  const site = defineSite({
    issuer: origin,
    name,
    id,
    store: createPostgresStore({ execute, site: id }),
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: people.find,
    vendors: [...knownVendors, apiReference(origin)],
    documents: {
      allowedHosts: documentHosts,
      fetchDocument: (url) => (isDemo ? withDemoDocuments(fetchDocument) : fetchDocument)(url),
    },
    pinnedDocuments,
    memberClients: settings.mcpConnections,
    // What the admin API does is logged; the audit log is about access.
    onEvent: (event) => (isOfApi(event) ? log({ site: id, ...event }) : onEvent(event)),
    onRefusal: (notice) => {
      log({ site: id, type: 'refused', ...notice })
      if (notice.endpoint === 'register')
        onEvent({ type: 'oauth.client.refused', at: notice.at, reason: notice.reason })
    },
    onFault: (notice) => fault(notice.endpoint, notice.fault),
    now,
  })
  const keys = createKeyRing(site, {
    sealingSecret,
    signing: definition.signing,
    createSigner: createNodeSigner,
  })
  const sessions = createSessions({ execute, site: id, now })
  const visitors = createVisitors({ origin, site: id, sessions })
  const linksOf = (person: Person) =>
    homeLinks({ isAdmin: decideManager({ person, table: schoolRoles }).ok })
  const signIn = createSignIn({
    site: definition,
    origin,
    people,
    sessions,
    visitors,
    throttle: createThrottle(own),
    findPerson: people.find,
    resume: (request) => server.interaction(request),
    links: linksOf,
    front: ({ person, form }) =>
      isDemo
        ? frontPage({
            site: definition,
            origin,
            person,
            form,
            links: person === null ? [] : linksOf(person),
            people: demoSignIns(id),
            password: DEMO_PASSWORD,
          })
        : null,
    onEvent,
    now,
  })

  const serverOptions: AuthorizationServerOptions = {
    keys,
    errorUri: (error) => `${origin}/auth.md#error-${error}`,
    interact: {
      currentPerson: signIn.currentPerson,
      signIn: signIn.page,
      consent: (request, view) => {
        const visitor = visitors.idOf(request)
        return pageResponse(
          consentPage({ site: definition, view, signOutToken: visitors.csrfToken(visitor) }),
          { origin, formTarget: view.client.redirectSource, cookie: visitors.cookie(visitor) },
        )
      },
      error: (_request, view) =>
        pageResponse(errorPage({ site: definition, view }), {
          origin,
          status: view.status,
          retryAfterSeconds: view.status === 503 ? 60 : null,
        }),
    },
  }
  const server = createAuthorizationServer(site, serverOptions)

  const account = createAccountApi(site, {
    source: createAccountSource({ execute, transaction, site: definition, origin, now }),
    pictureHosts: ['images.example'],
  })

  const areas = {
    site: definition,
    origin,
    people,
    visitors,
    signIn,
    roles: schoolRoles,
    scopes: schoolScopes,
    audit,
    now,
  }
  const applications = createApplications({
    ...areas,
    store: site.store,
    settings,
    vendors: site.vendors,
    pinnedDocuments,
    administration: createClientManagement(site),
  })
  const connectedApps = createConnectedAppsPages({
    ...areas,
    connections: createConnectedApps(site),
  })

  function createApis(): Apis {
    const admin = createSchoolAdmin(site, {
      definition,
      database,
      facts: configureAuthorizationServer(site, serverOptions),
      sealingSecret,
      ...(limits.ofGrant !== null && { rateLimit: limits.ofGrant }),
    })
    const { operator } = admin
    return { admin, mcp: createMcp(site, { execute, account, operator, adapter: mcpAdapter }) }
  }

  const notFound = (): Response =>
    pageResponse(notFoundPage({ site: definition }), { origin, status: 404 })

  const busy = (request: Request, retryAfterSeconds: number): Response => {
    if (!wantsPage(request)) return tooMany(retryAfterSeconds)
    const description = TOO_MANY.error_description
    const view = {
      error: 'temporarily_unavailable',
      reason: 'too_many_requests',
      description,
    } as const
    const page = errorPage({ site: definition, view: { ...view, status: 429 } })
    return pageResponse(page, { origin, status: 429, retryAfterSeconds })
  }

  const wired: Omit<SchoolSite, keyof Apis> & Seedable = {
    definition,
    origin,
    server,
    account,
    ofAddress: limits.ofAddress,
    script: () =>
      new Response(readFileSync(new URL('sign-in/browser.js', import.meta.url)), {
        headers: { ...PUBLIC, 'content-type': 'text/javascript; charset=utf-8' },
      }),
    frontAsset: (request) => answerFrontAsset(request) ?? notFound(),
    home: signIn.home,
    signIn: signIn.signIn,
    signOut: signIn.signOut,
    applications,
    connectedApps,
    stylesheet: () =>
      new Response(schoolCss, {
        headers: { ...PUBLIC, 'content-type': 'text/css; charset=utf-8' },
      }),
    notFound,
    busy,
    async graphiql(request) {
      if (!isDemo) return notFound()
      // Large, and rarely asked for.
      const { answerGraphiql } = await import('./account/graphiql/graphiql.js')
      return answerGraphiql(request) ?? notFound()
    },
    async maintain() {
      await maintain(site, { keys })
      await sessions.purge()
      await audit.purge()
    },
    async seed() {
      await seedDemo({ execute, site: id, origin, people, store: site.store, now })
      isDemo = true
    },
  }
  return { site: wired, createApis }
}

const isOfApi = (event: SiteEvent): event is ApiEvent => event.type.startsWith('api.')

// The message of an error, and of its causes; the stack is for the operator's own tools.
function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause === undefined
    ? fault.message
    : `${fault.message}: ${describeFault(fault.cause)}`
}
