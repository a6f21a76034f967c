import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

/** Statuses whose response has no body. */
const WITHOUT_BODY = new Set([101, 204, 205, 304])

/** A name below `localhost` is of this computer (RFC 6761, section 6.3), whatever a resolver would answer. */
const lookupHere: LookupFunction = (_name, { all }, done) => {
  if (all === true) done(null, [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }])
  else done(null, '127.0.0.1', 4)
} // prettier-ignore

/**
 * Sends a request as it is. `fetch` would replace what a browser says of itself, such as `Sec-Fetch-Mode`, and the name
 * of the host.
 *
 * @param localAddress - the address of this computer that the server sees. Default: the usual one
 */
export async function sendOverNetwork(request: Request, localAddress?: string): Promise<Response> {
  const url = new URL(request.url)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const body = Buffer.from(await request.arrayBuffer())
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
        ...(url.hostname.endsWith('.localhost') && { lookup: lookupHere }),
      },
      (received) => {
        try {
          resolve(responseOf(received))
        } catch {
          received.destroy()
          reject(new Error(`its status ${received.statusCode} or a header is not one of HTTP`))
        }
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
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
