// oauth.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthorizationServer } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

interface Context {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly path: string
  respond?: boolean | undefined
}

export function oauth(server: AuthorizationServer, origin: string) {
  const options = { origin, onError: console.error }
  const handlers = new Map(
    routesOf(server).map(([path, endpoint]) => [path, toNodeHandler(endpoint, options)]),
  )
  return async (context: Context, next: () => Promise<unknown>): Promise<unknown> => {
    const path = context.path.replace(/^(\/oauth\/interaction\/)[^/]+$/, '$1:id')
    const handle = handlers.get(path)
    if (handle === undefined) return next()
    context.respond = false
    return handle(context.req, context.res)
  }
}
