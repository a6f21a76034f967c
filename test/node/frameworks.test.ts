import { parse } from 'node:querystring'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express from 'express'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAccountApi } from 'hallpass/account'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import type { Endpoint } from 'hallpass/authorization-server'
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import { testSite } from 'hallpass/testing'
import Koa, { type Context } from 'koa'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toNodeHandler } from '../../src/node.js'
import { createSource } from '../support/school/account.js'
import { createSchool, ISSUER, type School } from '../support/school/school.js'
import { listen } from './support.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

type Handle = (req: IncomingMessage, res: ServerResponse) => void

const FORM = 'application/x-www-form-urlencoded'
const REGISTRATION = '{"client_name":"Desk","redirect_uris":["http://127.0.0.1/cb"]}'

async function textOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req) text += String(chunk)
  return text
}

function expressWith(...parsers: readonly express.RequestHandler[]) {
  return async (handle: Handle): Promise<RequestListener> => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.all('/{*path}', handle)
    return app
  }
}

/** Fastify makes its own server: its listener is the one of that. */
async function fastify(prepare: (app: FastifyInstance) => void): Promise<RequestListener> {
  const app = Fastify()
  prepare(app)
  await app.ready()
  return (req, res) => app.routing(req, res)
}

function koa(run: (context: Context) => unknown, ...before: ((context: Context) => unknown)[]) {
  const app = new Koa()
  for (const each of before)
    app.use(async (context, next) => {
      await each(context)
      await next()
    })
  app.use(run)
  return app.callback()
}

const handOver =
  (handle: Handle) =>
  (context: Context): void => {
    context.respond = false
    handle(context.req, context.res)
  }
const parseBody = async (context: Context): Promise<void> => {
  const text = await textOf(context.req)
  const isJson = context.req.headers['content-type'] === 'application/json'
  context.request.body = isJson ? JSON.parse(text) : parse(text)
}

const READS: readonly (readonly [
  string,
  (handle: Handle) => RequestListener | Promise<RequestListener>,
])[] = [
  ['Express without a parser', expressWith()],
  [
    'Express behind its parsers',
    expressWith(express.json(), express.urlencoded({ extended: true })),
  ],
  ['Express behind parsers of text', expressWith(express.text({ type: () => true }))],
  ['Express behind parsers of bytes', expressWith(express.raw({ type: () => true }))],
  [
    'Fastify that parses nothing',
    (handle) =>
      fastify((app) => {
        app.removeAllContentTypeParsers()
        app.addContentTypeParser('*', (_request, _payload, done) => done(null))
        app.all('/*', (request, reply) => {
          reply.hijack()
          handle(request.raw, reply.raw)
        })
      }),
  ],
  [
    'Fastify that leaves what it parsed',
    (handle) =>
      fastify((app) => {
        app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
          done(null, body),
        )
        app.all('/*', (request, reply) => {
          reply.hijack()
          handle(Object.assign(request.raw, { body: request.body }), reply.raw)
        })
      }),
  ],
  ['Koa without a parser', (handle) => koa(handOver(handle))],
  [
    'Koa that leaves what it parsed',
    (handle) =>
      koa(handOver(handle), parseBody, ({ req, request: { body } }) =>
        Object.assign(req, { body }),
      ),
  ],
]

const DRAINED: typeof READS = [
  [
    'Express behind a parser that keeps nothing',
    expressWith(async (req, _res, next) => {
      await textOf(req)
      next()
    }),
  ],
  [
    'Fastify behind its own parser',
    (handle) =>
      fastify((app) => {
        app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
          done(null, body),
        )
        app.all('/*', (request, reply) => {
          reply.hijack()
          handle(request.raw, reply.raw)
        })
      }),
  ],
  ['Koa behind a parser', (handle) => koa(handOver(handle), parseBody)],
]

async function serve(mount: (typeof READS)[number][1]) {
  const school = await createSchool()
  const port = await listen(await mount(toNodeHandler(school.router, { origin: ISSUER })))
  const post = async (path: string, type: string, body: string): Promise<[number, unknown]> => {
    const url = `http://127.0.0.1:${port}/api/oauth/${path}`
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
    return [answer.status, await answer.json()]
  }
  return { school, post }
}

const { source } = createSource(new Map())
const createCourse = defineOperation({
  id: 'courses.create',
  summary: 'Create a course',
  scope: 'courses:write',
  effect: 'write',
  method: 'POST',
  path: '/courses',
  input: z.strictObject({ title: z.string() }),
  output: z.object({ title: z.string() }),
  run: async (_context, { title }) => ({ title }),
})

/** What the endpoints beside those of OAuth answer to a request with a body each. */
async function askApis(mount: (typeof READS)[number][1]) {
  const { site, tokenFor, faults } = testSite()
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/account/graphql': createAccountApi(site, { source }).graphql,
    '/api/v1/courses': createAdminApi(site, { operations: [createCourse] }).endpoint,
    '/mcp': createMcpEndpoint(site, { tools: [], adapter: sdkAdapter(SDK_1) }).endpoint,
  }
  const listener = await mount((req, res) =>
    toNodeHandler(endpoints[req.url!]!, { origin: site.issuer })(req, res),
  )
  const port = await listen(listener)
  const post = async (path: string, token: string | null, body: object) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
    return [path, answer.status, await answer.text()] as const
  }
  const member = await tokenFor({}, 'account:read')
  const owner = await tokenFor({ roles: ['owner'] }, 'courses:write')
  const answers = [
    await post('/account/graphql', member, { query: '{ __typename }' }),
    await post('/api/v1/courses', owner, { title: 'Foundations' }),
    await post('/mcp', null, { jsonrpc: '2.0', id: 1, method: 'ping' }),
  ]
  return { answers, faults }
}

describe.each(READS)('behind %s', (_, mount) => {
  it('the endpoints read forms and JSON', async () => {
    const { school, post } = await serve(mount)
    expect(await post('token', FORM, 'grant_type=pass%2Bword')).toEqual([
      400,
      {
        error: 'unsupported_grant_type',
        error_description: 'grant_type must be authorization_code or refresh_token',
      },
    ])
    expect(await post('register', 'application/json', REGISTRATION)).toMatchObject([
      201,
      { client_name: 'Desk' },
    ])
    expect(school.faults).toEqual([])
  })

  it('a parameter that is sent twice stays one that is sent twice', async () => {
    const { post } = await serve(mount)
    expect(await post('token', FORM, 'grant_type=a&grant_type=a')).toMatchObject([
      400,
      { error: 'invalid_request' },
    ])
  })

  it('the Account API, the admin API and /mcp read JSON', async () => {
    const { answers, faults } = await askApis(mount)
    expect(answers.map(([path, status, text]) => [path, status, JSON.parse(text)])).toEqual([
      ['/account/graphql', 200, { data: { __typename: 'Query' } }],
      ['/api/v1/courses', 200, { title: 'Foundations' }],
      ['/mcp', 200, { jsonrpc: '2.0', id: 1, result: {} }],
    ])
    expect(faults).toEqual([])
  })
})

const DRAINED_BODY = new Error(
  'the body of this request has already been read: mount the handler before the body parser, or keep the parsed value in req.body',
)
const faultsOf = ({ faults }: School): unknown =>
  faults.map(({ endpoint, fault }) => [endpoint, fault])
const SERVER_ERROR = { error: 'server_error', error_description: 'an unexpected error occurred' }

describe.each(DRAINED)('behind %s', (_, mount) => {
  it('a body that is gone is a fault that says what to do', async () => {
    const { school, post } = await serve(mount)
    expect(await post('token', FORM, 'grant_type=password')).toEqual([500, SERVER_ERROR])
    expect(await post('register', 'application/json', REGISTRATION)).toEqual([500, SERVER_ERROR])
    expect(faultsOf(school)).toEqual([
      ['token', DRAINED_BODY],
      ['register', DRAINED_BODY],
    ])
  })

  it('the same holds for the Account API, the admin API and /mcp, and no client learns what to do', async () => {
    const { answers, faults } = await askApis(mount)
    expect(answers.map(([path, status]) => [path, status])).toEqual([
      ['/account/graphql', 500],
      ['/api/v1/courses', 500],
      ['/mcp', 500],
    ])
    for (const [, , text] of answers) expect(text).not.toContain('was read before')
    expect(faults.map(({ endpoint, fault }) => [endpoint, fault])).toEqual([
      ['account', DRAINED_BODY],
      ['admin', DRAINED_BODY],
      ['mcp', DRAINED_BODY],
    ])
  })
})

describe('a Request', () => {
  const form = { method: 'POST', body: new URLSearchParams({ grant_type: 'password' }) }
  const fault = new Error(
    'the body of this Request has already been read: pass the Request on unread, and read a clone()',
  )

  it.each<[string, (request: Request) => unknown]>([
    ['was read', (request) => request.text()],
    ['is being read', (request) => request.body!.getReader()],
  ])('whose body %s is a fault that says what to do', async (_, read) => {
    const school = await createSchool()
    const request = new Request(`${ISSUER}/api/oauth/token`, form)
    await read(request)
    const answer = await school.router(request)
    expect([answer.status, await answer.json()]).toEqual([500, SERVER_ERROR])
    expect(faultsOf(school)).toEqual([['token', fault]])
  })

  it('whose clone was read is read', async () => {
    const school = await createSchool()
    const request = new Request(`${ISSUER}/api/oauth/token`, form)
    await request.clone().text()
    expect((await school.router(request)).status).toBe(400)
  })
})
