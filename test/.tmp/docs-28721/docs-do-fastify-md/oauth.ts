// oauth.ts
import type { FastifyInstance } from 'fastify'
import type { AuthorizationServer } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

export async function oauth(
  app: FastifyInstance,
  { server, origin }: { server: AuthorizationServer; origin: string },
): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const [path, endpoint] of routesOf(server)) {
    const handle = toNodeHandler(endpoint, { origin, onError: console.error })
    app.all(path, (request, reply) => {
      reply.hijack()
      handle(request.raw, reply.raw)
    })
  }
}
