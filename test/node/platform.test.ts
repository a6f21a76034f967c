import { once } from 'node:events'
import { Agent, type RequestListener, request as sendRequest } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { createServer as createSchoolServer, defineSite } from 'hallpass'
import { toNodeHandler } from 'hallpass/node'
import type { Platform } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { platformOf } from '../platform/platform-of.js'
import { send } from '../support/attack/wire.js'
import { openSocket } from '../support/http/open-server.js'
import { openPort } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { listen } from './support.js'

const page = (): Response => new Response('your page')
const METADATA = '/.well-known/openid-configuration'

/** A platform of two schools with pages that read a body, and that wait until the client has gone. */
function twoSchools(inFlight = 64) {
  const seen = { waiting: 0, gone: 0 }
  const wait = async ({ signal }: Request): Promise<Response> => {
    seen.waiting += 1
    await once(signal, 'abort')
    seen.gone += 1
    return page()
  }
  const made = platformOf(['art.example', 'music.example'], {
    inFlight,
    open: ({ name }, given) =>
      createSchoolServer(
        defineSite({
          ...given.site,
          name,
          scopes: schoolScopes,
          roles: schoolRoles,
          findPerson: async () => null,
        }),
        {
          ...given.server,
          interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
          routes: {
            'GET /': ({ url }) => new Response(`${name} at ${url}`),
            'POST /echo': async (request) =>
              new Response(`${name} read ${(await request.text()).length} at ${request.url}`),
            'GET /wait': wait,
          },
        },
      ),
  })
  return { ...made, seen }
}

/** Other tests of the process need the classes of Node. */
const KEPT = { overrideGlobalObjects: false }

/** What a function of Next.js for a route is given: the address of the server, and the headers as they came. */
const nextjsRoute = (platform: Platform) =>
  getRequestListener((request) => {
    const { pathname, search } = new URL(request.url)
    return platform(new Request(`http://localhost:3000${pathname}${search}`, request))
  }, KEPT)

const WAYS: readonly (readonly [
  string,
  (platform: Platform) => RequestListener | Promise<RequestListener>,
])[] = [
  ['node:http', (platform) => toNodeHandler(platform)],
  ['Express', (platform) => express().use(toNodeHandler(platform)) as RequestListener],
  [
    'Express, mounted at paths, behind its parsers',
    (platform) => {
      const handle = toNodeHandler(platform)
      const app = express().use(express.json(), express.urlencoded({ extended: true }))
      for (const path of ['/api', '/oauth', '/.well-known', '/']) app.use(path, handle)
      return app as RequestListener
    },
  ],
  [
    'Fastify',
    async (platform) => {
      const app = Fastify()
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
      const handle = toNodeHandler(platform)
      app.all('/*', (request, reply) => {
        reply.hijack()
        handle(request.raw, reply.raw)
      })
      await app.ready()
      return (req, res) => app.routing(req, res)
    },
  ],
  [
    'Hono',
    (platform) =>
      getRequestListener(new Hono().all('*', (context) => platform(context.req.raw)).fetch, KEPT),
  ],
  ['a route of Next.js', nextjsRoute],
]

describe.each(WAYS)('a platform behind %s', (_, mount) => {
  const open = async (inFlight?: number) => {
    const made = twoSchools(inFlight)
    return { ...made, port: await listen(await mount(made.platform)) }
  }
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

  it('serves each school at its own host and origin, and no one at another', async () => {
    const { port, faults } = await open()
    for (const host of ['art.example', 'music.example']) {
      const metadata = await send(port, { path: METADATA, headers: { host } })
      expect(JSON.parse(metadata.text)).toMatchObject({ issuer: `https://${host}` })
      const home = await send(port, { path: '/?a=1', headers: { host } })
      expect(home.text).toBe(`${host} at https://${host}/?a=1`)
      const body = 'grant_type=pass%2Bword'
      const token = await send(port, { path: '/api/oauth/token', body, headers: { host, ...FORM } })
      expect(JSON.parse(token.text)).toMatchObject({ error: 'unsupported_grant_type' })
    }
    const unknown = await send(port, { path: METADATA, headers: { host: 'none.example' } })
    expect(unknown.status).toBe(421)
    expect(faults).toEqual([])
  })

  it('reads a body of 200 kB, and refuses one of 300 kB', async () => {
    const { port } = await open()
    const headers = { host: 'art.example', 'content-type': 'text/plain' }
    const post = (length: number) => send(port, { path: '/echo', body: 'x'.repeat(length), headers }) // prettier-ignore
    expect((await post(200_000)).text).toBe('art.example read 200000 at https://art.example/echo')
    expect((await post(300_000)).status).toBe(413)
  })

  it('responds to HEAD without a body', async () => {
    const { port } = await open()
    const head = await send(port, { method: 'HEAD', path: METADATA, headers: { host: 'art.example' } }) // prettier-ignore
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-type']).toMatch(/^application\/json/)
  })

  it('tells apart two schools on one connection', async () => {
    const { port } = await open()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const ports = new Set<number | undefined>()
    const ask = async (host: string): Promise<string> => {
      const sent = sendRequest({ port, agent, path: METADATA, headers: { host } }).end()
      const [response] = await once(sent, 'response')
      ports.add(sent.socket?.localPort)
      let text = ''
      for await (const part of response) text += String(part)
      return (JSON.parse(text) as { issuer: string }).issuer
    }
    const hosts = ['art.example', 'music.example', 'art.example']
    for (const host of hosts) expect(await ask(host)).toBe(`https://${host}`)
    expect(ports.size).toBe(1)
  })

  it('frees the place of a client that disconnects', async () => {
    const { port, seen, platform } = await open(1)
    const socket = await openSocket(port)
    socket.write('GET /wait HTTP/1.1\r\nHost: art.example\r\n\r\n')
    await waitFor(() => seen.waiting === 1)
    const crowded = await send(port, { path: '/', headers: { host: 'art.example' } })
    expect([crowded.status, platform.status().crowded]).toEqual([503, 1])
    expect((await send(port, { path: '/', headers: { host: 'music.example' } })).status).toBe(200)
    socket.destroy()
    await waitFor(() => seen.gone === 1)
    await waitFor(async () => (await send(port, { path: '/', headers: { host: 'art.example' } })).status === 200) // prettier-ignore
  })
})

describe('a platform over HTTP/2', () => {
  async function open() {
    const { platform, opened } = twoSchools()
    const server = createHttp2Server(toNodeHandler(platform) as never)
    const port = await openPort(server)
    const session = connect(`http://127.0.0.1:${port}`)
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const stream = session.request({ ':path': '/', ...headers })
      const [answer] = (await once(stream, 'response')) as [{ ':status': number }]
      let text = ''
      for await (const part of stream) text += String(part)
      return `${answer[':status']} ${text}`
    }
    return { ask, opened }
  }

  it('finds the school of :authority', async () => {
    const { ask } = await open()
    for (const host of ['art.example', 'music.example'])
      expect(await ask({ ':authority': host })).toBe(`200 ${host} at https://${host}/`)
    expect(await ask({ ':authority': 'none.example' })).toMatch(/^421 /)
    expect(await ask({ ':authority': 'art.example', host: 'art.example' })).toMatch(/^200 art/)
  })

  it('serves no school where Host names another one than :authority', async () => {
    const { ask, opened } = await open()
    expect(await ask({ ':authority': 'art.example', host: 'music.example' })).toMatch(/^400 /)
    expect(opened).toEqual([])
  })
})
