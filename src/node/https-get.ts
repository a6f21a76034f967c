import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Socket } from 'node:net'
import { connect as startTls, type TLSSocket } from 'node:tls'
import type { Fetched } from '../site/fetch-document.js'

/** How {@link httpsGet} reaches a host. */
export interface Route {
  /** Addresses to connect to, in order. The next one is used only if the one before does not connect. */
  readonly addresses: readonly string[]
  /** Opens a TCP connection to an address. */
  readonly connect: (to: { address: string; port: number }) => Socket
  /** How long to wait for a connection while another address is left, in milliseconds. */
  readonly patienceMilliseconds: number
  /** Certificate authorities to trust, in PEM; `undefined` for those that Node trusts. */
  readonly ca: string | readonly string[] | undefined
}

/** Largest status line with headers, in bytes. */
const HEAD_LIMIT_BYTES = 12_288

/**
 * A server may send several interim responses before the final one (RFC 9110 §15.2). Endless ones are an
 * attack.
 */
const INTERIM_LIMIT = 5

/**
 * Sends one GET on a new connection, reads the whole response and closes the connection. Redirects are
 * not followed. The server name, the `Host` header and the certificate are those of the URL, and no name
 * is looked up.
 *
 * @param options - `accept`: the media types to ask for; `signal`: closes the connection when it is aborted
 * @throws Error if there is no complete response, if its body has more than `limitBytes`, or if it has a
 *   content encoding
 */
export async function httpsGet(
  url: URL,
  {
    route,
    accept,
    limitBytes,
    signal,
  }: Pick<Fetched, 'accept' | 'limitBytes'> & { route: Route; signal: AbortSignal },
): Promise<Response> {
  const tcp = await connectFirst(route, Number(url.port || 443), signal)
  const socket = secure(tcp, url.hostname, route.ca)
  const close = (): void => {
    socket.destroy()
    tcp.destroy()
  }
  signal.addEventListener('abort', close)
  try {
    return await responseOf(await ask(url, socket, accept), limitBytes)
  } finally {
    close()
  }
}

async function connectFirst(route: Route, port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown
  for (const [index, address] of route.addresses.entries()) {
    const isLast = index === route.addresses.length - 1
    signal.throwIfAborted()
    const socket = route.connect({ address, port })
    try {
      await connected(socket, { patience: isLast ? 0 : route.patienceMilliseconds, signal })
      return socket
    } catch (error) {
      socket.destroy()
      failure = error
    }
  }
  throw failure
}

/** @param options - `patience` in milliseconds, 0 for any time */
async function connected(
  socket: Socket,
  { patience, signal }: { patience: number; signal: AbortSignal },
): Promise<void> {
  if (!socket.connecting) return
  socket.setTimeout(patience, () => socket.destroy(new Error('the connection timed out')))
  await once(socket, 'connect', { signal })
  socket.setTimeout(0)
}

function secure(tcp: Socket, servername: string, ca: Route['ca']): TLSSocket {
  const socket = startTls({
    socket: tcp,
    servername,
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot disable the check.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
  })
  // A socket may fail after the response, and an `error` event without a listener ends the process.
  for (const end of [tcp, socket]) end.on('error', () => {})
  return socket
}

function ask(url: URL, socket: TLSSocket, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    // Passed field by field: given a URL, Node would also send its user name and password.
    const asked = request({
      createConnection: () => socket,
      host: url.hostname,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept,
        'accept-encoding': 'identity',
        'user-agent': 'hallpass',
      },
      maxHeaderSize: HEAD_LIMIT_BYTES,
    })
    asked.on('information', () => {
      if (++interim > INTERIM_LIMIT) reject(new Error('too many interim responses'))
    })
    asked.on('error', reject)
    // A response that switches protocols closes the request without an error.
    asked.on('close', () => reject(new Error('no response')))
    asked.on('response', resolve)
    asked.end()
  })
}

/** Statuses for which the Fetch API does not allow a body. */
const BODYLESS: readonly number[] = [204, 205, 304]

async function responseOf(answer: IncomingMessage, limitBytes: number): Promise<Response> {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 599) throw new Error(`the response has status ${status}`)
  const headers = new Headers()
  const raw = answer.rawHeaders
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index]!, raw[index + 1]!)
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new Error('the response has a content encoding')
  // Bytes, not text: with a text, `Response` would add a Content-Type, and a byte order mark would be lost.
  const body = await readBody(answer, limitBytes)
  return new Response(BODYLESS.includes(status) ? null : body, { status, headers })
}

async function readBody(
  answer: IncomingMessage,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new Error(`the body is larger than ${limitBytes} bytes`)
  if (Number(answer.headers['content-length']) > limitBytes) throw tooLarge
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limitBytes) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new Error('the connection closed before the end of the response', { cause })
  }
  if (length > limitBytes) throw tooLarge
  return Buffer.concat(chunks)
}
