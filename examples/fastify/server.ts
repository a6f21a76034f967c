// An authorization server and an API on Fastify, with people, sessions and tokens in a database.
import Fastify, { type RouteHandlerMethod } from 'fastify'
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

const authMd = createAuthMdEndpoint(server)
const home = () => homePage(site, { listPeople: people.listPeople })

const app = Fastify()
const serve = (endpoint: Parameters<typeof toNodeHandler>[0]): RouteHandlerMethod => {
  const handle = toNodeHandler(endpoint, { origin, onError: console.error })
  return ({ raw, body }, reply) => {
    reply.hijack()
    handle(Object.assign(raw, { body }), reply.raw)
  }
}
// Fastify reads a body before it calls a handler. The endpoints read theirs themselves, so they are in a
// plugin of their own, in which no parser does.
app.register(async (own) => {
  own.removeAllContentTypeParsers()
  own.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const [path, endpoint] of routesOf(server, authMd, healthOf(site, keys)))
    own.all(path, serve(endpoint))
})
// Outside of it, a handler gets what a parser has read.
const parser = { parseAs: 'string', bodyLimit: 4096 } as const
app.addContentTypeParser('application/x-www-form-urlencoded', parser, (_request, body, done) =>
  done(null, body),
)
app.post('/sign-in', serve(people.signInTo(site)))
app.get('/', serve(home))
app.get('/courses', serve(listCourses))
app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
  if (error.statusCode === undefined) console.error(error)
  return reply.code(error.statusCode ?? 500).send()
})

const maintainAll = async () => people.endSessions((await maintain(site, { keys })).deletesBefore)
await maintainAll()
setInterval(() => void maintainAll().catch(console.error), 5 * 60_000).unref()

const guarded = guardServer(app.server)
await app.listen({ port, host })
console.log(`${SCHOOL} at ${origin}. Press Ctrl+C to stop it.
  sign in as owner@example.com or student@example.com
  password: ${password ?? 'npm run password owner@example.com sets a new one'}
  client of students: study-buddy
  how to connect: ${origin}/auth.md`)

stopOnSignal(guarded)
