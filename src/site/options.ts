import type { RandomBytes } from '../encoding/random.js'
import type { PinnedDocument } from '../policy/cimd-lifecycle.js'
import type { DocumentPolicy } from '../policy/cimd-url.js'
import type { Person } from '../policy/person.js'
import type { Vendor } from '../policy/vendor-match.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Store } from '../store/store.js'
import type { FaultNotice, RefusalNotice, SiteEvent } from './events.js'
import type { FetchDocument } from './fetch-document.js'

/** Which client ID metadata documents a site accepts, and how it gets them. */
export interface DocumentOptions extends Partial<DocumentPolicy> {
  /** The transport, such as `createDocumentFetcher()` of hallpass/node. */
  readonly fetchDocument: FetchDocument
}

/** Options of {@link defineSite}: what more than one part of a site has to know. */
export interface SiteOptions<Scope extends string = string> {
  /**
   * The site's origin, such as `https://school.example`: issuer, resource and prefix of every URL.
   * https, or http on a loopback host; no path, no trailing slash.
   */
  readonly issuer: string
  /** The site's name, for people. */
  readonly name: string
  /** The site's name for programs, such as the name of its MCP server. Default: the issuer's host. */
  readonly id?: string
  readonly store: Store
  readonly scopes: ScopeRegistry<Scope>
  readonly roles: RoleTable<NoInfer<Scope>>
  /** The person with this `sub` as the host's tables know them now; `null` = gone or suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  /** Known vendor platforms. */
  readonly vendors?: readonly Vendor<NoInfer<Scope>>[]
  /** Client ID metadata documents; none are resolved where this is left out. */
  readonly documents?: DocumentOptions
  /** Documents kept in configuration. They are never fetched. */
  readonly pinnedDocuments?: readonly PinnedDocument<NoInfer<Scope>>[]
  /** Whether the site allows member clients now. While it does not, each of them is disabled. */
  readonly memberClients?: () => boolean | Promise<boolean>
  /** Host names that mean "this computer" in redirect URIs. */
  readonly loopbackHosts?: readonly string[]
  /** Gets everything that happened: registrations, grants, refreshes, changes of clients and keys. */
  readonly onEvent?: (event: SiteEvent) => void
  /** Gets every refusal with its exact reason, secrets excluded. */
  readonly onRefusal?: (notice: RefusalNotice) => void
  /** Gets whatever was thrown and answered with 500 or 503, and what another hook throws. */
  readonly onFault?: (notice: FaultNotice) => void
  /** The clock: whole epoch seconds. */
  readonly now?: () => number
  /** As many cryptographically random bytes as asked for. Default: the platform's generator. */
  readonly randomBytes?: RandomBytes
}
