import type { Site } from 'hallpass'
import type {
  AuthorizationServerConfiguration,
  AuthorizationServerOptions,
} from 'hallpass/authorization-server'
import type { RefusalReason } from 'hallpass/policy'

/**
 * The site, the options of its authorization server that concern scopes and `state`, and its further ways in which clients
 * authenticate.
 */
export type ConnectPolicy = Site &
  Pick<AuthorizationServerOptions, 'baselineScopes' | 'defaultScopes' | 'requireState'> &
  Partial<Pick<AuthorizationServerConfiguration, 'clientAuthentication'>>

/**
 * The way in which a client becomes known to a site. `vendor`: an entry of `vendors`. `registration`:
 * dynamic client registration, which creates a new client each time. `document`: its client metadata
 * document. `pinned_document`: a copy of that document in `pinnedDocuments`.
 *
 * @group Predictions
 */
export type WayIn = 'vendor' | 'registration' | 'document' | 'pinned_document'

/**
 * The prediction for one client. Returned by {@link whoCanConnect}.
 *
 * @group Predictions
 */
export interface ClientOutcome {
  /** The name of the client, as in `RealClient`. */
  readonly client: string
  /**
   * Whether a person can sign in with the client in its default configuration. `false` also if what the client
   * sends is not public.
   */
  readonly connects: boolean
  /** How the client becomes known to the site; `null` if it is refused before that. */
  readonly by: WayIn | null
  /** `null` if the client is refused before it is known, or receives a new identifier each time. */
  readonly clientId: string | null
  /** All scopes that the client may request, first or later; empty if it does not connect. */
  readonly scopes: readonly string[]
  /**
   * The scopes that it requests first, which its first sign-in grants if the person allows everything and their role
   * includes it; empty if it does not connect. The person adds others to it later.
   */
  readonly granted: readonly string[]
  /** The reason of the refusal; `null` if the client connects, or if what it sends is not public. */
  readonly reason: RefusalReason | null
  /** Advice on what to change or expect, as a clause without a full stop; `null` if there is none. */
  readonly advice: string | null
}
