import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { type GuardedServer, guardServer } from 'hallpass/node'

/** How long a client may take to send, in milliseconds. */
export const SEND_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // By default, Node looks for late requests only every 30 seconds.
  connectionsCheckingInterval: 1000,
} satisfies ServerOptions

/**
 * Creates the HTTP server of an application. It closes the connection of a client that sends too slowly, works on at
 * most 100 requests at the same time, and keeps idle connections for 65 seconds.
 */
export function createHttpServer(
  app: RequestListener,
  limits: ServerOptions = SEND_LIMITS,
): Server & GuardedServer {
  const server = createServer(limits, app)
  return Object.assign(server, guardServer(server))
}
