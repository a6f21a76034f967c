const marker: unique symbol = Symbol('tool error')

/**
 * A tool error: an expected failure that a tool returns instead of its output. It is never thrown. Created by
 * {@link toolError}.
 *
 * @group Results and tool errors
 */
export interface ToolError {
  readonly [marker]: true
  /** For programs. The codes are stable. */
  readonly code:
    | 'NOT_FOUND'
    | 'INVALID_INPUT'
    | 'CONFLICT'
    | 'ACCESS_EXPIRED'
    | 'FORBIDDEN_ROLE'
    | 'RATE_LIMITED'
    | 'UPSTREAM'
  /** One clause that says what is wrong with this call. */
  readonly message: string
  /** One or two sentences that tell the agent what to do next. */
  readonly recovery: string
}

export type ToolErrorCode = ToolError['code']

const RECOVERY: Readonly<Record<ToolErrorCode, string>> = {
  NOT_FOUND: 'Call the tool that lists these objects, then use an id or slug from its result.',
  INVALID_INPUT: 'Correct the arguments as described in message, then call the tool again.',
  CONFLICT: 'Read the object again, then decide whether to repeat the call.',
  ACCESS_EXPIRED: 'Tell the person that only the school can restore their access.',
  FORBIDDEN_ROLE: "Do not repeat this call: the person's role at the school does not allow it.",
  RATE_LIMITED: 'Wait a few seconds, then call the tool again.',
  UPSTREAM: 'Call the tool again shortly. If it keeps failing, give the request_id to the school.',
}

/**
 * Creates a tool error, for a tool to return from `run`.
 *
 * @param code - the kind of the failure
 * @param message - what is wrong with this call; agents and people read it, so it must not hold secrets
 * @param recovery - what the agent can do; default: the usual advice for the code
 * @returns the tool error, which the client receives as a result with `isError`
 * @example
 * ```ts
 * import { toolError } from 'hallpass/mcp'
 *
 * const error = toolError('NOT_FOUND', 'there is no course with this slug', 'Call list_courses first.')
 * error.code // => 'NOT_FOUND'
 * toolError('RATE_LIMITED', 'too many calls').recovery // => 'Wait a few seconds, then call the tool again.'
 * ```
 * @group Results and tool errors
 */
export function toolError(
  code: ToolError['code'],
  message: string,
  recovery: string = RECOVERY[code],
): ToolError {
  return { [marker]: true, code, message, recovery }
}

/**
 * Whether a tool returned a tool error instead of its output.
 *
 * @param value - the value that `run` resolved to
 * @returns `true` only for a result of {@link toolError}, not for an object of the same shape
 * @example
 * ```ts
 * import { toolError, isToolError } from 'hallpass/mcp'
 *
 * isToolError(toolError('CONFLICT', 'the course is already published')) // => true
 * isToolError({ code: 'CONFLICT', message: 'from elsewhere', recovery: '' }) // => false
 * ```
 * @group Results and tool errors
 */
export function isToolError(value: unknown): value is ToolError {
  return typeof value === 'object' && value !== null && marker in value
}
