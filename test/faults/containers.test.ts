import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { print } from '../support/http/code-load.js'
import { type Child, startChild } from '../support/processes/child.js'
import { dataFolder } from '../support/processes/example.js'
import { AS_ROOT } from '../support/processes/namespace.js'
import { freePorts } from '../support/processes/ports.js'
import { WITHOUT_SQLITE } from '../support/processes/project.js'
import { sharedService } from '../support/run/shared-service.js'
import { ROOT } from '../support/source/root.js'

/** As a container starts a program: every one has the process ID 1, and all of them end with this process. */
const UNSHARE = [...AS_ROOT, '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL']

interface Container extends Child {
  readonly origin: string
  /** Waits until it serves, and returns the identifiers of its keys: those of its database. */
  readonly keys: () => Promise<readonly string[]>
}

interface Program {
  readonly name: string
  readonly start: () => Promise<{ readonly args: readonly string[]; readonly cwd: string }>
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'the school',
    start: async () => {
      const { program } = await sharedService('express')
      return { args: ['--env-file=examples/express/demo.env', program], cwd: ROOT }
    },
  },
  {
    // The others that people copy have the same store.ts: test/example/ladder.test.ts.
    name: 'examples/server',
    start: async () => {
      // It runs on the `dist` that this builds.
      await sharedService('express')
      const cwd = join(ROOT, 'examples/server')
      return { args: ['--import=tsx', 'server.ts'], cwd }
    },
  },
]

async function startContainer({ start }: Program, folder: string): Promise<Container> {
  const { args, cwd } = await start()
  const port = await freePorts()
  const origin = `http://127.0.0.1:${port}`
  const command = [...UNSHARE, process.execPath, '--liftoff-only', ...args]
  const environment = { PORT: String(port), HALLPASS_DATA_DIR: folder, ...WITHOUT_SQLITE }
  const child = startChild('unshare', command, { cwd, environment })
  onTestFinished(() => child.stop())
  const keys = async (): Promise<readonly string[]> => {
    await child.until(async () => (await fetch(`${origin}/.well-known/jwks.json`)).ok)
    const response = await fetch(`${origin}/.well-known/jwks.json`)
    const { keys } = (await response.json()) as { keys: readonly { kid: string }[] }
    return keys.map(({ kid }) => kid)
  }
  return { ...child, origin, keys }
}

function folder(): string {
  const { path, remove } = dataFolder()
  onTestFinished(remove)
  return path
}

describe.each(PROGRAMS.map((one) => [one.name, one] as const))(
  '%s in a container',
  (_, program) => {
    it('does not open the folder of another one, and opens it when that one was killed [F-48]', async () => {
      const path = folder()
      const first = await startContainer(program, path)
      const keys = await first.keys()
      expect(keys.length).toBeGreaterThan(0)

      const second = await startContainer(program, path)
      expect(await second.ended).toBe(1)
      print('a second container on one data folder', second.output().trim())
      expect(second.output()).toContain(
        `another process has the folder ${path} open: stop it, or use another folder`,
      )
      expect(await first.keys()).toEqual(keys)

      await first.stop('SIGKILL')
      const third = await startContainer(program, path)
      expect(await third.keys()).toEqual(keys)
    })

    it('starts once if two are started at once [F-48]', async () => {
      const path = folder()
      const both = await Promise.all([0, 1].map(() => startContainer(program, path)))
      const code = await Promise.race(both.map(({ ended }) => ended))
      expect(code).toBe(1)
      const [winner] = both.filter(({ child }) => child.exitCode === null)
      const keys = await winner!.keys()
      await winner!.stop('SIGKILL')
      expect(await (await startContainer(program, path)).keys()).toEqual(keys)
    })

    it('names a database that is damaged, and what to do [F-48]', async () => {
      const path = folder()
      const first = await startContainer(program, path)
      await first.keys()
      await first.stop('SIGKILL')
      const data = join(path, 'pglite')
      truncateSync(join(data, 'global/pg_control'))
      const { ended, output } = await startContainer(program, path)
      expect(await ended).toBe(1)
      print('a start with a damaged database', output().trim())
      expect(output()).toContain(`${data} is damaged, or cannot be read and written`)
      expect(output()).toContain('put a backup in its place, or remove it')
    })
  },
)
