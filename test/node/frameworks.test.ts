import { parse } from 'node:querystring'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express from 'express'
import Fastify, { type FastifyInstance } from 'fastify'
import Koa, { type Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { toNodeHandler } from '../../src/node.js'
import { createSchool, ISSUER, type School } from '../support/school.js'
import { listen } from './support.js'

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
})

const faultsOf = ({ faults }: School): unknown =>
  faults.map(({ endpoint, fault }) => [endpoint, fault])
const SERVER_ERROR = { error: 'server_error', error_description: 'something went wrong here' }

describe.each(DRAINED)('behind %s', (_, mount) => {
  it('a body that is gone is a fault that says what to do', async () => {
    const { school, post } = await serve(mount)
    const fault = new Error(
      'the body of this request was read before it came here: mount the handler before the body parser, or leave what was parsed on req.body',
    )
    expect(await post('token', FORM, 'grant_type=password')).toEqual([500, SERVER_ERROR])
    expect(await post('register', 'application/json', REGISTRATION)).toEqual([500, SERVER_ERROR])
    expect(faultsOf(school)).toEqual([
      ['token', fault],
      ['register', fault],
    ])
  })
})

describe('a Request', () => {
  const form = { method: 'POST', body: new URLSearchParams({ grant_type: 'password' }) }
  const fault = new Error(
    'the body of this Request was read before it came here: hand over the Request unread, and read a clone()',
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
