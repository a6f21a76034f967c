import { type Handler, sendOverNetwork } from './network.js'

/** Sends requests from another network, as far as one computer can. */
export interface Elsewhere {
  readonly send: Handler
  /** Whether the server could tell its requests from the others. */
  readonly isApart: () => boolean
}

/** An address of documents (RFC 5737), and how proxies pass an address on. */
const PROXIED = Object.entries({
  'x-forwarded-for': '203.0.113.7',
  'x-real-ip': '203.0.113.7',
  forwarded: 'for=203.0.113.7',
})
/** Another address of this computer, where the system has it. */
const OTHER_ADDRESS = '127.0.0.2'

/**
 * A handler in this process learns of a network from headers only. A server on this computer sees another address, and
 * one on the network sees the same one.
 */
export function createElsewhere(
  usual: Handler,
  { isHandler, isLoopback }: { readonly isHandler: boolean; readonly isLoopback: boolean },
): Elsewhere {
  let isApart = isHandler || isLoopback
  return {
    isApart: () => isApart,
    async send(request) {
      if (isHandler) {
        for (const [name, value] of PROXIED) request.headers.set(name, value)
        return usual(request)
      }
      if (!isApart) return usual(request)
      try {
        return await sendOverNetwork(request.clone(), { localAddress: OTHER_ADDRESS })
      } catch {
        isApart = false
        return usual(request)
      }
    },
  }
}
