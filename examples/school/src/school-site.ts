import type { AuthorizationServer, FetchDocument } from 'hallpass'
import type { AccountApi } from 'hallpass/account-api'
import type { Endpoint } from 'hallpass/authorization-server'
import type { McpAdapter } from 'hallpass/mcp'
import type { SchoolAdmin } from './admin/admin-api.js'
import type { Areas } from './applications/areas.js'
import type { Answers } from './pages/answers.js'
import type { Counters } from './platform/counters.js'
import type { Database } from './platform/database.js'
import type { Log } from './platform/hooks.js'
import type { Limits } from './platform/limits.js'
import type { SignIn } from './sign-in/sign-in.js'
import type { SiteDefinition } from './sites.js'

/** What one school is made with. */
export interface SchoolSiteOptions {
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

/** What a school answers to programs of staff and to agents. */
interface SchoolApis {
  /** The admin API below `/api/v1`, its description and its reference. */
  readonly admin: SchoolAdmin
  /** `/mcp` */
  readonly mcp: Endpoint
}

/** What a school answers to people and to apps that act for them, and what it needs itself. */
interface SchoolCore extends Answers, Areas, Pick<SignIn, 'home' | 'signIn' | 'signOut'> {
  readonly definition: SiteDefinition
  readonly origin: string
  /** hallpass's endpoints, for `routesOf`. */
  readonly server: AuthorizationServer
  /** `POST /account/graphql` and `GET /account/schema.graphql` */
  readonly account: AccountApi
  /** Seconds that an address has to wait; 0 = go ahead. Counts as a request. */
  readonly ofAddress: Limits['ofAddress']
  /** Moves keys on and removes what has expired. Call it at the start and every few minutes. */
  readonly maintain: () => Promise<void>
  /** Makes the site the demo, with its people, what they learn, its clients and GraphiQL. */
  readonly seed: () => Promise<void>
}

/** One school, ready to be put behind a router. */
export interface SchoolSite extends SchoolCore, SchoolApis {}

/** A school whose admin API and `/mcp` are still to be made. */
export interface WiredSite {
  readonly core: SchoolCore
  readonly createApis: () => SchoolApis
}
