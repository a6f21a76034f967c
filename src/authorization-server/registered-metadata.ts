import { type Decision, refuse } from '../policy/decision.js'
import { memberOf, type Members } from '../policy/reading.js'

/** The metadata that every client receives, whatever it requested (RFC 7591, section 3.2.1). */
export const EFFECTIVE = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  subject_type: 'public',
  id_token_signed_response_alg: 'ES256',
} as const

/**
 * The only value of each member on which a client relies: it says in which form the client receives something, or which
 * requests are refused. `null`: no value. Every other member is a preference, or has no meaning here, and is ignored.
 */
const ONLY: Readonly<Record<string, string | false | null>> = {
  subject_type: EFFECTIVE.subject_type,
  id_token_signed_response_alg: EFFECTIVE.id_token_signed_response_alg,
  id_token_encrypted_response_alg: null,
  id_token_encrypted_response_enc: null,
  userinfo_signed_response_alg: null,
  userinfo_encrypted_response_alg: null,
  userinfo_encrypted_response_enc: null,
  introspection_signed_response_alg: null,
  authorization_signed_response_alg: null,
  default_max_age: null,
  require_auth_time: false,
  require_signed_request_object: false,
  require_pushed_authorization_requests: false,
  dpop_bound_access_tokens: false,
  tls_client_certificate_bound_access_tokens: false,
}

/**
 * Decides whether a client would get what its registration relies on.
 *
 * @see [OpenID Connect Registration 1.0, section 2](https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata)
 */
export function decideEffects(metadata: Members): Decision<object, 'metadata_value_not_supported'> {
  for (const [member, only] of Object.entries(ONLY)) {
    const value = memberOf(metadata, member)
    if (value === undefined || value === only) continue
    const rule = only === null ? 'is not supported: leave it out' : `must be ${only}, or left out`
    return refuse('invalid_client_metadata', 'metadata_value_not_supported', `${member} ${rule}`)
  }
  return { ok: true }
}
