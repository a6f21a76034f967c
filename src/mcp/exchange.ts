import type { McpExchange } from './adapter.js'

const ACCEPT = 'application/json, text/event-stream'

/**
 * The request as one that accepts whatever MCP answers with. The SDKs refuse clients that accept one
 * of the two alone, and every answer here is one JSON object anyway.
 */
export function acceptingAll(request: Request): Request {
  const accept = request.headers.get('accept') ?? ''
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return request
  const headers = new Headers(request.headers)
  headers.set('accept', ACCEPT)
  const { url, method, signal } = request
  return new Request(url, { method, headers, signal })
}

/** An answer, or one that nobody reads as soon as the client has gone. */
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
 * Answers one exchange with a server and a transport that serve nothing else: both end with the answer, or
 * when the client goes, which also tells a call that is still running.
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
