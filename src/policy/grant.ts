/** What a person allowed a client: the parent of every token issued for it. */
export interface Grant {
  /** Random, unique at its site. */
  readonly grantId: string
  readonly clientId: string
  /** The person, as the `sub` claim names them. */
  readonly subject: string
  /** Granted scopes, in the order asked. */
  readonly scopes: readonly string[]
  /** The one resource, in canonical form (RFC 8707). */
  readonly resource: string
  /** The redirect URI that received the code, exactly as presented. */
  readonly redirectUri: string
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds after which no refresh helps any more. */
  readonly expiresAt: number
  /** Epoch seconds; `null` = alive. */
  readonly revokedAt: number | null
  /** Why it was revoked, in snake_case; `null` = alive. */
  readonly revokedReason: string | null
}

/** An authorization code, known by its hash, with everything its redemption must repeat or prove. */
export interface AuthorizationCode {
  /** SHA-256 of the code, 43 base64url characters. */
  readonly codeHash: string
  /** The identifier that the grant gets at redemption. */
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resource: string
  /** Exactly as presented at the authorization endpoint. */
  readonly redirectUri: string
  /** PKCE S256 challenge, 43 base64url characters. */
  readonly codeChallenge: string
  /** Echoed in the ID token; `null` = none was sent. */
  readonly nonce: string | null
  /** Epoch seconds of the person's sign-in; `null` = the ID token does not carry `auth_time`. */
  readonly authTime: number | null
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
  /** Epoch seconds; `null` = not redeemed yet. */
  readonly redeemedAt: number | null
}

/** An access token, known by its hash. Client, person and resource are its grant's. */
export interface AccessToken {
  /** SHA-256 of the token, 43 base64url characters. */
  readonly tokenHash: string
  readonly grantId: string
  /** The grant's scopes or fewer. */
  readonly scopes: readonly string[]
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
  /** Epoch seconds; `null` = alive. */
  readonly revokedAt: number | null
}

/** A refresh token, known by its hash. */
export interface RefreshToken {
  /** SHA-256 of the token, 43 base64url characters. */
  readonly tokenHash: string
  readonly grantId: string
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds after which it is too long unused; never later than the grant's own end. */
  readonly expiresAt: number
  /** What happened when it was used; `null` = current. */
  readonly rotation: Rotation | null
}

/** The one use of a refresh token, kept so that a lost answer can be given again. */
export interface Rotation {
  /** Epoch seconds. */
  readonly rotatedAt: number
  /** 43 base64url characters. With the presented token it derives the successor pair. */
  readonly salt: string
  /** The scopes of the access token that this rotation issued. */
  readonly scopes: readonly string[]
  /** SHA-256 of the successor refresh token. */
  readonly successorHash: string
  /** Epoch seconds at which the access token of this rotation expires. */
  readonly accessTokenExpiresAt: number
}
