import { randomBytes } from 'node:crypto'
import { createServer, request as send, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesOf } from '../src/authorization-server.js'
import { toNodeHandler } from '../src/node.js'
import { createMemoryStore } from '../src/store.js'
import { flow } from './everywhere/flow.js'
import { STEPS } from './everywhere/pages.js'
import { createSchool } from './everywhere/school.js'
import { PAGES, rowsOf, sectionOf } from './support/docs/pages.js'
import { openPort } from './support/processes/ports.js'

const GUIDE = PAGES.find(({ path }) => path === 'docs/do/existing-backend.md')!
/** The prefixes that the guide tells a proxy to forward, and the paths of the application itself. */
const FORWARDED = [
  ...rowsOf(sectionOf(GUIDE, '### The paths to forward')).map(([first = '']) => first.replaceAll('`', '')), // prettier-ignore
  '/sign-in',
  '/courses',
].filter((prefix) => prefix.startsWith('/'))

describe('a school behind a proxy that forwards what the guide names', () => {
  const password = randomBytes(9).toString('base64url')
  let appPort = 0
  let origin = ''
  const servers: Server[] = []

  /** @param keepsHost - whether the proxy passes on the `Host` that it received */
  const startProxy = async (keepsHost: boolean): Promise<number> => {
    const proxy = createServer((incoming, outgoing) => {
      const { url = '', method, headers } = incoming
      if (!FORWARDED.some((prefix) => url.startsWith(prefix))) {
        outgoing.writeHead(404).end()
        return
      }
      const host = keepsHost ? headers.host : `127.0.0.1:${appPort}`
      const forwarded = send(
        { host: '127.0.0.1', port: appPort, path: url, method, headers: { ...headers, host } },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(outgoing)
        },
      )
      incoming.pipe(forwarded)
    })
    servers.push(proxy)
    return openPort(proxy)
  }

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await startProxy(true)}`
    const store = createMemoryStore()
    const school = createSchool({ issuer: origin, store, password, sealingSecret: 'x'.repeat(32) })
    await school.begin()
    const routes = [...routesOf(school.server), ...school.own, ['/courses', school.listCourses] as const] // prettier-ignore
    const handlers = new Map(
      routes.map(([path, serve]) => [path, toNodeHandler(serve, { origin })]),
    )
    const app = createServer((req, res) => {
      const path = req.url!.split('?', 1)[0]!.replace(/^(\/oauth\/interaction\/).+/, '$1:id')
      handlers.get(path)?.(req, res)
    })
    servers.push(app)
    appPort = await openPort(app)
  })
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('passes every step', async () => {
    expect(await flow({ origin, password })).toEqual(Object.keys(STEPS))
  })

  it('refuses each call of /mcp if the proxy on loopback sends a Host of its own', async () => {
    const port = await startProxy(false)
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('this Host is not allowed') as string,
    ])
  })
})
