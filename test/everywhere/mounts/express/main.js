import { createApp } from './app.js'
import { hideErrors } from './errors.js'
import { requireScopes } from './require.js'
import { origin, port, resource, routes, start } from './school.js'

await start()
const app = createApp(routes, origin)
app.get('/courses', requireScopes(resource, 'courses:read'), (_req, res) => res.json([]))
app.use(hideErrors)
app.listen(port, '127.0.0.1')
