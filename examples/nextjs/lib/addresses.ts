import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * Lets `X-Forwarded-For` say who is at the other end of the connection. A `Request` knows no connection,
 * and Next.js hands on what the client wrote into this header, so it is overwritten before Next.js sees
 * the request. Not for a server behind a proxy that writes it.
 */
export function writeAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    request.headers['x-forwarded-for'] = request.socket.remoteAddress ?? ''
  })
}
