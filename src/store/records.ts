export type { KeyRecord, KeyState } from '../token/key-lifecycle.js'

/** An authorization request that waits for a person to sign in and decide. */
export interface PendingAuthorization {
  /** SHA-256 of the identifier in the interaction URL. */
  readonly idHash: string
  /** SHA-256 of the cookie value that binds the request to the browser that began it. */
  readonly browserHash: string
  readonly clientId: string
  /** Exactly as presented. */
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** Canonical form. */
  readonly resource: string
  /** Opaque; `null` only where `requireState` is off and none was sent. */
  readonly state: string | null
  readonly codeChallenge: string
  readonly nonce: string | null
  /** The `prompt` values that still matter while the person decides (OpenID Connect Core §3.1.2.1). */
  readonly prompt: readonly string[]
  /** Seconds; `null` = not asked for. */
  readonly maxAge: number | null
  readonly loginHint: string | null
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
}
