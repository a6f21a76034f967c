import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The Express example, running as its own process. */
export interface RunningExample {
  /** Lantern Street. */
  readonly origin: string
  /** Kiln & Coil. */
  readonly kiln: string
  /** Everything it printed so far. */
  readonly output: () => string
  /** Ends it: as Ctrl+C does, or with `SIGKILL` without a chance to tidy up. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Two free ports, one after the other. */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const [one, other] = [createServer(), createServer()]
    one.listen(0, '127.0.0.1')
    await once(one, 'listening')
    const { port } = one.address() as AddressInfo
    const free = await new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false))
      other.listen(port + 1, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => one.close(resolve))
    if (free) await new Promise((resolve) => other.close(resolve))
    if (free) return port
  }
  throw new Error('no two free ports in a row')
}

/** A folder for one example's data. */
export function dataFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-data-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the process without waiting for anything. */
export function spawnExample(environment: Readonly<Record<string, string>>): {
  readonly child: ChildProcess
  readonly output: () => string
} {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(
    process.execPath,
    ['--env-file=examples/express/demo.env', '--import=tsx', 'examples/express/src/main.ts'],
    { cwd: ROOT, env: { ...inherited, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, output: () => text }
}

/** Starts the example as `npm start` does, and waits until it listens. */
export async function startExample({
  folder,
  port,
  environment = {},
}: {
  folder: string
  port?: number
  environment?: Readonly<Record<string, string>>
}): Promise<RunningExample> {
  const first = port ?? (await freePorts())
  const { child, output } = spawnExample({
    PORT: String(first),
    HALLPASS_DATA_DIR: folder,
    ...environment,
  })
  const exited = once(child, 'exit')
  for (let wait = 0; wait < 600 && !output().includes('Stop with Ctrl+C'); wait++) {
    if (child.exitCode !== null) throw new Error(`the example ended: ${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    origin: `http://127.0.0.1:${first}`,
    kiln: `http://127.0.0.1:${first + 1}`,
    output,
    stop: async (signal = 'SIGINT') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}
