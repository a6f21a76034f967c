/** Where a signing key stands in its life. Only an `active` key signs. */
export type SigningKeyState = 'generated' | 'published' | 'active' | 'retiring' | 'retired'

/** A signing key as it is stored. */
export interface KeyRecord {
  /** Key identifier, unique at its site, never used again. */
  readonly kid: string
  readonly state: SigningKeyState
  /** The public JWK (RFC 7517) as JSON text. */
  readonly publicJwk: string
  /** The private key, sealed by its owner; `null` = it lives elsewhere (a KMS) or was destroyed. */
  readonly sealedPrivateKey: string | null
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds of the first publication in the JWKS; `null` = not yet. */
  readonly publishedAt: number | null
  /** Epoch seconds of the first use for signing; `null` = not yet. */
  readonly activatedAt: number | null
  /** Epoch seconds at which it stopped signing; `null` = not yet. */
  readonly retiringAt: number | null
  /** Epoch seconds at which it left the JWKS; `null` = not yet. */
  readonly retiredAt: number | null
}

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
