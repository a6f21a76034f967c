import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
} from 'node:fs' // prettier-ignore
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findNode } from '../../scripts/nodes.mjs'
import { type Child, startChild } from '../support/processes/child.js'
import { signInBeforeRestart } from '../support/http/restart.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
} from '../support/processes/project.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { link } from '../support/processes/tarballs.js'
import { twelveChecks } from '../support/http/server-checks.js'
import { sharedService } from '../support/run/shared-service.js'
import { ROOT } from '../support/source/root.js'
import { buildWorkersExample } from './build.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-examples-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
// They run on hallpass's `dist`.
beforeAll(() => sharedService('express').then(() => undefined))

/** Uses a server, then stops it. */
async function thenStop<Result>(
  server: Pick<RunningProject, 'stop'> | Pick<Child, 'stop'>,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use()
  } finally {
    await server.stop('SIGTERM')
  }
}

const CASES = [
  ...[22, 24, 26].map((line) => ['minimal', line] as const),
  ...['server', 'members', 'agents', 'fastify', 'hono'].map((name) => [name, 24] as const),
]

describe('on SQLite', () => {
  it.concurrent.each(CASES)(
    'examples/%s keeps clients, grants, tokens and keys when it starts again, on Node %i',
    async (name, line) => {
      const folder = join(home, `${name}-${line}`)
      const [node, port] = [await findNode(line), await freePorts()]
      const options = { folder, node, port }
      const before = await startExampleProject(name, options)
      const { origin, output } = before
      const credentials =
        name === 'minimal'
          ? { password: /sign in with (\S+)/.exec(output())![1]! }
          : { email: 'owner@example.com', password: passwordOf(before) }
      const check = await thenStop(before, () => signInBeforeRestart({ origin, credentials }))
      const modes = readdirSync(folder).map((file) => [
        file.replace(/-\w+$/, ''),
        statSync(join(folder, file)).mode & 0o777,
      ])
      expect(Object.fromEntries(modes)).toEqual({ 'school.db': 0o600, secret: 0o600 })
      const after = await startExampleProject(name, options)
      await thenStop(after, check)
    },
  )
})

describe('on D1 of Miniflare', () => {
  it('examples/workers passes the checks of a server, and keeps all of it when it starts again', async () => {
    const [cwd, node, port] = [await buildWorkersExample(), await findNode(24), await freePorts()]
    const [origin, password] = [`http://127.0.0.1:${port}`, randomBytes(9).toString('base64url')]
    const secret = randomBytes(32).toString('hex')
    async function start(): Promise<Child> {
      // The workerd of the one before may end a moment after its Miniflare, and would be taken for this one.
      await waitFor(async () => !(await accepts(port)), { what: 'nothing listens' })
      const child = startChild(node, ['d1.mjs'], {
        cwd,
        environment: {
          PORT: String(port),
          ISSUER: origin,
          PASSWORD: password,
          SEALING_SECRET: secret,
          D1_FOLDER: join(home, 'd1'),
        },
      })
      await child.until(() => accepts(port), { what: 'it listens' })
      return child
    }
    const before = await start()
    const check = await thenStop(before, async () => {
      await twelveChecks({ origin, credentials: { password } })
      return signInBeforeRestart({ origin, credentials: { password } })
    })
    await thenStop(await start(), check)
  })
})

describe('a project that is created with SQLite', () => {
  it.each(['express', 'node'])('compiles with the types of Node 22, on %s', async (framework) => {
    const name = `created-${framework}`
    const project = join(home, name)
    const choices = ['--yes', '--framework', framework, '--database', 'sqlite', '--no-install']
    const command = join(ROOT, 'packages/create-hallpass/index.mjs')
    execFileSync(process.execPath, [command, name, ...choices], { cwd: home })
    const modules = join(project, 'node_modules')
    mkdirSync(join(modules, '@types'), { recursive: true })
    symlinkSync(ROOT, join(modules, 'hallpass'), 'junction')
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>
    }
    for (const one of [...Object.keys(dependencies), '@types/express'])
      if (one !== 'hallpass') link(project, one)
    symlinkSync(
      join(ROOT, 'test/everywhere/node_modules/@types/node'),
      join(modules, '@types/node'),
      'junction',
    )
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [compiler], { cwd: project })
    expect([status, stdout.toString()]).toEqual([0, ''])
  })
})

describe('without SQLite, on Node 20', () => {
  it('examples/minimal says that it keeps nothing, and why', async () => {
    const folder = join(home, 'nothing')
    const { output, stop } = await startExampleProject('minimal', {
      folder,
      node: await findNode(20),
    })
    await stop()
    expect(output()).toContain(
      'In memory: a restart ends every grant. From Node 22.13 on, a file keeps them.\n',
    )
  })
})
