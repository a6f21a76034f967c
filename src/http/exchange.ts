import { readStream } from '../encoding/read-stream.js'

/**
 * A request as the endpoints read it. An adapter builds it from the objects of its server, so that a
 * `Request` is created only for the functions of the host application that need one.
 *
 * @group HTTP
 */
export interface Incoming {
  /** The method, in upper case. */
  readonly method: string
  /**
   * Path and query exactly as received, beginning with `/`, without an origin. The origin of an endpoint
   * is configured, and never taken from a request.
   */
  readonly target: string
  /**
   * Returns the value of a header, or `null` if the request has none. Several values of one name are joined
   * by `, `.
   *
   * @param name - in lower case
   */
  header(name: string): string | null
  /**
   * Reads the bytes of the body; may be called once. It resolves to `null`, and stops reading, if there are
   * more than `limitBytes`. It rejects if the body has already been read and was not kept.
   */
  body(limitBytes: number): Promise<Uint8Array | null>
  /** Aborted if the client disconnects before the end of the response. */
  readonly signal: AbortSignal
  /** Whether the client has disconnected. Default: whether `signal` is aborted, which has to be created for it. */
  readonly isGone?: boolean
  /**
   * Returns the same request as a Fetch API `Request` on the configured origin, for functions of the host
   * application. The body belongs to whichever of `body` and `request` is called first.
   *
   * @param body - the bytes that `body` read, for a function that reads them again
   */
  request(body?: Uint8Array): Request
  /**
   * Returns the same request at another configured origin, for one of several sites behind an adapter. Call it before
   * `request`. Default: the adapter serves one origin only.
   */
  at?(origin: string): Incoming
}

/** Whether the client has disconnected, so that no one receives a response. */
export const isGone = (incoming: Incoming): boolean => incoming.isGone ?? incoming.signal.aborted

/** Returns the path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/**
 * Headers as a flat list of lower-case names and values, in the form that `writeHead` of `node:http`
 * accepts. A name may be repeated if HTTP allows it, such as `set-cookie`.
 */
export type HeaderList = readonly string[]

/**
 * A response as the endpoints build it: a status, a list of headers, and the body as a whole, as text or in UTF-8.
 *
 * @group HTTP
 */
export interface Outgoing {
  readonly status: number
  /**
   * Lower-case names and values in turn, in the form that `writeHead` of `node:http` accepts. A name may be repeated if
   * HTTP allows it, such as `set-cookie`.
   */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | null
}

/**
 * An endpoint: a function from `Request` to `Response`, for any router with the Fetch API. It never
 * rejects: an unexpected error leads to a 500 response, and an unavailable store to 503.
 *
 * @group HTTP
 */
export interface Endpoint {
  (request: Request): Promise<Response>
  /** The same endpoint without Fetch API objects, for adapters such as `toNodeHandler` from hallpass/node. */
  readonly handle: (incoming: Incoming) => Promise<Outgoing | Response>
}

/**
 * Whether a response is in the plain form. Asked by its headers and not by `instanceof Response`: some
 * frameworks replace the global class, and a response of `fetch` then is an instance of another one.
 */
export const isOutgoing = (response: Outgoing | Response): response is Outgoing =>
  Array.isArray(response.headers)

/** Wraps a Fetch API request as an {@link Incoming}. */
export function incomingFrom(request: Request): Incoming {
  const url = new URL(request.url)
  const target = url.pathname + url.search
  return {
    method: request.method,
    target,
    header: (name) => request.headers.get(name),
    body: (limitBytes) => readBody(request, limitBytes),
    signal: request.signal,
    request: (body) =>
      body === undefined
        ? request
        : new Request(request, { method: request.method, body: body as BodyInit }),
    at: (origin) =>
      incomingFrom(url.origin === origin ? request : new Request(origin + target, request)),
  }
}

/**
 * Turns an {@link Outgoing} into a Fetch API response.
 *
 * @param stream - replaces its body
 */
export function responseFrom(
  outgoing: Outgoing | Response,
  stream?: ReadableStream | null,
): Response {
  if (!isOutgoing(outgoing)) return outgoing
  const { status, headers: list, body } = outgoing
  const headers = new Headers()
  for (let index = 0; index < list.length; index += 2)
    headers.append(list[index]!, list[index + 1]!)
  return new Response(stream ?? (body as BodyInit | null), { status, headers })
}

/** Creates an {@link Endpoint} from its plain form. */
export function endpointFrom(handle: Endpoint['handle']): Endpoint {
  return Object.assign(
    async (request: Request) => responseFrom(await handle(incomingFrom(request))),
    { handle },
  )
}

async function readBody(request: Request, limitBytes: number): Promise<Uint8Array | null> {
  if (request.bodyUsed || request.body?.locked === true)
    throw new Error(
      'the body of this Request has already been read: pass the Request on unread, and read a clone()',
    )
  return readStream(request.body, limitBytes)
}
