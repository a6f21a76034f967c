import type { IncomingMessage } from 'node:http'
import type { Incoming, Outgoing } from '../http/exchange.js'

/**
 * The response to a request with two `Host` lines, of which a proxy may have read the other one. The connection
 * closes after it.
 *
 * @see [RFC 9112, section 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)
 */
export const TWO_HOSTS: Outgoing = refusal(400, 'send Host once')

/**
 * The response to a page of another site that lets a name of its own resolve to a loopback address (DNS rebinding). The
 * browser takes both for one origin, so the page could read what the site on this computer responds.
 *
 * @see [RFC 9110, section 15.5.20](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20)
 */
export const FOREIGN_HOST: Outgoing = refusal(
  421,
  'the Host is not a name of this computer: open the origin of the site, such as http://127.0.0.1:3000, and let a proxy pass on the Host that it received',
)

const LOOPBACK_ORIGIN = /^https?:\/\/(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/
/** No one else can let one of these resolve to this computer. Health checks name its address in a network. */
const LOCAL_HOST = /^(?:(?:[\w-]+\.)*localhost|\d+(?:\.\d+){3}|\[[\da-f:.]+\])(?::\d*)?$/i

/**
 * Creates the check of `Host`: it returns why a request is refused, or `null` if it is not. It does not read `headers` of
 * the request, which Node.js makes of all of them when it is read first.
 */
export function createHostCheck(
  origin: string,
): (request: IncomingMessage, incoming: Pick<Incoming, 'header'>) => Outgoing | null {
  const isLocal = LOOPBACK_ORIGIN.test(origin)
  return (request, incoming) => {
    if (hasTwoHosts(request)) return TWO_HOSTS
    if (origin === ANY_ORIGIN) return namesOtherHost(request, incoming) ? TWO_HOSTS : null
    const host = isLocal ? incoming.header('host') : null
    return !host || LOCAL_HOST.test(host) ? null : FOREIGN_HOST
  }
}

/** In place of an origin, for a platform, which finds the site of each request by its host. */
export const ANY_ORIGIN = ''

/**
 * Whether a request names another host than `Host` does, which a proxy may have read: in its request line (RFC 9112, section
 * 3.2.2), or in `:authority` of HTTP/2. A request of HTTP/2 needs no `Host` (RFC 9113, section 8.3.1).
 */
function namesOtherHost(
  { url = '/', httpVersionMajor }: IncomingMessage,
  incoming: Pick<Incoming, 'header'>,
): boolean {
  if (httpVersionMajor < 2 && url.startsWith('/')) return false
  const host = incoming.header('host')?.toLowerCase()
  const authority = incoming.header(':authority')
  if (authority !== null) return host !== undefined && host !== authority.toLowerCase()
  const [, named] = /^[^:/?#]*:\/\/([^/?#]*)/.exec(url) ?? []
  return named !== undefined && named.toLowerCase() !== host
}

function refusal(status: number, description: string): Outgoing {
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
  const body = JSON.stringify({ error: 'invalid_request', error_description: description })
  return { status, headers, body }
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
