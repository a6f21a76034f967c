import { OAUTH_ERRORS, type OAuthErrorCode } from '../policy/refusals.js'
import { type ProblemCode, PROBLEMS } from './problem.js'

type OwnCode = Exclude<ProblemCode, OAuthErrorCode>

/** What a client does about each problem that is no OAuth error. */
const ADVICE: Readonly<Record<OwnCode, string>> = {
  conflict: 'Read the object, look at its state, and decide anew.',
  forbidden_role: 'Nothing to ask for: another person, or another role, is needed.',
  idempotency_key_reused: 'Use a new `Idempotency-Key` for another request.',
  idempotency_key_running: 'Wait as long as `Retry-After` says and send the same request again.',
  internal: 'Try once more; then tell the school the `request_id`.',
  method_not_allowed: 'Use one of the methods of the `Allow` header.',
  not_found: 'It does not exist here, or belongs to another school. Look it up in a list.',
  payload_too_large: 'Send less at once.',
  precondition_failed: 'Somebody was faster. Read it again, then decide.',
  precondition_required: 'Send `If-Match` with the `ETag` of what you read.',
  rate_limited: 'Wait as long as `Retry-After` says.',
  unavailable: 'Wait as long as `Retry-After` says.',
  unprocessable: 'Mend what the description names. Sent unchanged it fails again.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
}

/** A table of every error, each with an anchor of its own: `#error-invalid_grant`. */
export function errorTable(): readonly string[] {
  const problems = Object.entries(ADVICE).map(
    ([code, advice]) => [code, { status: PROBLEMS[code as OwnCode].status, advice }] as const,
  )
  const errors = [...Object.entries(OAUTH_ERRORS), ...problems].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  return [
    '| code | status | what to do |',
    '| --- | --- | --- |',
    ...errors.map(
      ([code, { status, advice }]) =>
        `| <a id="error-${code}"></a>\`${code}\` | ${status} | ${advice} |`,
    ),
  ]
}
