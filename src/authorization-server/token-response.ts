/**
 * A successful response of the token endpoint.
 *
 * @see [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)
 * @group Token endpoints
 */
export interface TokenResponse {
  readonly access_token: string
  /** `DPoP` if the tokens are bound to a key. */
  readonly token_type: 'Bearer' | 'DPoP'
  /** Remaining lifetime of the access token, in seconds. A repeated response has less of it. */
  readonly expires_in: number
  /**
   * Replaces the refresh token of the request, which may then only be used to repeat that request. Absent only for a
   * grant of an opt-in block that issues none.
   */
  readonly refresh_token?: string
  /**
   * The scopes of the access token, separated by spaces. Always present, because the person may have
   * allowed less than the client requested. Those that the person's role does not include are among them: they have
   * an effect once it does. Introspection returns those that have one now.
   */
  readonly scope: string
  /**
   * A signed JWT, present in the response to a code if the scope `openid` was granted and a key signs. A
   * refresh returns none.
   */
  readonly id_token?: string
}
