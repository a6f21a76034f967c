/** Why a tool did not do what it was asked for, in a word for programs. */
export type ToolFaultCode =
  | 'NOT_FOUND'
  | 'INVALID_INPUT'
  | 'CONFLICT'
  | 'ACCESS_EXPIRED'
  | 'FORBIDDEN_ROLE'
  | 'RATE_LIMITED'
  | 'UPSTREAM'

const fault: unique symbol = Symbol('tool fault')

/** An expected "no" of a tool. Returned, never thrown. */
export interface ToolFault {
  readonly [fault]: true
  readonly code: ToolFaultCode
  /** What is wrong in this case. */
  readonly message: string
  /** What the caller can do about it. */
  readonly recovery: string
}

const RECOVERY: Readonly<Record<ToolFaultCode, string>> = {
  NOT_FOUND: 'List first, and use an id or slug from the list.',
  INVALID_INPUT: 'Mend the arguments as the message says, and call again.',
  CONFLICT: 'Read the object again, and decide anew.',
  ACCESS_EXPIRED: 'Tell the person; only the school can open it again.',
  FORBIDDEN_ROLE: "Do not try again: the person's role at the school does not allow it.",
  RATE_LIMITED: 'Wait a little, and call again.',
  UPSTREAM: 'Try again shortly; if it stays, give the request_id to the school.',
}

/**
 * Makes a {@link ToolFault} for a tool to return.
 *
 * @param recovery - default: the usual way out for the code
 */
export function faultWith(
  code: ToolFaultCode,
  message: string,
  recovery: string = RECOVERY[code],
): ToolFault {
  return { [fault]: true, code, message, recovery }
}

/** Whether a tool answered with a fault. */
export function isToolFault(value: unknown): value is ToolFault {
  return typeof value === 'object' && value !== null && fault in value
}
