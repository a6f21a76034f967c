// oauth.ts
import type { Express } from 'express'
import type { AuthorizationServer } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

export function mountOauth(express: Express, server: AuthorizationServer, origin: string): void {
  for (const [path, endpoint] of routesOf(server))
    express.all(path, toNodeHandler(endpoint, { origin, onError: console.error }))
}
