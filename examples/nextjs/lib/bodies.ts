/**
 * Watches how far the body of a request is read. Next.js keeps the connection after a response, and a body of which the
 * rest is never read blocks the next request on it.
 *
 * @returns the request to pass on, and whether reading of its body stopped before the end
 */
export function watchBody(request: Request): {
  readonly request: Request
  readonly isAbandoned: () => boolean
} {
  let isAbandoned = false
  if (request.body === null) return { request, isAbandoned: () => isAbandoned }
  const reader = request.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        isAbandoned = true
        await reader.cancel(reason)
      },
    },
    // Nothing is read ahead: Next.js fails if a body that was begun is still open after the response.
    { highWaterMark: 0 },
  )
  const init = { body, duplex: 'half' } as RequestInit
  return { request: new Request(request, init), isAbandoned: () => isAbandoned }
}
