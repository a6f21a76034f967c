import type { DocumentPolicy } from '../policy/document-url.js'
import type { PinnedDocument } from '../policy/document-lifecycle.js'
import type { RefusalReason } from '../policy/refusals.js'
import type { Vendor } from '../policy/vendor.js'
import type { ScopeRegistry } from '../scope/registry.js'

/**
 * What decides who can connect: a part of the options of an authorization server, so that the very
 * object which configures one can be handed over.
 */
export interface ConnectPolicy {
  readonly issuer: string
  readonly scopes: ScopeRegistry
  readonly vendors?: readonly Vendor[]
  /** `null` or absent = no documents are resolved. */
  readonly documents?: Partial<DocumentPolicy> | null
  readonly pinnedDocuments?: readonly PinnedDocument[]
  readonly loopbackHosts?: readonly string[]
  readonly baselineScopes?: readonly string[]
  readonly requireState?: boolean
  readonly defaultScopes?: readonly string[] | null
}

/** How a client comes to be known; by `registration` it is a new one each time. */
export type ConnectionWay = 'vendor' | 'registration' | 'document' | 'pinned_document'

/** What becomes of one client. */
export interface Connection {
  /** The client's name. */
  readonly client: string
  /** Whether a person can sign in with it as it comes, with nothing set on the client's own side. */
  readonly connects: boolean
  /** `null` = it is refused before it is known. */
  readonly by: ConnectionWay | null
  /** `null` = it is refused before it is known, or gets a new identifier each time. */
  readonly clientId: string | null
  /** All that it may ask for; empty where it does not connect. */
  readonly scopes: readonly string[]
  /** Why not, with the reason of the refusal; `null` = it connects. */
  readonly reason: RefusalReason | null
  /** What to change, or to look out for; `null` = nothing. */
  readonly advice: string | null
}
