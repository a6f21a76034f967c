import type { Outgoing } from '../http/exchange.js'
import { OptionsError } from '../options/check.js'
import type { McpExchange } from './adapter.js'
import { rpcFault, SERVER_ERROR } from './answers.js'

const ACCEPT = 'application/json, text/event-stream'

/**
 * Returns the request with an `Accept` header that names both media types of MCP. The SDKs refuse clients
 * that accept only one of the two, but every response here is one JSON object.
 */
export function acceptingAll(request: Request): Request {
  const accept = request.headers.get('accept') ?? ''
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return request
  const headers = new Headers(request.headers)
  headers.set('accept', ACCEPT)
  const { url, method, signal } = request
  return new Request(url, { method, headers, signal })
}

/** Resolves to the response of the SDK, or to an empty response as soon as the client disconnects. */
function whileThere({ signal }: Request, answering: Promise<Response>): Promise<Response> {
  const gone = (): Response => new Response(null, { status: 499 })
  if (signal.aborted) return Promise.resolve(gone())
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(gone())
    signal.addEventListener('abort', leave, { once: true })
    answering.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/**
 * Responds to one exchange with a server and a transport of its own. Both are closed after the response, or
 * when the client disconnects. Closing them aborts the signal of a call that is still running.
 *
 * @param options - `versions`: the protocol versions that the transport speaks
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25), transports, protocol version header
 */
export async function serveOnce<
  Transport extends {
    handleRequest(request: Request, options: { parsedBody: unknown }): Promise<Response>
  },
>(
  { request, body, message, header }: McpExchange,
  server: { connect(transport: NoInfer<Transport>): Promise<void>; close(): Promise<void> },
  { transport, versions }: { transport: Transport; versions: readonly string[] },
): Promise<Response | Outgoing> {
  const version = header('mcp-protocol-version')
  // The transports compare the version of every message but this one.
  if (message.method === 'initialize' && version !== null && !versions.includes(version)) {
    const known = versions.join(', ')
    const text = `unsupported protocol version: ${version} (supported versions: ${known})`
    return rpcFault(400, { code: SERVER_ERROR, message: text }, message.id)
  }
  await server.connect(transport)
  try {
    return await whileThere(
      request,
      transport.handleRequest(acceptingAll(request), { parsedBody: body }),
    )
  } finally {
    await server.close()
  }
}

/** @throws OptionsError that names the parts that an adapter uses and the SDK does not have: it is another one */
export function checkSdk(
  adapter: string,
  { sdk, parts, from }: { sdk: object; parts: readonly string[]; from: string },
): void {
  const missing = parts.filter((part) => !(part in Object(sdk)))
  if (missing.length > 0)
    throw new OptionsError(adapter, [`the SDK lacks ${missing.join(', ')}: pass those of ${from}`])
}
