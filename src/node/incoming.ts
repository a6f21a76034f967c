import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Incoming } from '../http/exchange.js'
import { failedBody, parsedBody, readBody, streamBody } from './body.js'
import { sentBy } from './sender.js'

/** An `IncomingMessage` as endpoints read it. Each part is computed only when it is read. */
export class NodeIncoming implements Incoming {
  readonly method: string
  /**
   * Whether reading of the body stopped before its end. The rest would block the next request, so the
   * connection must close.
   */
  abandoned = false

  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  #origin: string
  #request: Request | null = null
  #gone: AbortController | null = null
  #bodyTaken = false

  constructor(req: IncomingMessage, res: ServerResponse, origin: string) {
    this.method = req.method ?? 'GET'
    this.#req = req
    this.#res = res
    this.#origin = origin
  }

  get target(): string {
    // Express removes the path under which a router is mounted from `url`.
    const { originalUrl } = this.#req as { originalUrl?: string }
    return originForm(originalUrl ?? this.#req.url ?? '/')
  }

  header(name: string): string | null {
    // `req.headers` drops a second Authorization header, which is a sign of an attack.
    const raw = this.#req.rawHeaders
    let value: string | null = null
    for (let index = 0; index < raw.length; index += 2) {
      const candidate = raw[index]!
      if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
      value = value === null ? raw[index + 1]! : value + separator(name) + raw[index + 1]!
    }
    return value
  }

  async body(limitBytes: number): Promise<Uint8Array | null> {
    this.#takeBody()
    const parsed = parsedBody(this.#req, this.header('content-type'))
    if (parsed instanceof Error) throw parsed
    if (parsed !== null) return parsed.length > limitBytes ? null : parsed
    const bytes =
      Number(this.header('content-length')) > limitBytes
        ? null
        : await readBody(this.#req, limitBytes)
    if (bytes === null) this.abandoned = true
    return bytes
  }

  get isGone(): boolean {
    return this.#res.destroyed && !this.#res.writableFinished
  }

  get signal(): AbortSignal {
    this.#gone ??= this.#abortController()
    return this.#gone.signal
  }

  request(body?: Uint8Array): Request {
    this.#request ??= sentBy(this.#makeRequest(body), this.#req)
    return this.#request
  }

  at(origin: string): this {
    this.#origin = origin
    return this
  }

  /** Reads and discards the rest of the body, then calls back, also if the client disconnects. */
  discard(done: () => void): void {
    this.#req.once('close', done)
    this.#req.resume()
    if (this.#req.destroyed) done()
  }

  #takeBody(): void {
    if (this.#bodyTaken) throw new TypeError('the body of a request can be read only once')
    this.#bodyTaken = true
  }

  #makeRequest(read: Uint8Array | undefined): Request {
    const { method } = this
    const url = this.#origin + this.target
    const headers = this.#headers()
    const { signal } = this
    if (read !== undefined)
      return new Request(url, { method, headers, signal, body: read as Uint8Array<ArrayBuffer> })
    if (method === 'GET' || method === 'HEAD' || this.#bodyTaken)
      return new Request(url, { method, headers, signal })

    this.#takeBody()
    const parsed = parsedBody(this.#req, headers.get('content-type'))
    if (parsed instanceof Uint8Array) {
      // They describe the bytes that the client sent, before a parser decoded them.
      for (const name of ['content-length', 'content-encoding']) headers.delete(name)
      return new Request(url, { method, headers, signal, body: parsed as Uint8Array<ArrayBuffer> })
    }
    const body =
      parsed === null
        ? streamBody(this.#req, this.#res, { onCancel: () => (this.abandoned = true) })
        : failedBody(parsed)
    return new Request(url, { method, headers, signal, body, duplex: 'half' } as RequestInit)
  }

  #headers(): Headers {
    const headers = new Headers()
    const raw = this.#req.rawHeaders
    // HTTP/2 has pseudo-headers, which begin with a colon.
    for (let index = 0; index < raw.length; index += 2)
      if (!raw[index]!.startsWith(':')) headers.append(raw[index]!, raw[index + 1]!)
    return headers
  }

  #abortController(): AbortController {
    const controller = new AbortController()
    const abort = (): void => {
      if (!this.#res.writableFinished) controller.abort()
    }
    if (this.#res.destroyed) abort()
    else this.#res.once('close', abort)
    return controller
  }
}

/**
 * Reduces a target to path and query (RFC 9112 §3.2): the client chooses the origin, and `*` has no path.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^[^:/?#]*:\/\/[^/?#]*/, '')
  if (rest.startsWith('/')) return rest
  return rest.startsWith('?') ? `/${rest}` : '/'
}

/** Separates the values of a repeated header (RFC 9110 §5.3); only cookies differ (RFC 6265 §5.4). */
function separator(name: string): string {
  return name === 'cookie' ? '; ' : ', '
}
