import type { RequestContext, SchoolSite } from '@hallpass/example-school'
import express, { type Express, type RequestHandler } from 'express'
import { routesOf } from 'hallpass/endpoint'
import { toNodeHandler } from 'hallpass/node'

/** One school as an Express application. */
export function createApp(site: SchoolSite): Express {
  const { origin, server, account } = site
  const onError = (error: unknown): void => console.error(error)
  const serve =
    (
      handle: (request: Request, context: RequestContext) => Response | Promise<Response>,
    ): RequestHandler =>
    (req, res) => {
      const respond = (request: Request) => handle(request, { address: req.ip ?? null })
      toNodeHandler(respond, { origin, onError })(req, res)
    }

  const app = express()
  app.disable('x-powered-by')
  for (const [path, endpoint] of routesOf(server))
    app.all(path, toNodeHandler(endpoint, { origin, onError }))
  app.all('/account/graphql', toNodeHandler(account.graphql, { origin, onError }))
  app.all('/account/schema.graphql', toNodeHandler(account.schema, { origin, onError }))
  app.get(['/account/graphiql', '/account/graphiql/:file'], serve(site.graphiql))
  app.get('/', serve(site.home))
  app.post('/sign-in', serve(site.signIn))
  app.post('/sign-out', serve(site.signOut))
  app.use('/oauth/applications', serve(site.applications))
  app.use('/oauth/authorized_applications', serve(site.connectedApps))
  app.get('/assets/school.css', serve(site.stylesheet))
  app.use(serve(site.notFound))
  return app
}
