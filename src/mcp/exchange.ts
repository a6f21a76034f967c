import type { McpExchange } from './adapter.js'

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
 */
export async function serveOnce<
  Transport extends {
    handleRequest(request: Request, options: { parsedBody: unknown }): Promise<Response>
  },
>(
  { request, body }: McpExchange,
  server: { connect(transport: NoInfer<Transport>): Promise<void>; close(): Promise<void> },
  transport: Transport,
): Promise<Response> {
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
