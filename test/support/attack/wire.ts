import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

/** A request as it is sent, byte for byte: no URL parser changes its path, no client its headers. */
export interface Sent {
  /** Default: `GET`, or `POST` if there is a body. */
  readonly method?: string
  /** Path and query as they are sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

/** A response. With status 0 the server closed the connection without one. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Keeps connections open, because a port of its own for each request costs more than the request. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const TIMEOUT_MS = 20_000

/** Sends a request to a port on loopback. */
export function send(
  port: number,
  request: Sent & { headers: Record<string, string | string[]> },
): Promise<Answer> {
  const { method, path, headers, body } = request
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = httpRequest(
      {
        hostname: '127.0.0.1',
        port,
        path,
        agent,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { ...length, ...headers },
        timeout: TIMEOUT_MS,
      },
      (response) => {
        const chunks: Buffer[] = []
        const finish = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          })
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', finish)
        // A body that is refused before its end closes the connection, after the response.
        response.on('error', finish)
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no response to ${path} in time`)))
    sent.on('error', (fault: NodeJS.ErrnoException) => {
      const isClosed = fault.code === 'ECONNRESET' || fault.code === 'EPIPE'
      // It may have been closed for the request before this one.
      if (isClosed && sent.reusedSocket) resolve(send(port, request))
      else if (isClosed) resolve({ status: 0, headers: {}, text: '' })
      else reject(fault)
    })
    sent.end(body)
  })
}

/**
 * Writes bytes to a connection of its own and reads until the server closes it or is silent for a while.
 *
 * @returns every response that came, as text
 */
export async function sendBytes(port: number, bytes: string, quietMs = 400): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  const over = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
    socket.setTimeout(quietMs, () => resolve())
  })
  await once(socket, 'connect')
  socket.write(Buffer.from(bytes, 'latin1'))
  await over
  socket.destroy()
  return text
}

/** The status codes of the responses in what {@link sendBytes} read. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) => Number(code))
