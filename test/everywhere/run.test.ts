import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findNode } from '../../scripts/nodes.mjs'
import { type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { sharedService } from '../support/run/shared-service.js'
import { ROOT } from '../support/source/root.js'
import { buildMount } from './build.js'
import { type Cell, CELLS } from './cells.js'
import { flow } from './flow.js'
import { nameOf, type Ran, RAN_FILE, STEPS } from './pages.js'

const PACKAGES = join(ROOT, 'test/everywhere/node_modules')
/** Set by `npm run test:everywhere -- --write`. */
const IS_WRITING = process.env['HALLPASS_EVERYWHERE_WRITE'] !== undefined
const folders = new Map<string, Promise<string>>()
let databaseUrl = ''
let mariadb: MariadbServer | undefined
const files = mkdtempSync(join(tmpdir(), 'hallpass-everywhere-'))
afterAll(async () => {
  rmSync(files, { recursive: true, force: true })
  await mariadb?.stop()
})

beforeAll(async () => {
  // The mounts import hallpass as its `dist`.
  await sharedService('express')
  mariadb = await startMariadb()
  const { url, prefix } = await sharedService('postgres')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database ${prefix}_everywhere`)
  await client.end()
  databaseUrl = Object.assign(new URL(url), { pathname: `/${prefix}_everywhere` }).href
})

const folderOf = async ({ mount, line = 24 }: Cell): Promise<string> => {
  const key = `${mount.name} ${mount.format}`
  const folder = folders.get(key) ?? findNode(line).then((node) => buildMount(mount, { node }))
  folders.set(key, folder)
  // A test that is repeated builds again.
  folder.catch(() => folders.delete(key))
  return folder
}

/**
 * The program of a runtime: that of its package for this platform. What the package of its name has is a script that starts
 * this one as a process of its own, or, without the script of its installation, nothing.
 */
async function programOf({ runtime, line, database }: Cell): Promise<string> {
  if (runtime === 'node') return findNode(line!)
  if (database === 'D1') return findNode(24)
  const [scope, path] = PLATFORM_PACKAGES[runtime]
  const name = readdirSync(join(PACKAGES, scope))[0]
  return join(PACKAGES, scope, name!, path)
}
const PLATFORM_PACKAGES = {
  bun: ['@oven', 'bin/bun'],
  deno: ['@deno', 'deno'],
  workerd: ['@cloudflare', 'bin/workerd'],
} as const

function argumentsOf(
  { runtime, mount, database }: Cell,
  { port }: { port: number },
): readonly string[] {
  // Miniflare, a program on Node, starts workerd.
  if (database === 'D1') return ['d1.mjs']
  const entry = mount.run ?? [mount.format === 'cjs' ? 'main.cjs' : 'main.mjs']
  if (runtime === 'deno')
    return ['run', '--allow-net', '--allow-env', '--allow-read', '--allow-write', '--allow-sys', '--node-modules-dir=manual', ...entry] // prettier-ignore
  if (runtime === 'workerd') return ['serve', '--socket-addr', `http=127.0.0.1:${port}`, 'config.capnp'] // prettier-ignore
  return entry
}

const green = new Set<string>()

describe('the flow passes', () => {
  it.concurrent.each(CELLS.map((cell) => ({ name: nameOf(cell), cell })))(
    'on $name',
    async ({ name, cell }) => {
      const cwd = await folderOf(cell)
      const port = await freePorts()
      const origin = `http://127.0.0.1:${port}`
      const password = randomBytes(9).toString('base64url')
      const child = startChild(await programOf(cell), argumentsOf(cell, { port }), {
        cwd,
        environment: {
          PORT: String(port),
          HOST: '127.0.0.1',
          ORIGIN: origin,
          ISSUER: origin,
          PASSWORD: password,
          SEALING_SECRET: randomBytes(32).toString('hex'),
          NODE_ENV: 'production',
          NEXT_TELEMETRY_DISABLED: '1',
          // Of SvelteKit, in seconds: it waits for connections that are kept.
          SHUTDOWN_TIMEOUT: '1',
          ...(cell.database === 'PostgreSQL' && { DATABASE_URL: databaseUrl }),
          ...(cell.database === 'MariaDB' && { DATABASE_SOCKET: mariadb!.socketPath }),
          ...(cell.database === 'SQLite' && { DATABASE_FILE: join(files, `${port}.db`) }),
        },
      })
      try {
        await child.until(() => accepts(port), { what: 'it listens' })
        const steps = await flow({ origin, password }).catch((fault: Error) => {
          throw new Error(`${fault.message}\n${child.output()}`, { cause: fault })
        })
        expect(steps).toEqual(Object.keys(STEPS))
        green.add(name)
      } finally {
        await child.stop('SIGTERM')
      }
      // Miniflare may end a moment before the workerd that it started.
      await waitFor(async () => !(await accepts(port)), { what: 'nothing listens' })
    },
  )
})

afterAll(() => {
  const names = CELLS.map(nameOf)
  if (!IS_WRITING || !names.every((name) => green.has(name))) return
  const ran: Ran = { ranOn: new Date().toISOString().slice(0, 10), cells: names }
  writeFileSync(RAN_FILE, `${JSON.stringify(ran, null, 2)}\n`)
})
