import type { RequestListener } from 'node:http'
import type { OpenedSchools, RequestContext, SchoolSite } from '@hallpass/example-school'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'

/**
 * Creates the Express application of one school.
 *
 * @param options - `trustProxy`: whether a proxy in front sets `X-Forwarded-For` to the address of the client
 */
export function createApp(
  site: SchoolSite,
  { trustProxy = false }: { trustProxy?: boolean } = {},
): Express {
  const { origin, server, account, admin, mcp } = site
  const onError = site.requests.fault
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
  // The proxy adds the last entry of the list. A client may have sent the entries before it.
  if (trustProxy) app.set('trust proxy', 1)
  // Before the rate limits, which need Redis, and for a balancer that asks from one address.
  app.all('/livez', toNodeHandler(site.health.livez, { origin, onError }))
  app.all('/readyz', toNodeHandler(site.health.readyz, { origin, onError }))
  app.use((req, res, next) => {
    const { method, originalUrl: target } = req
    const request = site.requests.begin({ method, target, isGone: () => req.socket.destroyed })
    res.setHeader('x-request-id', request.id)
    res.once('close', () => request.end(res.writableFinished ? res.statusCode : null))
    request.run(next)
  })
  // Express 5 handles a rejected promise as an error.
  app.use(async (req, res, next) => {
    const headers = { get: (name: string) => req.get(name) ?? null }
    const seconds = await site.ofSender({ address: req.ip ?? null, headers })
    if (seconds === 0) next()
    else serve((request) => site.busy(request, seconds))(req, res, next)
  })
  // These count their requests themselves: Express finds them under /API/oauth/token/ as well.
  for (const [path, endpoint] of routesOf(server)) app.all(path, serve(endpoint))
  app.all('/account/graphql', serve(account.graphql))
  app.all('/account/schema.graphql', toNodeHandler(account.schema, { origin, onError }))
  app.all(['/mcp', '/mcp/signed-in', '/mcp/member'], serve(mcp))
  app.use('/api/v1', toNodeHandler(admin.endpoint, { origin, onError }))
  app.all('/openapi.json', toNodeHandler(admin.openapi, { origin, onError }))
  app.all('/auth.md', toNodeHandler(admin.authMd, { origin, onError }))
  app.get(
    ['/docs', '/docs/:file'],
    serve(async (request) => (await admin.reference(request)) ?? site.notFound(request)),
  )
  app.get('/assets/sign-in.js', serve(site.script))
  app.get(['/assets/mark.svg', '/favicon.ico'], serve(site.icon))
  app.get('/assets/copy.js', serve(site.copyScript))
  app.get(
    ['/assets/front.css', '/assets/opened.css', '/assets/walk.js', '/assets/walk-client.json'],
    serve(site.frontAsset),
  )
  app.get(['/playground', '/playground/:file'], serve(site.playground))
  app.get(['/connect', '/connect/:file'], serve(site.connect))
  app.get('/app-logos/:digest', serve(site.appLogo))
  app.get(['/account/graphiql', '/account/graphiql/:file'], serve(site.graphiql))
  app.get(['/schools', '/schools/:label'], serve(site.schools))
  app.post('/schools', serve(site.schools))
  app.get('/', serve(site.home))
  app.get('/sign-in', serve(site.signInPage))
  app.post('/sign-in', serve(site.signIn))
  app.get('/sign-out', serve(site.signOutPage))
  app.post('/sign-out', serve(site.signOut))
  app.use('/oauth/applications', serve(site.applications))
  app.use('/oauth/authorized_applications', serve(site.connectedApps))
  app.get('/assets/school.css', serve(site.stylesheet))
  app.use(serve(site.notFound))
  // Without it, Express shows the stack: also for a path that it cannot decode, such as /docs/%.
  app.use(((error, req, res, next) => {
    const status: number = error.status ?? 500
    if (status >= 500) onError(error)
    if (res.headersSent) res.destroy()
    else serve((request) => site.failed(request, status))(req, res, next)
  }) satisfies ErrorRequestHandler)
  return app
}

/** Leads requests for the hosts of opened schools to these, and all others to the application. */
export function withOpened(app: RequestListener, opened: OpenedSchools): RequestListener {
  const { platform, hasHost } = opened
  const onError = (fault: unknown): void => platform.notifyFault('serve', fault)
  const ofOpened = toNodeHandler(platform, { onError })
  return (req, res) => (hasHost(req.headers.host?.toLowerCase() ?? '') ? ofOpened : app)(req, res)
}
