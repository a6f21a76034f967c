// An authorization server and an API on Express, with people, sessions and tokens in a database.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import express, { type ErrorRequestHandler } from 'express'
import * as sdk from '@modelcontextprotocol/server'
import { createAuthorizationServer, createProtectedResource, defineSite } from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createAccountApi } from 'hallpass/account'
import { createAuthMdEndpoint, routesOf } from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import { accountTools, createMcpEndpoint, serverAdapter } from 'hallpass/mcp'
import { createNodeSigner, guardServer, toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import { createSource } from '../members/account-source.js'
import { host, networkOf, origin, port } from '../common/address.js'
import { healthOf, log, stopOnSignal } from '../common/health.js'
import { homePage } from '../common/home.js'
import { pages, SCHOOL } from '../common/pages.js'
import * as people from '../common/people.js'
import { execute, migrate, secrets, store } from '../common/store.js'
import { tools } from './tools.js'

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
await migrate(readFileSync(new URL('../members/tables.sql', import.meta.url), 'utf8'))

const readsCourses = createProtectedResource(site).gate('courses:read')
async function listCourses(request: Request): Promise<Response> {
  const access = await readsCourses(request)
  if (access instanceof Response) return access
  const { rows } = await execute('select slug, title from courses order by title', [])
  return Response.json({ data: rows })
}

const account = createAccountApi(site, { source: createSource(site) })
const mcp = createMcpEndpoint(site, {
  adapter: serverAdapter(sdk),
  tools: [...tools, ...accountTools(account)],
})

const authMd = createAuthMdEndpoint(server, { mcp, account })
const home = () => homePage(site, { listPeople: people.listPeople, hasTools: true })

const app = express().disable('x-powered-by')
const serve = (endpoint: Parameters<typeof toNodeHandler>[0]) =>
  toNodeHandler(endpoint, { origin, onError: console.error })
for (const [path, endpoint] of routesOf(server, mcp, account, authMd, healthOf(site, keys)))
  app.all(path, serve(endpoint))
app.post('/sign-in', express.urlencoded({ limit: '4kb' }), serve(people.signInTo(site)))
app.get('/', serve(home))
app.get('/courses', serve(listCourses))
app.use(((error, _request, response, _next) => {
  if (error.status === undefined) console.error(error)
  response.sendStatus(error.status ?? 500)
}) satisfies ErrorRequestHandler)

const maintainAll = async () => people.endSessions((await maintain(site, { keys })).deletesBefore)
await maintainAll()
setInterval(() => void maintainAll().catch(console.error), 5 * 60_000).unref()

const listener = app.listen(port, host)
const guarded = guardServer(listener)
await once(listener, 'listening')
console.log(`${SCHOOL} at ${origin}. Press Ctrl+C to stop it.
  sign in as owner@example.com or student@example.com
  password: ${password ?? 'npm run password owner@example.com sets a new one'}
  client of students: study-buddy
  tools: ${origin}/mcp
  how to connect: ${origin}/auth.md`)

stopOnSignal(guarded)
