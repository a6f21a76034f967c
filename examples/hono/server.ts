// An authorization server and an API on Hono, with people, sessions and tokens in a database.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createAuthorizationServer, createProtectedResource, defineSite } from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createAuthMdEndpoint, routesOf } from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import { createNodeSigner, guardServer, toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import { host, networkOf, origin, port } from '../common/address.js'
import { healthOf, log, stopOnSignal } from '../common/health.js'
import { homePage } from '../common/home.js'
import { pages, SCHOOL } from '../common/pages.js'
import * as people from '../common/people.js'
import { secrets, store } from '../common/store.js'

const site = defineSite({
  issuer: origin,
  name: SCHOOL,
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: people.findPerson,
  networkOf,
  ...log,
})
const keys = createKeyRing(site, { ...secrets, createSigner: createNodeSigner })
const interact = { ...pages, currentPerson: people.currentPerson }
const server = createAuthorizationServer(site, { keys, interact })

// An app for students. Apps for staff register themselves.
await store.insertClient(
  defineClient({
    clientId: 'study-buddy',
    kind: 'member',
    name: 'Study Buddy',
    redirectUris: ['http://127.0.0.1:7777/callback'],
    scopes: ['account:read', 'account:write'],
    createdAt: site.now(),
  }),
)
const password = await people.createDemoUsers()

const readsCourses = createProtectedResource(site).gate('courses:read')
async function listCourses(request: Request): Promise<Response> {
  const access = await readsCourses(request)
  return access instanceof Response ? access : Response.json({ data: ['Glazing', 'Throwing'] })
}

const signIn = people.signInTo(site)
const authMd = createAuthMdEndpoint(server)
const home = () => homePage(site, { listPeople: people.listPeople })

const app = new Hono()
// The endpoints read their bodies themselves: no middleware that reads a body, and no `csrf()`, comes before.
for (const [path, endpoint] of routesOf(server, authMd, healthOf(site, keys)))
  app.all(path, (c) => endpoint(c.req.raw))
app.post('/sign-in', bodyLimit({ maxSize: 4096 }), (c) => signIn(c.req.raw))
app.get('/', home)
app.get('/courses', (c) => listCourses(c.req.raw))
app.onError((error, c) => {
  if ('getResponse' in error) return error.getResponse()
  console.error(error)
  return c.text('Internal Server Error', 500)
})

const maintainAll = async () => people.endSessions((await maintain(site, { keys })).deletesBefore)
await maintainAll()
setInterval(() => void maintainAll().catch(console.error), 5 * 60_000).unref()

// The app is a function from `Request` to `Response`, just as an endpoint is.
const handler = toNodeHandler((request) => app.fetch(request), { origin, onError: console.error })
const listener = createServer(handler).listen(port, host)
const guarded = guardServer(listener)
await once(listener, 'listening')
console.log(`${SCHOOL} at ${origin}. Press Ctrl+C to stop it.
  sign in as owner@example.com or student@example.com
  password: ${password ?? 'npm run password owner@example.com sets a new one'}
  client of students: study-buddy
  how to connect: ${origin}/auth.md`)

stopOnSignal(guarded)
