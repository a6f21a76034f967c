import type { RequestContext, SchoolSite } from '@hallpass/example-school'
import express, { type Express, type RequestHandler } from 'express'
import { routesOf } from 'hallpass/endpoint'
import { toNodeHandler } from 'hallpass/node'

const TOO_MANY = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address: wait a little',
}

/** One school as an Express application. */
export function createApp(site: SchoolSite): Express {
  const { origin, server, account, admin } = site
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
  // Express 5 takes a rejected promise for an error.
  app.use(async (req, res, next) => {
    const seconds = await site.ofAddress({ path: req.path, address: req.ip ?? null })
    if (seconds === 0) next()
    else res.status(429).set('retry-after', String(seconds)).json(TOO_MANY)
  })
  for (const [path, endpoint] of routesOf(server))
    app.all(path, toNodeHandler(endpoint, { origin, onError }))
  app.all('/account/graphql', toNodeHandler(account.graphql, { origin, onError }))
  app.all('/account/schema.graphql', toNodeHandler(account.schema, { origin, onError }))
  app.use('/api/v1', toNodeHandler(admin.endpoint, { origin, onError }))
  app.all('/openapi.json', toNodeHandler(admin.openapi, { origin, onError }))
  app.all('/auth.md', toNodeHandler(admin.authMd, { origin, onError }))
  app.get(
    ['/docs', '/docs/:file'],
    serve((request) => admin.reference(request) ?? site.notFound()),
  )
  app.get('/assets/sign-in.js', serve(site.script))
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
