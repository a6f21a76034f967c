/**
 * A request as the endpoints read it. Adapters build it straight from their server's own objects, so
 * that no `Request` has to be made for a request that nobody looks at as one.
 */
export interface Incoming {
  /** Upper case. */
  readonly method: string
  /**
   * Path and query exactly as received, beginning with `/`. Never an origin: endpoints know theirs
   * from configuration, not from the request.
   */
  readonly target: string
  /**
   * A header's value, or `null`. Several values of one name are joined by `, `.
   *
   * @param name - lower case
   */
  header(name: string): string | null
  /**
   * The body's bytes, read once; `null` where there are more than `limitBytes`, in which case
   * reading stopped there. Rejects where somebody else has read them already and kept nothing.
   */
  body(limitBytes: number): Promise<Uint8Array | null>
  /** Aborts when the client goes away before it is answered. */
  readonly signal: AbortSignal
  /**
   * The same request as a Fetch API `Request` on the configured origin, for the host's own functions.
   * One of the two has the body: whoever asks first.
   */
  request(): Request
}

/**
 * Headers, each value after its lower-case name, as `writeHead` of `node:http` takes them. A name may
 * come again where HTTP allows it, as `set-cookie` may.
 */
export type HeaderList = readonly string[]

/** An answer as the endpoints give it: one status, plain headers, one body string. */
export interface Outgoing {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string | null
}

/**
 * One endpoint: a function from `Request` to `Response`, ready for any router that speaks the Fetch
 * API. It never rejects: a fault of its own is a 500, a failing store a 503.
 */
export interface Endpoint {
  (request: Request): Promise<Response>
  /** The same without Fetch API objects, for adapters such as `toNodeHandler` of hallpass/node. */
  readonly handle: (incoming: Incoming) => Promise<Outgoing | Response>
}

/** Reads a Fetch API request as {@link Incoming}. */
function incomingFrom(request: Request): Incoming {
  const url = new URL(request.url)
  return {
    method: request.method,
    target: url.pathname + url.search,
    header: (name) => request.headers.get(name),
    body: (limitBytes) => readBody(request, limitBytes),
    signal: request.signal,
    request: () => request,
  }
}

/**
 * Turns an {@link Outgoing} into a Fetch API response.
 *
 * @param stream - in the place of its body
 */
export function responseFrom(
  outgoing: Outgoing | Response,
  stream?: ReadableStream | null,
): Response {
  if (outgoing instanceof Response) return outgoing
  const { status, headers: list, body } = outgoing
  const headers = new Headers()
  for (let index = 0; index < list.length; index += 2)
    headers.append(list[index]!, list[index + 1]!)
  return new Response(stream ?? body, { status, headers })
}

/** Makes an {@link Endpoint} of its plain form. */
export function endpointFrom(handle: Endpoint['handle']): Endpoint {
  return Object.assign(
    async (request: Request) => responseFrom(await handle(incomingFrom(request))),
    { handle },
  )
}

async function readBody(request: Request, limitBytes: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array(0)
  if (request.bodyUsed || request.body.locked)
    throw new Error(
      'the body of this Request has already been read: pass the Request on unread, and read a clone()',
    )
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > limitBytes) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
  if (chunks.length === 1) return chunks[0]!
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
