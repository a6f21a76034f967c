import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import { callback, checkOptions, optional, quoted, type Rules, simple } from '../options/check.js'
import type { Platform } from '../platform/platform.js'
import { ANY_ORIGIN, createHostCheck } from './host.js'
import { NodeIncoming } from './incoming.js'
import { writeFault, writeOutgoing, writeResponse } from './outgoing.js'

/**
 * Turns an endpoint, or any function from `Request` to `Response`, into a listener for `node:http`, which
 * is also a handler for Express. It may be mounted under a path, and behind `express.json()` or
 * `express.urlencoded()`.
 *
 * If the endpoint throws, the response is a 500 without a message; the exception goes to `onError`. A request with
 * two `Host` lines gets 400 (RFC 9112, section 3.2), and its connection closes. At an origin on loopback,
 * such as `http://127.0.0.1:3000`, a `Host` that is neither a name in `localhost` nor an IP address gets 421. A page of
 * another site would otherwise read the answer through a name of its own.
 *
 * @returns a listener that never throws: it writes the response, or a 500
 * @throws OptionsError that lists every mistake in the options, such as an `origin` with a path
 * @group HTTP server
 * @example
 * ```ts
 * import { toNodeHandler } from 'hallpass/node'
 * import { createServer } from 'node:http'
 * import type { AddressInfo } from 'node:net'
 *
 * const hello = (request: Request) => new Response(new URL(request.url).href)
 * const server = createServer(toNodeHandler(hello, { origin: 'https://school.example' })).listen(0)
 * const { port } = server.address() as AddressInfo
 * const response = await fetch(`http://localhost:${port}/courses`)
 * await response.text() // => 'https://school.example/courses'
 * server.close()
 *
 * toNodeHandler(hello, { origin: 'https://school.example/' }) // throws OptionsError
 * ```
 */
export function toNodeHandler(
  platform: Platform,
  options?: {
    /** Called as that of one site is. Default: exceptions are not reported. */
    readonly onError?: (error: unknown) => void
  },
): (req: IncomingMessage, res: ServerResponse) => void
export function toNodeHandler(
  endpoint: Endpoint | ((request: Request) => Response | Promise<Response>),
  options: {
    /**
     * The origin of the site, such as `https://school.example`. Every `Request` has this origin, whatever the `Host`
     * header and the origin of an absolute request line are, because the client chooses them.
     */
    readonly origin: string
    /**
     * Called with every exception of the endpoint, including that of a request or response body that ends
     * early. Default: exceptions are not reported.
     */
    readonly onError?: (error: unknown) => void
  },
): (req: IncomingMessage, res: ServerResponse) => void
export function toNodeHandler(
  endpoint: Endpoint | ((request: Request) => Response | Promise<Response>),
  options: Reporting & { readonly origin?: string } = {},
): (req: IncomingMessage, res: ServerResponse) => void {
  // The school of a request names its origin.
  const { origin, onError } =
    'serverOf' in endpoint
      ? { ...checkOptions<Reporting>('toNodeHandler', options, REPORTING), origin: ANY_ORIGIN }
      : checkOptions('toNodeHandler', options as Reporting & { origin: string }, RULES)
  const handle = 'handle' in endpoint ? endpoint.handle : fetchStyle(endpoint)

  const refusalOf = createHostCheck(origin)

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const incoming = new NodeIncoming(req, res, origin)
    const refused = refusalOf(req, incoming)
    if (refused !== null) {
      incoming.abandoned = true
      writeOutgoing(incoming, res, refused)
      return
    }
    try {
      const answer = await handle(incoming)
      // Not `instanceof Response`: some frameworks replace the global class.
      if ('get' in answer.headers) await writeResponse(incoming, res, answer as Response)
      else writeOutgoing(incoming, res, answer as Outgoing)
    } catch (error) {
      writeFault(incoming, res)
      onError?.(error)
    }
  }
  return (req, res) => void serve(req, res)
}

type Reporting = { readonly onError?: (error: unknown) => void }

const REPORTING: Rules<Reporting> = {
  onError: optional(callback('(error) => console.error(error)')),
}

const RULES: Rules<Reporting & { readonly origin: string }> = {
  ...REPORTING,
  origin: simple(
    'an origin such as https://school.example, without a path',
    (value) =>
      typeof value === 'string' &&
      /^https?:/.test(value) &&
      URL.canParse(value) &&
      new URL(value).origin === value,
    quoted,
  ),
}

const NOT_IMPLEMENTED: Outgoing = { status: 501, headers: [], body: null }

function fetchStyle(
  respond: (request: Request) => Response | Promise<Response>,
): (incoming: NodeIncoming) => Outgoing | Response | Promise<Response> {
  // The Fetch API cannot express a TRACE request, so the response is 501 and not a fault.
  return (incoming) => (incoming.method === 'TRACE' ? NOT_IMPLEMENTED : respond(incoming.request()))
}
