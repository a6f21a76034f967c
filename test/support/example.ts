import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demo, migrated } from './databases.js'
import { startPostgres } from './postgres.js'
import { shared } from './shared.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

type Environment = Readonly<Record<string, string>>

/** An example, running as its own process. */
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

/** A folder for the data of examples that follow one another. */
export function dataFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-data-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

interface Spawned {
  readonly child: ChildProcess
  readonly output: () => string
}

function spawnNode(
  args: readonly string[],
  { cwd = ROOT, environment = {} }: { cwd?: string; environment?: Environment } = {},
): Spawned {
  // What one example counts or keeps is nothing to another: tests run side by side.
  const { DATABASE_URL: _, REDIS_URL: __, ...inherited } = process.env
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, output: () => text }
}

/** Starts the process of the Express example without waiting until it listens. */
export async function spawnExample(environment: Environment): Promise<Spawned> {
  if (process.env['HALLPASS_TEST_EXAMPLE'] === 'source') return spawnFromSource(environment)
  const { program } = await shared('express')
  return spawnNode(['--env-file=examples/express/demo.env', program], { environment })
}

/** Starts the process of the Express example as `npm start` does, from its TypeScript. */
export async function spawnFromSource(environment: Environment): Promise<Spawned> {
  await shared('express')
  return spawnNode(
    ['--env-file=examples/express/demo.env', '--import=tsx', 'examples/express/src/main.ts'],
    { environment },
  )
}

interface Start {
  /**
   * Where its data is; without it, a folder of its own that goes when it is stopped. With it, or with
   * `embedded`, rows are in the embedded database, else in a copy of the demo's on the shared server.
   */
  readonly folder?: string
  readonly embedded?: boolean
  readonly port?: number
  readonly environment?: Environment
}

/** Starts the example of this project of vitest.config.ts, and waits until it listens. */
export const startExample = (start: Start = {}): Promise<RunningExample> =>
  process.env['HALLPASS_TEST_EXAMPLE'] === 'nextjs'
    ? startNextExample(start)
    : startExpressExample(start)

/** Starts the Express example, and waits until it listens. */
export const startExpressExample = (
  start: Start,
  spawnWith: (environment: Environment) => Promise<Spawned> = spawnExample,
): Promise<RunningExample> =>
  running(start, spawnWith, (port) => ({
    origin: `http://127.0.0.1:${port}`,
    kiln: `http://127.0.0.1:${port + 1}`,
  }))

async function running(
  { folder, embedded = folder !== undefined, port, environment = {} }: Start,
  spawnWith: (environment: Environment) => Promise<Spawned>,
  originsAt: (port: number) => Pick<RunningExample, 'origin' | 'kiln'>,
): Promise<RunningExample> {
  const chosen = port ?? (await freePorts())
  const own = folder === undefined ? dataFolder() : null
  const database =
    embedded || 'DATABASE_URL' in environment
      ? null
      : await startPostgres(environment['HALLPASS_DEMO'] === '0' ? migrated : demo)
  const { child, output } = await spawnWith({
    PORT: String(chosen),
    HALLPASS_DATA_DIR: folder ?? own!.path,
    ...(database !== null && { DATABASE_URL: database.url }),
    ...environment,
  })
  const exited = once(child, 'exit')
  for (let wait = 0; wait < 4400 && !output().includes('Stop with Ctrl+C'); wait++) {
    if (child.exitCode !== null) throw new Error(`the example ended: ${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  if (!output().includes('Stop with Ctrl+C'))
    throw new Error(`the example does not listen yet: ${output()}`)
  return {
    ...originsAt(chosen),
    output,
    stop: async (signal = 'SIGINT') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
      await database?.stop()
      own?.remove()
    },
  }
}

const NEXTJS = join(ROOT, 'examples/nextjs')
const NEXT = join(ROOT, 'node_modules/next/dist/bin/next')

/** Builds the Next.js example, as `npm run nextjs` does first. Takes half a minute or more. */
export async function buildNextExample(): Promise<void> {
  // On a build server Next.js installs nothing by itself.
  const { child, output } = spawnNode([NEXT, 'build'], {
    cwd: NEXTJS,
    environment: { NODE_ENV: 'production', CI: '1' },
  })
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`next build failed: ${output()}`)
}

/** Starts the process of the Next.js example, which has been built, without waiting for anything. */
export const spawnNextExample = async (environment: Environment): Promise<Spawned> =>
  spawnNode([NEXT, 'start', '--hostname', '127.0.0.1'], {
    cwd: NEXTJS,
    environment: { NODE_ENV: 'production', ...environment },
  })

/** Starts the Next.js example, which has been built, and waits until it answers. */
const startNextExample = (start: Start): Promise<RunningExample> =>
  running(start, spawnNextExample, (port) => ({
    origin: `http://127.0.0.1:${port}`,
    kiln: `http://localhost:${port}`,
  }))
