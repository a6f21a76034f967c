import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Child, startChild } from '../support/processes/child.js'
import { accepts, freePorts, openPort } from '../support/processes/ports.js'
import { ROOT } from '../support/source/root.js'

/** The path of the program. */
const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string }
const HOSTS = ['app.example', 'slow.example']
const WORKER = `
import { createListedHostsFetcher } from '${ROOT}src/index.ts'

const fetchDocument = createListedHostsFetcher({ allowedHosts: ${JSON.stringify(HOSTS)}, deadlineMilliseconds: 1000 })
export default {
  async fetch(request) {
    const url = new URL(request.url).searchParams.get('url')
    const isDirect = url.startsWith('http:')
    const got = isDirect ? fetch(url) : fetchDocument(url, { accept: 'application/json', limitBytes: 5120 })
    return got.then(
      async (response) => Response.json([response.status, await response.text()]),
      (fault) => Response.json(fault.message),
    )
  },
}
`

const folder = mkdtempSync(join(tmpdir(), 'hallpass-fetcher-'))
const asked: (string | undefined)[] = []
let app: Server
let school: Child
let ports: { readonly listed: number; readonly open: number; readonly app: number }

beforeAll(async () => {
  // The app's server, to which the first worker's network leads whatever the host is.
  app = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`)
    if (request.headers.host === 'slow.example') response.write('{')
    else if (request.url === '/moved') response.writeHead(302, { location: '/client.json' }).end()
    else response.end(request.url === '/large' ? 'a'.repeat(5121) : '{"client_id":"…"}')
  })
  const appPort = await openPort(app)
  const first = await freePorts()
  ports = { listed: first, open: first + 1, app: appPort }
  await build({
    stdin: { contents: WORKER, resolveDir: ROOT, loader: 'js' },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    tsconfigRaw: {},
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
  })
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "listed", worker = (modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-17", globalOutbound = "app")),
    (name = "open", worker = (modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-17")),
    (name = "app", external = (address = "127.0.0.1:${appPort}", http = ())),
  ],
  sockets = [
    (name = "a", address = "127.0.0.1:${ports.listed}", http = (), service = "listed"),
    (name = "b", address = "127.0.0.1:${ports.open}", http = (), service = "open"),
  ],
);`,
  )
  school = startChild(workerd, ['serve', join(folder, 'config.capnp')])
  const listens = async (): Promise<boolean> => (await accepts(ports.listed)) && accepts(ports.open)
  await school.until(listens, { what: 'it listens' })
})
afterAll(async () => {
  await school.stop()
  app.closeAllConnections()
  app.close()
  rmSync(folder, { recursive: true, force: true })
})

const through = async (port: number, url: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams({ url })}`)).json()

it('fetches from listed hosts on workerd, without redirects, within its size and time', async () => {
  const get = (url: string): Promise<unknown> => through(ports.listed, url)
  expect(await get('https://app.example/client.json')).toEqual([200, '{"client_id":"…"}'])
  expect(await get('https://app.example/moved')).toBe('app.example: the response is a redirect')
  expect(await get('https://app.example/large')).toBe(
    'app.example: the body is larger than 5120 bytes',
  )
  expect(await get('https://slow.example/client.json')).toBe(
    'slow.example: no complete response within 1000 ms',
  )
  expect(await get('https://other.example/client.json')).toBe(
    'nothing is fetched: document_host_not_allowed',
  )
  expect(await get('https://127.0.0.1/client.json')).toBe(
    'nothing is fetched: document_host_not_public',
  )
  expect(asked).toEqual([
    'app.example /client.json',
    'app.example /moved',
    'app.example /large',
    'slow.example /client.json',
  ])
})

it('has below it a network that workerd keeps from private addresses by itself', async () => {
  expect(await through(ports.open, `http://127.0.0.1:${ports.app}/private`)).toMatch(/internal error|not permitted/) // prettier-ignore
  expect(asked).not.toContain(`127.0.0.1:${ports.app} /private`)
})
