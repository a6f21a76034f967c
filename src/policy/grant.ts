/**
 * A permission that a person gave to a client. Every token belongs to one grant, and revoking the grant revokes
 * them all.
 *
 * @group Records and refusals
 */
export interface Grant {
  /** Random, unique at its site. */
  readonly grantId: string
  readonly clientId: string
  /** The person, as the `sub` claim identifies them. */
  readonly subject: string
  /** The granted scopes, in the order in which they were requested. */
  readonly scopes: readonly string[]
  /** The resource of every token of the grant, in canonical form (RFC 8707). */
  readonly resource: string
  /** The redirect URI that received the code, exactly as the client sent it. */
  readonly redirectUri: string
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds from which the grant and all of its tokens are refused. */
  readonly expiresAt: number
  /** Epoch seconds. `null` if the grant is not revoked. */
  readonly revokedAt: number | null
  /** Why the grant was revoked, in snake_case. `null` if it is not revoked. */
  readonly revokedReason: string | null
  /**
   * The key to which the grant is bound, as the thumbprint of RFC 7638: it gives no tokens without proof of a key. Absent
   * or `null` if it is bound to none. Only a block such as `dpop` binds a grant.
   */
  readonly boundTo?: string | null
}

/**
 * A stored authorization code, with everything that its exchange must repeat or prove. The code
 * itself is not stored, only its hash.
 *
 * @group Records and refusals
 */
export interface AuthorizationCode {
  /** SHA-256 of the code, as 43 base64url characters. */
  readonly codeHash: string
  /** The identifier that the grant receives when the code is redeemed. */
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resource: string
  /** Whether the client sent `resource`, which it then has to repeat at the token endpoint. */
  readonly resourceSent: boolean
  /** Exactly as the client sent it in the authorization request. */
  readonly redirectUri: string
  /** The S256 challenge of PKCE, as 43 base64url characters. */
  readonly codeChallenge: string
  /** Repeated in the ID token. `null` if the client sent none. */
  readonly nonce: string | null
  /**
   * Epoch seconds at which the grant ends, as the person chose it. `null` if the person chose no end: then it lasts
   * as long as the site allows.
   */
  readonly grantEndsAt: number | null
  /** Epoch seconds of the person's sign-in. `null` if the ID token is to have no `auth_time`. */
  readonly authTime: number | null
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
  /** Epoch seconds. `null` if the code is not redeemed yet. */
  readonly redeemedAt: number | null
  /** The key whose proof redeems the code, as in {@link Grant}: the request named it. Absent or `null` if it named none. */
  readonly boundTo?: string | null
}

/**
 * A stored access token, identified by its hash. Client, person and resource are those of its
 * grant.
 *
 * @group Records and refusals
 */
export interface AccessToken {
  /** SHA-256 of the token, as 43 base64url characters. */
  readonly tokenHash: string
  readonly grantId: string
  /** The scopes of the grant, or fewer. */
  readonly scopes: readonly string[]
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
  /** Epoch seconds. `null` if the token is not revoked. */
  readonly revokedAt: number | null
  /** The key without whose proof the token opens nothing. Absent or `null`: that of its grant, if that has one. */
  readonly boundTo?: string | null
}

/**
 * A stored refresh token, identified by its hash.
 *
 * @group Records and refusals
 */
export interface RefreshToken {
  /** SHA-256 of the token, as 43 base64url characters. */
  readonly tokenHash: string
  readonly grantId: string
  /** Epoch seconds. */
  readonly issuedAt: number
  /** Epoch seconds from which the unused token is no longer valid. Never later than the end of the grant. */
  readonly expiresAt: number
  /** The single use of the token, stored so that a lost response can be repeated. `null` if it has not been used. */
  readonly rotation: {
    /** Epoch seconds. */
    readonly rotatedAt: number
    /**
     * 43 base64url characters. The new tokens are derived from it, the used token and a secret that is not stored.
     * `null` once no client can get them again.
     */
    readonly salt: string | null
    /** The scopes of the access token that this rotation issued. */
    readonly scopes: readonly string[]
    /** Present if the request named no scopes, and so got every scope that it could. */
    readonly scopesOmitted?: true
    /** SHA-256 of the new refresh token. */
    readonly successorHash: string
    /** Epoch seconds at which the access token of this rotation expires. */
    readonly accessTokenExpiresAt: number
  } | null
}

/** Returns the key to which an access token is bound; `null` if to none. One without a key has that of its grant. */
export const keyOf = ({
  accessToken,
  grant,
}: {
  readonly accessToken: Pick<AccessToken, 'boundTo'>
  readonly grant: Pick<Grant, 'boundTo'>
}): string | null => accessToken.boundTo ?? grant.boundTo ?? null

/** The use of a refresh token. */
export type Rotation = NonNullable<RefreshToken['rotation']>
