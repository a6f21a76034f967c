import { serve } from '@hono/node-server'
import { createApp } from './app.js'
import { port, routes, school, start } from './school.js'

await start()
const app = createApp(school.site, routes)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false })
