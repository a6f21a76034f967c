import { withCourses } from './routes.js'
import { port, routes, school, start } from './school.js'

await start()
Bun.serve({
  port,
  hostname: '127.0.0.1',
  routes: withCourses(school.site, routes),
  fetch: () => new Response('Not found', { status: 404 }),
})
