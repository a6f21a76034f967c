import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * Sets `X-Forwarded-For` to the address of the peer. A `Request` has no information about its connection,
 * and Next.js passes on what the client sent in this header, so it is overwritten before Next.js sees the
 * request. Do not use it behind a proxy that sets the header.
 */
export function writeAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    request.headers['x-forwarded-for'] = request.socket.remoteAddress ?? ''
  })
}
