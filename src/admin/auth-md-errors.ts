import { OAUTH_ERRORS, type OAuthErrorCode } from '../policy/refusals.js'
import { type ProblemCode, PROBLEMS } from './problem.js'

type OwnCode = Exclude<ProblemCode, OAuthErrorCode>

/** Advice for clients about each problem of the admin API that is not an OAuth error. */
const ADVICE: Readonly<Record<OwnCode, string>> = {
  conflict: 'Fetch the object again and check its state, then decide.',
  forbidden_role: 'More scopes do not help: a person with another role is required.',
  idempotency_key_reused: 'Send a new `Idempotency-Key` with each new request.',
  idempotency_key_running: 'Wait as long as `Retry-After` says, then send the same request again.',
  idempotency_key_lost:
    'Read whether the request took effect. If it did not, send it again with a new `Idempotency-Key`.',
  internal: 'Send the request again. If it fails again, report the `request_id` to the school.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  not_found: 'The object does not exist, or belongs to another school. Look up its id in a list.',
  payload_too_large: 'Send a smaller body.',
  precondition_failed:
    'The object has changed since you read it. Fetch it again, then send the new `ETag` in `If-Match`.',
  precondition_required: 'Send `If-Match` with the `ETag` that you read.',
  rate_limited: 'Wait as long as `Retry-After` says, then send the request again.',
  unavailable: 'Wait as long as `Retry-After` says, then send the request again.',
  unprocessable: 'Correct what the description names. The unchanged request fails again.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
}

/**
 * Returns the table of error codes. Each row has an anchor, such as `#error-invalid_grant`.
 *
 * @param hasProblems - whether those of the admin API are among them
 */
export function errorTable(hasProblems: boolean): readonly string[] {
  const problems = Object.entries(hasProblems ? ADVICE : {}).map(
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
