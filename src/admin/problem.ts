/**
 * The HTTP status and the title of each problem, and the advice to clients, which an error of OAuth has
 * already. A title never changes with the request.
 *
 * @see [RFC 9457, section 3.1](https://www.rfc-editor.org/rfc/rfc9457#section-3.1)
 * @example
 * ```ts
 * import { PROBLEMS } from 'hallpass/admin'
 *
 * PROBLEMS.not_found.title // => 'Not found'
 * ```
 * @group Problems
 */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid access token',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
  },
  forbidden_role: {
    status: 403,
    title: 'Insufficient role',
    advice: 'More scopes do not help: a person with another role is required.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'The object does not exist, or belongs to another school. Look up its id in a list.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use one of the methods in the `Allow` header.',
  },
  conflict: {
    status: 409,
    title: 'Conflict with the current state',
    advice: 'Fetch the object again and check its state, then decide.',
  },
  idempotency_key_running: {
    status: 409,
    title: 'Idempotency key in use',
    advice: 'Wait as long as `Retry-After` says, then send the same request again.',
  },
  idempotency_key_lost: {
    status: 409,
    title: 'Outcome of the first request unknown',
    advice:
      'Read whether the request took effect. If it did not, send it again with a new `Idempotency-Key`.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    advice:
      'The object has changed since you read it. Fetch it again, then send the new `ETag` in `If-Match`.',
  },
  payload_too_large: { status: 413, title: 'Payload too large', advice: 'Send a smaller body.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Send `Content-Type: application/json`.',
  },
  unprocessable: {
    status: 422,
    title: 'Unprocessable content',
    advice: 'Correct what the description names. The unchanged request fails again.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    advice: 'Send a new `Idempotency-Key` with each new request.',
  },
  precondition_required: {
    status: 428,
    title: 'Precondition required',
    advice: 'Send `If-Match` with the `ETag` that you read.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait as long as `Retry-After` says, then send the request again.',
  },
  internal: {
    status: 500,
    title: 'Internal server error',
    advice: 'Send the request again. If it fails again, report the `request_id` to the school.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    advice: 'Wait as long as `Retry-After` says, then send the request again.',
  },
} as const

/**
 * The code of a problem. Its `type` is a URL with hyphens, such as `/problems/not-found`.
 */
export type ProblemCode = keyof typeof PROBLEMS

/**
 * An invalid member of the input.
 *
 * @group Problems
 */
export interface FieldFault {
  /** JSON pointer (RFC 6901) to the member of the input, such as `/title`. Parameters are members too. */
  readonly pointer: string
  /** Kind of the fault, in snake_case, such as `unknown_member`. */
  readonly code: string
  /** A sentence for the developer of the client. */
  readonly message: string
}

/** Largest number of faults in a response. */
export const MAX_ERRORS = 20

const problem: unique symbol = Symbol('problem')

/**
 * An expected failure of an operation. Operations return it and never throw it. Created by {@link
 * refuseWith}.
 *
 * @group Problems
 */
export interface Problem {
  readonly [problem]: true
  /** The name of the problem. Its `type` is a URL with hyphens, such as `/problems/not-found`. */
  readonly code: keyof typeof PROBLEMS
  /** A sentence about this request: what is wrong, and what to send instead. `null` if there is none. */
  readonly detail: string | null
  /** The invalid members. A response lists at most 20. */
  readonly errors: readonly FieldFault[]
}

/**
 * Creates the {@link Problem} that an operation returns when it refuses a request.
 *
 * @param detail - a sentence about this request: what is wrong, and what to send instead
 * @param errors - the invalid members of the input, if any
 * @example
 * ```ts
 * import { isProblem, refuseWith } from 'hallpass/admin'
 *
 * const problem = refuseWith('conflict', 'the course is archived: restore it before you publish it')
 * problem.code // => 'conflict'
 * problem.errors // => []
 * isProblem(problem) // => true
 * ```
 * @group Problems
 */
export function refuseWith(
  code: keyof typeof PROBLEMS,
  detail: string | null = null,
  errors: readonly FieldFault[] = [],
): Problem {
  return { [problem]: true, code, detail, errors }
}

/**
 * Whether the result of an operation is a problem.
 *
 * @example
 * ```ts
 * import { isProblem, refuseWith } from 'hallpass/admin'
 *
 * isProblem(refuseWith('not_found')) // => true
 * isProblem({ code: 'not_found', detail: null, errors: [] }) // => false
 * ```
 * @group Problems
 */
export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && problem in value
}

/**
 * Returns the members of a problem in `application/problem+json`.
 *
 * @see [RFC 9457, section 3](https://www.rfc-editor.org/rfc/rfc9457#section-3)
 */
export function problemBody(
  { code, detail, errors }: Problem,
  requestId: string,
): Readonly<Record<string, unknown>> {
  const { status, title } = PROBLEMS[code]
  return {
    type: `/problems/${code.replaceAll('_', '-')}`,
    title,
    status,
    ...(detail !== null && { detail }),
    code,
    ...(errors.length > 0 && { errors: errors.slice(0, MAX_ERRORS) }),
    request_id: requestId,
  }
}
