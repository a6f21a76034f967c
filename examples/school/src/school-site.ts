import type { FetchDocument } from 'hallpass'
import type { HealthEndpoints } from 'hallpass/operations'
import type { AccountApi } from 'hallpass/account'
import type { McpAdapter } from 'hallpass/mcp'
import type { Telemetry } from 'hallpass-opentelemetry'
import type { SchoolAdmin } from './admin/admin-api.js'
import type { Areas } from './applications/areas.js'
import type { Notify } from './applications/notices.js'
import type { OpenedSchools } from './opened/opened.js'
import type { IdentityProviderSetting } from './blocks/names.js'
import type { BlockName } from './blocks/names.js'
import type { Answers } from './pages/answers.js'
import type { Counters } from './platform/counters.js'
import type { Database } from './platform/transaction.js'
import type { Log } from './platform/hooks.js'
import type { LimitedEndpoint, LimitedServer } from './platform/limited.js'
import type { Limits } from './platform/limits.js'
import type { RequestContext } from './platform/request-context.js'
import type { Requests } from './platform/requests.js'
import type { Names } from './platform/story.js'
import type { SignIn } from './sign-in/sign-in.js'
import type { SiteDefinition } from './sites.js'

/** Options of one school. */
export interface SchoolSiteOptions {
  readonly definition: SiteDefinition
  /** The issuer, and the prefix of every URL. */
  readonly origin: string
  readonly database: Database
  /** The secret that encrypts the private keys in the database. */
  readonly sealingSecret: string
  /** Secrets that open what they sealed and signed, and seal and sign nothing. Default: none. */
  readonly previousSealingSecrets?: readonly string[]
  readonly counters: Counters
  /** The implementation of MCP. */
  readonly mcpAdapter: McpAdapter
  /** Sends email to people. Default: the school sends none. */
  readonly notify?: Notify | null
  /** Other schools, which the front page of the demo links to. Default: none. */
  readonly neighbors?: readonly { readonly name: string; readonly origin: string }[]
  /** The schools that visitors open, on a page of this one. Default: `null`, and there is no such page. */
  readonly opened?: OpenedSchools | null
  /** Whether requests are rate-limited. Default: `true`. */
  readonly rateLimits?: boolean
  /** Whether pages of the demo may go through the flow on this origin. Default: `false`. */
  readonly walks?: boolean
  /** The opt-in blocks that are switched on. Default: none. */
  readonly blocks?: readonly BlockName[]
  /** The identity provider of the block `id-jag`. Default: none. */
  readonly identityProvider?: IdentityProviderSetting | null
  /** Whether the process is about to stop. Default: never. */
  readonly isStopping?: () => boolean
  readonly log: Log
  /** Measures the site. Default: nothing is measured. */
  readonly telemetry?: Telemetry
  /** Fetches client ID metadata documents. Default: `createDocumentFetcher()`. */
  readonly fetchDocument?: FetchDocument
  /** Fetches logos of reviewed apps. Default: `fetchDocument`. */
  readonly fetchImage?: FetchDocument
  /** Returns the current time in epoch seconds. Default: the platform's clock. */
  readonly now?: () => number
}

/** The endpoints of a school for staff apps and for agents. */
interface SchoolApis {
  /** The admin API below `/api/v1`, its description and its reference, and `/auth.md`, for browsers as a page. */
  readonly admin: SchoolAdmin & { readonly authMd: (request: Request) => Promise<Response> }
  /** `/mcp` */
  readonly mcp: LimitedEndpoint
}

/** The endpoints of a school for people and for the apps that act for them, and its maintenance. */
interface SchoolCore
  extends
    Answers,
    Areas,
    Pick<SignIn, 'home' | 'signInPage' | 'signIn' | 'signOutPage' | 'signOut'> {
  readonly definition: SiteDefinition
  readonly origin: string
  /** hallpass's endpoints with their rate limits, for `routesOf`. */
  readonly server: LimitedServer
  /** `GET /livez` and `GET /readyz`, without rate limits */
  readonly health: HealthEndpoints
  /** `POST /account/graphql` and `GET /account/schema.graphql` */
  readonly account: { readonly graphql: LimitedEndpoint } & Pick<AccountApi, 'schema'>
  /** `/schools` and below: 404 unless visitors may open schools. */
  readonly schools: (request: Request, context: RequestContext) => Promise<Response>
  /** The names of people and apps, for the terminal. */
  readonly names: Names
  /** Identifiers and the log of requests. */
  readonly requests: Requests
  /** Counts a request of its payer, to any path. Returns the seconds to wait, or 0 if it may proceed. */
  readonly ofSender: Limits['ofSender']
  /** Rotates keys and deletes expired rows. Call it at start-up and every few minutes. */
  readonly maintain: () => Promise<void>
  /** Writes to the audit log what has changed since, and sends email about it. Call it every few seconds. */
  readonly deliverEvents: () => Promise<void>
  /** Resolves when all is stored that no request waits for. Call it before the database is closed. */
  readonly settled: () => Promise<void>
  /** Turns the site into the demo, with people, their courses, clients and GraphiQL. */
  readonly seed: () => Promise<void>
}

/** One school, ready to be put behind a router. */
export interface SchoolSite extends SchoolCore, SchoolApis {}

/** A school whose admin API and `/mcp` are not created yet. */
export interface WiredSite {
  readonly core: SchoolCore
  readonly createApis: () => SchoolApis
}
