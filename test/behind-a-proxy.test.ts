import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, request as send, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import express, { Router } from 'express'
import { routesOf } from '../src/authorization-server.js'
import { toNodeHandler } from '../src/node.js'
import { createMemoryStore } from '../src/store.js'
import { flow } from './everywhere/flow.js'
import { STEPS } from './everywhere/pages.js'
import { createSchool, type Serve, signInPage } from './everywhere/school.js'
import { PAGES, rowsOf, sectionOf } from './support/docs/pages.js'
import { openPort } from './support/processes/ports.js'

const GUIDE = PAGES.find(({ path }) => path === 'docs/do/existing-backend.md')!
/** The prefixes that the guide tells a proxy to forward. */
const FORWARDED = rowsOf(sectionOf(GUIDE, '### The paths to forward'))
  .map(([first = '']) => first.replaceAll('`', ''))
  .filter((prefix) => prefix.startsWith('/'))

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** Starts an application, or a proxy, and returns its port. */
const open = (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  servers.push(server)
  return openPort(server)
}

/**
 * A proxy that forwards what the guide names, and prefixes of the application itself.
 *
 * @param options - `portOf`: the port of the application; `keepsHost`: whether the proxy passes on the `Host` that it
 *   received
 */
const openProxy = (
  own: readonly string[],
  { portOf, keepsHost = true }: { portOf: () => number; keepsHost?: boolean },
): Promise<number> =>
  open((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (![...FORWARDED, ...own].some((prefix) => url.startsWith(prefix))) {
      outgoing.writeHead(404).end()
      return
    }
    const host = keepsHost ? headers.host : `127.0.0.1:${portOf()}`
    const forwarded = send(
      { host: '127.0.0.1', port: portOf(), path: url, method, headers: { ...headers, host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(forwarded)
  })

const password = randomBytes(9).toString('base64url')
const SETTINGS = { password, sealingSecret: 'x'.repeat(32) }

describe('a school behind a proxy that forwards what the guide names', () => {
  let appPort = 0
  let origin = ''

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await openProxy(['/sign-in', '/courses'], { portOf: () => appPort })}`
    const school = createSchool({ ...SETTINGS, issuer: origin, store: createMemoryStore() })
    await school.begin()
    const routes = [...routesOf(school.server), ...school.own, ['/courses', school.listCourses] as const] // prettier-ignore
    const handlers = new Map(
      routes.map(([path, serve]) => [path, toNodeHandler(serve, { origin })]),
    )
    appPort = await open((req, res) => {
      const path = req.url!.split('?', 1)[0]!.replace(/^(\/oauth\/interaction\/).+/, '$1:id')
      handlers.get(path)?.(req, res)
    })
  })

  it('passes every step', async () => {
    expect(await flow({ origin, password })).toEqual(Object.keys(STEPS))
  })

  it('refuses each call of /mcp if the proxy on loopback sends a Host of its own', async () => {
    const port = await openProxy([], { portOf: () => appPort, keepsHost: false })
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining(`the Host \\"127.0.0.1:${appPort}\\" is not allowed`) as string,
    ])
  })
})

describe('an application under /portal, behind a proxy that forwards nothing else of it', () => {
  /** An application on Express whose own pages and API are in a router, which is mounted at the prefix. */
  async function openPortal(cookiePath: string): Promise<string> {
    let appPort = 0
    const origin = `http://127.0.0.1:${await openProxy(['/portal/'], { portOf: () => appPort })}`
    const login = '/portal/login'
    const school = createSchool({
      ...SETTINGS, issuer: origin, store: createMemoryStore(), login, cookiePath,
    }) // prettier-ignore
    await school.begin()
    const serve = (endpoint: Serve) => toNodeHandler(endpoint, { origin })
    const app = express()
    const own = school.own.filter(([path]) => path !== '/sign-in')
    for (const [path, endpoint] of [...routesOf(school.server), ...own])
      app.all(path, serve(endpoint))
    const portal = Router()
    portal.get(
      '/login',
      serve(({ url }) => signInPage(new URL(url).searchParams.get('return_to') ?? '', login)),
    )
    portal.post('/login', serve(school.signIn))
    portal.get('/courses', serve(school.listCourses))
    app.use('/portal', portal)
    appPort = await open(app)
    return origin
  }

  it('passes every step', async () => {
    const origin = await openPortal('/')
    expect(await flow({ origin, password, route: '/portal/courses' })).toEqual(Object.keys(STEPS))
  })

  it('asks for a sign-in again if its session cookie is for the prefix only', async () => {
    const origin = await openPortal('/portal')
    await expect(flow({ origin, password })).rejects.toThrow('sign-in and consent')
  })
})
