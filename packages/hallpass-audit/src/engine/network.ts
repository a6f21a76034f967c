import { lookup, type LookupAddress } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/**
 * The handler of a server in this process, which answers requests.
 *
 * @group Audits
 */
export type Handler = (request: Request) => Response | Promise<Response>

/** Statuses whose response has no body. */
const WITHOUT_BODY = new Set([101, 204, 205, 304])
/** The bytes of a part of a large body, and the milliseconds for a refusal after the first and each later part. */
const PART = 128 * 1024
const FIRST_MILLISECONDS = 250
const LATER_MILLISECONDS = 10

/** The addresses of a computer that audits itself. */
const HERE: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Creates a lookup that asks for each name once: what a name means must not change after its server gave permission. A
 * name below `localhost` is of this computer (RFC 6761, section 6.3), whatever a resolver would answer.
 */
export function createLookup(resolve: typeof lookup = lookup): LookupFunction {
  const known = new Map<string, readonly LookupAddress[]>()
  return (name, { all, ...options }, done) => {
    const answer = (found: readonly LookupAddress[]): void => {
      if (all === true) done(null, [...found])
      else done(null, found[0]!.address, found[0]!.family)
    }
    const before = name.endsWith('.localhost') ? HERE : known.get(name)
    if (before !== undefined) return answer(before)
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, [])
      known.set(name, found)
      answer(found)
    })
  }
}

/** How a request goes to the server. */
interface Way {
  /** The address of this computer that the server sees. Default: the usual one. */
  readonly localAddress?: string
  /** Default: that of the system. */
  readonly lookup?: LookupFunction
}

/**
 * Sends a request as it is. `fetch` would replace what a browser says of itself, such as `Sec-Fetch-Mode`, and the name
 * of the host.
 *
 */
export async function sendOverNetwork(
  request: Request,
  { localAddress, lookup: find }: Way = {},
): Promise<Response> {
  const url = new URL(request.url)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const body = Buffer.from(await request.arrayBuffer())
  const refused = new AbortController()
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      {
        method: request.method,
        // A connection of its own: a server may close one that it has answered, while the next request is on its way.
        agent: false,
        headers: {
          'user-agent': 'hallpass-audit',
          ...Object.fromEntries(request.headers),
          ...(request.method !== 'GET' &&
            request.method !== 'HEAD' && { 'content-length': body.byteLength }),
        },
        signal: request.signal,
        ...(localAddress !== undefined && { localAddress }),
        ...(find !== undefined && { lookup: find }),
      },
      (received) => {
        if ((received.statusCode ?? 500) >= 400) refused.abort()
        try {
          resolve(responseOf(received))
        } catch {
          received.destroy()
          reject(new Error(`its status ${received.statusCode} or a header is not one of HTTP`))
        }
      },
    )
    sent.on('error', (error) => {
      refused.abort()
      reject(error)
    })
    if (body.byteLength <= PART) sent.end(body)
    else void sendParts(sent, body, refused.signal)
  })
}

/**
 * Sends a large body until the server refuses it (RFC 9112, section 9.5). A server may close the connection right after
 * its answer, and who writes to a closed connection loses it: so an answer that is there is read before each part.
 */
async function sendParts(sent: ClientRequest, body: Buffer, refused: AbortSignal): Promise<void> {
  const isRefused = new Promise<void>((resolve) => {
    refused.addEventListener('abort', () => resolve(), { once: true })
  })
  for (let from = 0; from < body.byteLength; from += PART) {
    if (from > 0) {
      // Most servers refuse a body by its length, before they have read it.
      const milliseconds = from === PART ? FIRST_MILLISECONDS : LATER_MILLISECONDS
      await Promise.race([wait(milliseconds), isRefused])
      await turn()
    }
    if (refused.aborted) return
    const isWritten = new Promise<void>((resolve) => {
      sent.write(body.subarray(from, from + PART), () => resolve())
    })
    await Promise.race([isWritten, isRefused])
  }
  if (!refused.aborted) sent.end()
}

function responseOf(received: IncomingMessage): Response {
  const headers = new Headers()
  for (let index = 0; index < received.rawHeaders.length; index += 2)
    headers.append(received.rawHeaders[index]!, received.rawHeaders[index + 1]!)
  const status = received.statusCode ?? 500
  const isEmpty = WITHOUT_BODY.has(status)
  if (isEmpty) received.resume()
  const stream = isEmpty ? null : (Readable.toWeb(received) as ReadableStream<Uint8Array>)
  return new Response(stream, { status, headers })
}
