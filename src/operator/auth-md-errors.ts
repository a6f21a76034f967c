import type { OAuthErrorCode } from '../policy/decision.js'
import { type ProblemCode, PROBLEMS } from './problem.js'

type Code = OAuthErrorCode | ProblemCode

/** What a client does about each error that it may read. */
const ADVICE: Readonly<Record<Code, string>> = {
  access_denied:
    'The person said no, or may not use this kind of client. Ask again only when they want it.',
  conflict: 'Read the object, look at its state, and decide anew.',
  consent_required: 'Ask again without `prompt=none`, so that the person sees the consent page.',
  forbidden_role: 'Nothing to ask for: another person, or another role, is needed.',
  idempotency_key_reused: 'Use a new `Idempotency-Key` for another request.',
  idempotency_key_running: 'Wait as long as `Retry-After` says and send the same request again.',
  insufficient_scope: 'Authorize again with the scopes that the challenge names.',
  internal: 'Try once more; then tell the school the `request_id`.',
  invalid_client:
    'Check `client_id` and `client_secret`. A client that is gone has to register again.',
  invalid_client_metadata: 'Mend the member that the description names and register again.',
  invalid_grant: 'The code or refresh token is spent, too old or not yours. Start from step 3.',
  invalid_redirect_uri: 'Register a loopback address, or use a metadata document.',
  invalid_request: 'Mend what the description names. Sent unchanged it fails again.',
  invalid_scope: 'Ask only for scopes of the table below that your kind of client may have.',
  invalid_target: 'Send the `resource` that the protected resource metadata names.',
  invalid_token: 'Refresh. If that fails too, start from step 3.',
  login_required: 'Ask again without `prompt=none`, so that the person can sign in.',
  method_not_allowed: 'Use one of the methods of the `Allow` header.',
  not_found: 'It does not exist here, or belongs to another school. Look it up in a list.',
  payload_too_large: 'Send less at once.',
  precondition_failed: 'Somebody was faster. Read it again, then decide.',
  precondition_required: 'Send `If-Match` with the `ETag` of what you read.',
  rate_limited: 'Wait as long as `Retry-After` says.',
  request_not_supported: 'Send plain parameters; request objects are not read here.',
  request_uri_not_supported: 'Send plain parameters; nothing is fetched from `request_uri`.',
  server_error: 'Try once more; then tell the school when it was.',
  temporarily_unavailable: 'Wait as long as `Retry-After` says, or a minute.',
  unavailable: 'Wait as long as `Retry-After` says.',
  unprocessable: 'Mend what the description names. Sent unchanged it fails again.',
  unsupported_grant_type: 'Use `authorization_code` or `refresh_token`.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  unsupported_response_type: 'Use `response_type=code`.',
}

/** A table of every error, each with an anchor of its own: `#error-invalid_grant`. */
export function errorTable(): readonly string[] {
  const codes = Object.keys(ADVICE) as Code[]
  return [
    '| code | status | what to do |',
    '| --- | --- | --- |',
    ...codes.map(
      (code) => `| <a id="error-${code}"></a>\`${code}\` | ${statusOf(code)} | ${ADVICE[code]} |`,
    ),
  ]
}

// Errors of the authorization endpoint come back to the redirect URI.
const ELSEWHERE: Readonly<Partial<Record<Code, string>>> = {
  access_denied: 'redirect',
  consent_required: 'redirect',
  invalid_client: '401',
  login_required: 'redirect',
  request_not_supported: 'redirect',
  request_uri_not_supported: 'redirect',
  server_error: '500',
  temporarily_unavailable: '503',
  unsupported_response_type: 'redirect',
}

const statusOf = (code: Code): string =>
  Object.hasOwn(PROBLEMS, code)
    ? String(PROBLEMS[code as ProblemCode].status)
    : (ELSEWHERE[code] ?? '400')
