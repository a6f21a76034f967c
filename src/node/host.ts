import type { IncomingMessage } from 'node:http'
import type { Outgoing } from '../http/exchange.js'

/**
 * The response to a request with two `Host` lines, of which a proxy may have read the other one. The connection
 * closes after it.
 *
 * @see [RFC 9112, section 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)
 */
export const TWO_HOSTS: Outgoing = {
  status: 400,
  headers: ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
  body: JSON.stringify({ error: 'invalid_request', error_description: 'send Host once' }),
}

/** Whether a request has more than one `Host` line. Node.js keeps only the first in `headers`. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}
