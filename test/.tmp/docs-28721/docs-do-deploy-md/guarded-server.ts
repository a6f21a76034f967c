// guarded-server.ts
import { createServer, type RequestListener, type Server } from 'node:http'
import { type GuardedServer, guardServer } from 'hallpass/node'

export function createGuardedServer(app: RequestListener): Server & GuardedServer {
  const server = createServer({ requestTimeout: 20_000, connectionsCheckingInterval: 1000 }, app)
  const guarded = guardServer(server, { maxInFlight: 100, keepAliveMilliseconds: 65_000 })
  return Object.assign(server, guarded)
}
