/** What a problem is about, with its HTTP status. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not as it must be' },
  invalid_token: { status: 401, title: 'The access token does not count' },
  insufficient_scope: { status: 403, title: 'The access token lacks a scope' },
  forbidden_role: { status: 403, title: 'The role does not allow it' },
  not_found: { status: 404, title: 'There is no such thing here' },
  method_not_allowed: { status: 405, title: 'The method does not apply' },
  conflict: { status: 409, title: 'The present state does not allow it' },
  idempotency_key_running: {
    status: 409,
    title: 'The first request with this key is still running',
  },
  precondition_failed: { status: 412, title: 'It has changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has another media type' },
  unprocessable: { status: 422, title: 'The request is well-formed and makes no sense here' },
  idempotency_key_reused: { status: 422, title: 'The key was used for another request' },
  precondition_required: { status: 428, title: 'If-Match is required' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong here' },
  unavailable: { status: 503, title: 'Try again shortly' },
} as const

/** The kind of a problem; in URLs with hyphens: `/problems/not-found`. */
export type ProblemCode = keyof typeof PROBLEMS

/** One field at fault. */
export interface FieldFault {
  /** JSON pointer (RFC 6901) into the input, path and query parameters included. */
  readonly pointer: string
  /** In snake_case. */
  readonly code: string
  /** One sentence for the caller's developer. */
  readonly message: string
}

/** As many faults as an answer names. */
export const MAX_ERRORS = 20

const problem: unique symbol = Symbol('problem')

/** An expected "no" of an operation. Returned, never thrown. */
export interface Problem {
  readonly [problem]: true
  readonly code: ProblemCode
  /** What is wrong in this case and what to do. */
  readonly detail: string | null
  readonly errors: readonly FieldFault[]
}

/** Makes a {@link Problem} for an operation to return. */
export function refuseWith(
  code: ProblemCode,
  detail: string | null = null,
  errors: readonly FieldFault[] = [],
): Problem {
  return { [problem]: true, code, detail, errors }
}

/** Whether an operation answered with a problem. */
export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && problem in value
}

/**
 * A problem as the JSON of `application/problem+json`.
 *
 * @see RFC 9457 §3
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
