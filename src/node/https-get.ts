import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Socket } from 'node:net'
import { connect as startTls, type TLSSocket } from 'node:tls'

/** How {@link httpsGet} reaches a host. */
export interface Route {
  /** Where to connect, in order: the next one only if there is no connection to the one before. */
  readonly addresses: readonly string[]
  /** Opens a TCP connection to an address. */
  readonly connect: (to: { address: string; port: number }) => Socket
  /** How long an address may take to connect while there is another, in milliseconds. */
  readonly patienceMilliseconds: number
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly ca: string | readonly string[] | undefined
}

/** Status line and headers of an answer, in bytes. */
const HEAD_LIMIT_BYTES = 12_288

/** RFC 9110 §15.2 lets a server send several before its answer; endless ones are an attack. */
const INTERIM_LIMIT = 5

/**
 * Sends one GET on a connection of its own, which is closed in the end, and reads the whole answer.
 * Redirects are answers like any other.
 *
 * Name, `Host` and certificate are those of the URL; no name is looked up.
 *
 * @param signal - closes the connection when it fires
 * @throws Error when there is no whole answer, its body has more than `limitBytes`, or it is encoded
 */
export async function httpsGet(
  url: URL,
  { route, limitBytes, signal }: { route: Route; limitBytes: number; signal: AbortSignal },
): Promise<Response> {
  const tcp = await connectFirst(route, Number(url.port || 443), signal)
  const socket = secure(tcp, url.hostname, route.ca)
  const close = (): void => {
    socket.destroy()
    tcp.destroy()
  }
  signal.addEventListener('abort', close)
  try {
    return await responseOf(await ask(url, socket), limitBytes)
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
  socket.setTimeout(patience, () => socket.destroy(new Error('no connection in time')))
  await once(socket, 'connect', { signal })
  socket.setTimeout(0)
}

function secure(tcp: Socket, servername: string, ca: Route['ca']): TLSSocket {
  const socket = startTls({
    socket: tcp,
    servername,
    ALPNProtocols: ['http/1.1'],
    // Said here so that no NODE_TLS_REJECT_UNAUTHORIZED can unsay it.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
  })
  // They may fail once nobody waits for them, and an error that nobody hears ends the process.
  for (const end of [tcp, socket]) end.on('error', () => {})
  return socket
}

function ask(url: URL, socket: TLSSocket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    // Field by field: from a URL, Node would also send its user name and password.
    const asked = request({
      createConnection: () => socket,
      host: url.hostname,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'hallpass',
      },
      maxHeaderSize: HEAD_LIMIT_BYTES,
    })
    asked.on('information', () => {
      if (++interim > INTERIM_LIMIT) reject(new Error('no end of interim answers'))
    })
    asked.on('error', reject)
    // An answer that switches protocols ends like this, without an error.
    asked.on('close', () => reject(new Error('no answer')))
    asked.on('response', resolve)
    asked.end()
  })
}

/** Statuses whose answers the Fetch API allows no body. */
const BODYLESS: readonly number[] = [204, 205, 304]

async function responseOf(answer: IncomingMessage, limitBytes: number): Promise<Response> {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 599) throw new Error(`the answer has status ${status}`)
  const headers = new Headers()
  const raw = answer.rawHeaders
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index]!, raw[index + 1]!)
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new Error('the answer has a content encoding')
  // Bytes, not text: of text `Response` would make up a Content-Type, and a BOM would be gone.
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
    throw new Error('the answer broke off', { cause })
  }
  if (length > limitBytes) throw tooLarge
  return Buffer.concat(chunks)
}
