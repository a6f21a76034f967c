import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import { NodeIncoming } from './incoming.js'
import { writeFault, writeOutgoing, writeResponse } from './outgoing.js'

/** Options of {@link toNodeHandler}. */
export interface NodeHandlerOptions {
  /**
   * The origin that requests are for, such as `https://school.example`. Every `Request` is built on
   * it; what a client writes into `Host` or an absolute request line never counts.
   */
  readonly origin: string
  /** Hears of every exception that was answered with a 500, and of bodies that broke off. */
  readonly onError?: (error: unknown) => void
}

/**
 * Serves an endpoint, or any function from `Request` to `Response`, on `node:http` and hence in
 * Express, also when mounted under a path and behind `express.json()` or `express.urlencoded()`.
 *
 * An exception is answered with a bare 500; its message and stack stay on the server.
 *
 * @throws TypeError when `origin` is not an http(s) origin, or an option is unknown
 */
export function toNodeHandler(
  endpoint: Endpoint | ((request: Request) => Response | Promise<Response>),
  options: NodeHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => void {
  const { origin, onError } = parseOptions(options)
  const handle = 'handle' in endpoint ? endpoint.handle : fetchStyle(endpoint)

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const incoming = new NodeIncoming(req, res, origin)
    try {
      const answer = await handle(incoming)
      if (answer instanceof Response) await writeResponse(incoming, res, answer)
      else writeOutgoing(incoming, res, answer)
    } catch (error) {
      writeFault(incoming, res)
      onError?.(error)
    }
  }
  return (req, res) => void serve(req, res)
}

function parseOptions({ origin, onError, ...unknown }: NodeHandlerOptions): NodeHandlerOptions {
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw new TypeError(`toNodeHandler has no option ${name}`)
  if (!/^https?:/.test(origin) || new URL(origin).origin !== origin)
    throw new TypeError('origin must be an origin such as https://school.example, without a path')
  return onError === undefined ? { origin } : { origin, onError }
}

const NOT_IMPLEMENTED: Outgoing = { status: 501, headers: [], body: null }

function fetchStyle(
  respond: (request: Request) => Response | Promise<Response>,
): (incoming: NodeIncoming) => Outgoing | Response | Promise<Response> {
  // The Fetch API cannot express a TRACE request; that is no fault of the server's.
  return (incoming) => (incoming.method === 'TRACE' ? NOT_IMPLEMENTED : respond(incoming.request()))
}
