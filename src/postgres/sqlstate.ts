import { errorsIn } from '../store/wrapped-errors.js'

const TIMEOUT = /time(?:d |-)?out/i
const SQLSTATE = /^(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}$/

/**
 * Returns the SQLSTATE of an error: its own, or that of the driver's error which it wraps.
 *
 * @returns `null` if there is none, as for a connection that was lost
 */
export function sqlStateOf(fault: unknown): string | null {
  for (const { code, originalCode } of errorsIn(fault))
    for (const one of [code, originalCode])
      if (typeof one === 'string' && SQLSTATE.test(one)) return one
  return null
}

/** Whether an error, or one that it wraps, says that a time limit was exceeded. */
export function saysTimeout(fault: unknown): boolean {
  // The message of an error that has the statement as `query` quotes it, with any text as a parameter.
  return errorsIn(fault).some(
    ({ message, query }) =>
      typeof query !== 'string' && typeof message === 'string' && TIMEOUT.test(message),
  )
}
