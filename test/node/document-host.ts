import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { openPort } from '../support/processes/ports.js'
import { createDocumentFetcher } from '../../src/node/document-fetcher.js'
import type { DocumentUrl } from '../../src/policy/cimd-url.js'
import { DOCUMENT as ASKED } from '../../src/site/fetch-document.js'

/** Addresses on the public internet. Under test they lead to a server on this machine. */
export const V4 = '93.184.215.14'
export const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

/** The URL that most tests fetch. Its host is the one that `certificates/host.pem` names. */
export const DOCUMENT = 'https://app.example/client.json'

/** A certificate or key of the folder `certificates`; `make.sh` there says how they were made. */
export function pem(name: 'authority' | 'host' | 'host-key' | 'expired'): string {
  return readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8')
}

/** A server on 127.0.0.1, until the test is over. */
export interface DocumentHost {
  readonly port: number
  /** Its end of every TCP connection it was offered. */
  readonly sockets: readonly Socket[]
  /** Waits until every one of them is closed. */
  readonly closed: () => Promise<void>
}

/** An https server in good order. */
export function serveHttps(
  listener: RequestListener,
  certificate: 'host' | 'expired' = 'host',
): Promise<DocumentHost> {
  const server = createHttpsServer({ cert: pem(certificate), key: pem('host-key') }, listener)
  return start(server)
}

/** A server that speaks TLS properly, and from then on says what it likes. */
export function serveTls(onRequest: (socket: TLSSocket) => void): Promise<DocumentHost> {
  const server = createTlsServer({ cert: pem('host'), key: pem('host-key') }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => onRequest(socket))
  })
  return start(server)
}

/** A server that answers every request with these bytes, and then waits. */
export function serveBytes(...chunks: readonly (string | Buffer)[]): Promise<DocumentHost> {
  return serveTls((socket) => {
    for (const chunk of chunks) socket.write(chunk)
  })
}

/** A server that does not even have to speak TLS. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<DocumentHost> {
  // Who does not read never learns that the other side has gone.
  return start(createServer((socket) => onConnection(socket.resume())))
}

/** An HTTP/1.1 head. */
export function head(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n')
}

/** Writes a piece again and again, with short breaks, as long as somebody listens. */
export function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 10)
  socket.once('close', () => clearInterval(timer))
}

async function start(server: Server): Promise<DocumentHost> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  const port = await openPort(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: port,
    sockets,
    closed: async () => {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
    },
  }
}

/** What a fetcher under test may differ in. */
export interface Surroundings extends NonNullable<Parameters<typeof createDocumentFetcher>[0]> {
  /**
   * What every lookup answers; a list of its own for each lookup where there are several. `null` for the
   * look-up of the fetcher itself.
   */
  readonly answers?: readonly string[] | readonly (readonly string[])[] | null
  /** Connects in place of the server. */
  readonly reach?: (address: string) => Socket
}

/** A fetcher for which every address leads to one server, with a record of what it did. */
export function fetcherFor(
  host: Pick<DocumentHost, 'port'>,
  { answers = [V4], reach, ...options }: Surroundings = {},
) {
  const lookups: string[] = []
  const connections: string[] = []
  const sockets: Socket[] = []
  const fetchDocument = createDocumentFetcher({
    ca: pem('authority'),
    ...(answers !== null && {
      lookup: async (name) => {
        const answer = answers[Math.min(lookups.push(name), answers.length) - 1]
        return Array.isArray(answer) ? answer : (answers as readonly string[])
      },
    }),
    connect: ({ address, port }) => {
      connections.push(`${address} ${port}`)
      const socket = reach?.(address) ?? connect(host.port, '127.0.0.1')
      sockets.push(socket)
      return socket
    },
    ...options,
  })
  return {
    /** Takes any URL: what policy keeps away, the transport has to withstand nevertheless. */
    fetch: (url: string = DOCUMENT, asked = ASKED) => fetchDocument(url as DocumentUrl, asked),
    fetchDocument,
    /** Names, in the order they were asked for. */
    lookups,
    /** Address and port, in order. */
    connections,
    /** The client's end of every connection. */
    sockets,
  }
}

/** The message of the `Error` that a promise rejects with. */
export async function failure(promise: Promise<Response>): Promise<string> {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (outcome instanceof Error) return outcome.message
  throw new Error('there was an answer')
}
