import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { openServer, openSocket } from '../support/http/open-server.js'
import {
  endpointFrom,
  type Endpoint,
  type Incoming,
  type Outgoing,
} from '../../src/http/exchange.js'
import { toNodeHandler } from '../../src/node.js'

/** The origin that every handler under test is configured with. */
export const ORIGIN = 'https://school.example'

/** Listens on a free port until the test is over. */
export const listen = (listener: RequestListener): Promise<number> =>
  openServer(createServer(listener))

/** An endpoint in its plain form, on a port of its own. */
export function serve(
  handle: (incoming: Incoming) => Promise<Outgoing | Response>,
  onError?: (error: unknown) => void,
): Promise<number> {
  return listen(toNodeHandler(endpointFrom(handle), optionsOf(onError)))
}

/** A function from `Request` to `Response`, on a port of its own. */
export function serveFetch(
  respond: (request: Request) => Response | Promise<Response>,
  onError?: (error: unknown) => void,
): Promise<number> {
  return listen(toNodeHandler(respond, optionsOf(onError)))
}

function optionsOf(onError?: (error: unknown) => void): Parameters<typeof toNodeHandler>[1] {
  return onError === undefined ? { origin: ORIGIN } : { origin: ORIGIN, onError }
}

/** An answer that holds a value as JSON. */
export function json(value: unknown, status = 200): Outgoing {
  return { status, headers: ['content-type', 'application/json'], body: JSON.stringify(value) }
}

/** An endpoint that answers with the body it got; 413 above the limit. */
export function echo(limitBytes = 65_536): Endpoint {
  return endpointFrom(async (incoming) => {
    const body = await incoming.body(limitBytes)
    return body === null
      ? json({ error: 'too_large' }, 413)
      : { status: 200, headers: [], body: new TextDecoder().decode(body) }
  })
}

export const open = openSocket

/** Sends bytes exactly as given and returns everything that comes back until the server closes. */
export async function send(port: number, request: string): Promise<string> {
  const socket = await open(port)
  socket.write(request)
  return received(socket)
}

/** Everything that comes in until the other side closes. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

/** The lines of a request with an empty line at the end; the connection closes after the answer. */
export function head(...lines: string[]): string {
  return [...lines, 'Connection: close', '', ''].join('\r\n')
}

/** What follows the head of a raw answer. */
export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}
