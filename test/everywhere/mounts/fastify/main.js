import Fastify from 'fastify'
import { courses } from './courses.js'
import { oauth } from './oauth.js'
import { origin, port, routes, school, start } from './school.js'

await start()
const app = Fastify()
app.register(oauth, { routes, origin })
courses(app, school.site)
await app.listen({ port, host: '127.0.0.1' })
