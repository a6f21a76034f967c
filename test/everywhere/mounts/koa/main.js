import Koa from 'koa'
import { oauth } from './oauth.js'
import { requireScopes } from './require.js'
import { origin, port, resource, routes, start } from './school.js'

await start()
const app = new Koa()
app.use(oauth(routes, origin))
const gate = requireScopes(resource, 'courses:read')
app.use((context, next) =>
  context.path === '/courses' ? gate(context, async () => (context.body = [])) : next(),
)
app.listen(port, '127.0.0.1')
