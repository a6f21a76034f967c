import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'

/** How long a client may take to send, in milliseconds. */
export const SEND_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // By default, Node looks for late requests only every 30 seconds.
  connectionsCheckingInterval: 1000,
} satisfies ServerOptions

/** Creates the HTTP server of an application. It closes the connection of a client that sends too slowly. */
export const createHttpServer = (
  app: RequestListener,
  limits: ServerOptions = SEND_LIMITS,
): Server => createServer(limits, app)
