import { port, school, start } from './school.js'
import { createServe } from './serve.js'

const { own, server, site } = school
await start()
const serve = createServe(site, server, own)
Deno.serve({ port, hostname: '127.0.0.1' }, (request) => serve(request))
