import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findNode } from '../../scripts/nodes.mjs'
import { signInBeforeRestart } from '../support/http/restart.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
} from '../support/processes/project.js'
import { freePorts } from '../support/processes/ports.js'
import { sharedService } from '../support/run/shared-service.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-examples-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
// They run on hallpass's `dist`.
beforeAll(() => sharedService('express').then(() => undefined))

/** What the examples print when they are ready. */
const readyOf = (name: string): string => (name === 'minimal' ? 'sign in with' : 'metadata:')

async function thenStop<Result>(project: RunningProject, run: Promise<Result>): Promise<Result> {
  try {
    return await run
  } finally {
    await project.stop()
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
      const options = { folder, node, port, ready: readyOf(name) }
      const before = await startExampleProject(name, options)
      const { origin, output } = before
      const credentials =
        name === 'minimal'
          ? { password: /sign in with (\S+)/.exec(output())![1]! }
          : { email: 'owner@example.com', password: passwordOf(before) }
      const check = await thenStop(before, signInBeforeRestart({ origin, credentials }))
      const modes = readdirSync(folder).map((file) => [
        file.replace(/-\w+$/, ''),
        statSync(join(folder, file)).mode & 0o777,
      ])
      expect(Object.fromEntries(modes)).toEqual({ 'school.db': 0o600, secret: 0o600 })
      const after = await startExampleProject(name, options)
      await thenStop(after, check())
    },
  )
})

describe('without SQLite, on Node 20', () => {
  it('examples/minimal says that it keeps nothing, and why', async () => {
    const folder = join(home, 'nothing')
    const { output, stop } = await startExampleProject('minimal', {
      folder,
      node: await findNode(20),
      ready: readyOf('minimal'),
    })
    await stop()
    expect(output()).toContain(
      'In memory: a restart ends every grant. From Node 22.13 on, a file keeps them.\n',
    )
  })
})
