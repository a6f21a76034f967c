// The server of README: `createServer` and `serve`, without a framework.
import { createServer } from 'hallpass'
import { serve } from 'hallpass/node'
import { school, sealingSecret, start } from './school.js'

const { interact, listCourses, own, site } = school
await start()
const routes = Object.fromEntries(
  [['/courses', listCourses], ...own].flatMap(([path, respond]) =>
    ['GET', 'POST'].map((method) => [`${method} ${path}`, respond]),
  ),
)
await serve(createServer(site, { sealingSecret, interact, routes }))
