import type { Outgoing } from '../http/exchange.js'
import { errorBody, json } from '../http/respond.js'

/** The response to a request whose `Host` no issuer can have. */
export const NO_HOST: Outgoing = json(
  400,
  errorBody('invalid_request', 'send one Host, as the address of a school has it'),
)

/**
 * The response to a request for a host that no school has, which another server may have.
 *
 * @see [RFC 9110, section 15.5.20](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20)
 */
export const UNKNOWN_HOST: Outgoing = json(
  421,
  errorBody('invalid_request', 'no school has this host'),
)

/** The response where a school cannot be asked now. */
const unavailable = (description: string, retryAfterSeconds: number): Outgoing =>
  json(503, errorBody('temporarily_unavailable', description), [
    'retry-after',
    String(retryAfterSeconds),
  ])

export const NOT_OPEN: Outgoing = unavailable('this school cannot be opened now', 2)
export const CROWDED: Outgoing = unavailable('this school has too many requests under way', 2)
export const PAUSED: Outgoing = unavailable('this school is paused for a few minutes', 10)

/** The response where a function of the host application failed. */
export const FAULT: Outgoing = json(500, errorBody('server_error', 'an unexpected error occurred'))
