// app.ts
import express, { type Express } from 'express'
import type { AuthorizationServer } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

export function createApp(server: AuthorizationServer, origin: string): Express {
  const app = express()
  app.disable('x-powered-by')
  for (const [path, endpoint] of routesOf(server))
    app.all(path, toNodeHandler(endpoint, { origin, onError: console.error }))
  return app
}
