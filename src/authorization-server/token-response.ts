/**
 * A successful response of the token endpoint.
 *
 * @see [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)
 * @group Token endpoints
 */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Remaining lifetime of the access token, in seconds. */
  readonly expires_in: number
  readonly refresh_token: string
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  /** A signed JWT, present if the scope `openid` was granted and a key signs. */
  readonly id_token?: string
}
