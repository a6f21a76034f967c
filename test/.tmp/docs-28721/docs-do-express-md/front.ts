// front.ts
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AuthorizationServer } from 'hallpass'
import { createRouter, routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

export function inFront(server: AuthorizationServer, origin: string, app: RequestListener): Server {
  const serve = toNodeHandler(createRouter(server), { origin, onError: console.error })
  const paths = new Set(routesOf(server).map(([path]) => path))
  return createServer((req, res) => (paths.has(req.url!.split('?', 1)[0]!) ? serve : app)(req, res))
}
