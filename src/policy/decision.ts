/**
 * Error codes a client may read, as registered by RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1,
 * RFC 7591 §3.2.2, RFC 8707 §2 and OpenID Connect Core §3.1.2.6.
 */
export type OAuthErrorCode =
  | 'access_denied'
  | 'consent_required'
  | 'insufficient_scope'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/** An expected "no". Returned, never thrown. */
export interface Refusal {
  readonly ok: false
  /** What the client reads. */
  readonly error: OAuthErrorCode
  /** The exact cause in snake_case, the thing first: `code_expired`. Stable; for logs and tests. */
  readonly reason: string
  /** What a client developer can mend, in printable ASCII. Absent where saying more would help an attacker. */
  readonly description?: string
}

/** What a policy function returns: what was granted, flat beside `ok`, or a {@link Refusal}. */
export type Decision<Granted = unknown> = ({ readonly ok: true } & Granted) | Refusal

/**
 * Makes a {@link Refusal}.
 *
 * @param description - what to mend, for the client's developer; must not contain a secret
 */
export function refuse(error: OAuthErrorCode, reason: string, description?: string): Refusal {
  return description === undefined
    ? { ok: false, error, reason }
    : { ok: false, error, reason, description }
}
