import type { AuthorizationServerOptions } from '../authorization-server/configuration.js'
import type { RefusalReason } from '../policy/refusals.js'
import type { Site } from '../site/site.js'

/** What decides who can connect: a site, and what its authorization server says of scopes and `state`. */
export type ConnectPolicy = Site &
  Pick<AuthorizationServerOptions, 'baselineScopes' | 'defaultScopes' | 'requireState'>

/** How a client comes to be known; by `registration` it is a new one each time. */
export type WayIn = 'vendor' | 'registration' | 'document' | 'pinned_document'

/** What becomes of one client. */
export interface ClientOutcome {
  /** The client's name. */
  readonly client: string
  /** Whether a person can sign in with it as it comes, with nothing set on the client's own side. */
  readonly connects: boolean
  /** `null` = it is refused before it is known. */
  readonly by: WayIn | null
  /** `null` = it is refused before it is known, or gets a new identifier each time. */
  readonly clientId: string | null
  /** All that it may ask for; empty where it does not connect. */
  readonly scopes: readonly string[]
  /** Why not, with the reason of the refusal; `null` = it connects. */
  readonly reason: RefusalReason | null
  /** What to change, or to look out for; `null` = nothing. */
  readonly advice: string | null
}
