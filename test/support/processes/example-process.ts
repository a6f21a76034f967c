import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from './child.js'
import { freePorts } from './ports.js'
import { ROOT } from '../source/root.js'

// Loads nothing of the school: vitest's own process starts the shared examples with it.

export type Environment = Readonly<Record<string, string>>

/** That a statement may take as long as a busy machine makes it. */
export const PATIENT: Environment = { DATABASE_SECONDS: '60' }

/** An example, running as its own process. */
export interface RunningExample {
  /** Lantern Street. */
  readonly origin: string
  /** Kiln & Coil. */
  readonly kiln: string
  /** Everything it printed so far. */
  readonly output: () => string
  readonly pid: number
  /** `null` while it runs, and if a signal ended it. */
  readonly exitCode: () => number | null
  /** Ends it: as Ctrl+C does, or with `SIGKILL` without a chance to tidy up. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** A folder for the data of examples that follow one another. */
export function dataFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-data-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Where an example keeps its data, and what is told to it besides. */
export interface Settings {
  /** Where its data is; without it, a folder of its own that goes when it is stopped. */
  readonly folder?: string | undefined
  readonly port?: number | undefined
  /** Without one it is embedded. */
  readonly database: { readonly url: string; readonly stop: () => Promise<void> } | null
  readonly environment?: Environment
  /** How long it may take until it listens. Default: 110,000 */
  readonly patienceMilliseconds?: number
}

/** How an example starts, and where it is then. */
export interface Example {
  readonly spawnWith: (environment: Environment) => Child
  readonly originsAt: (port: number) => Pick<RunningExample, 'origin' | 'kiln'>
}

/** Starts an example, and waits until it listens. If it does not, nothing of it is left. */
export async function running(
  { spawnWith, originsAt }: Example,
  { folder, port, database, environment = {}, patienceMilliseconds = 110_000 }: Settings,
): Promise<RunningExample> {
  const chosen = port ?? (await freePorts())
  const own = folder === undefined ? dataFolder() : null
  const started = spawnWith({
    PORT: String(chosen),
    HALLPASS_DATA_DIR: folder ?? own!.path,
    ...(database !== null && { DATABASE_URL: database.url }),
    ...environment,
  })
  const { child, output } = started
  const stop = async (signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    await started.stop(signal)
    await database?.stop()
    own?.remove()
  }
  const origins = originsAt(chosen)
  // The greeting says that both schools are open, the response that the process takes signals. Any response does: where
  // an example has another origin, it refuses this one.
  const isServing = async (): Promise<boolean> =>
    output().includes('Stop with Ctrl+C') && (await fetch(`${origins.origin}/livez`)).status > 0
  try {
    await started.until(isServing, { what: 'it serves', patienceMilliseconds })
  } catch (fault) {
    await stop('SIGKILL')
    throw fault
  }
  return { ...origins, output, pid: child.pid!, exitCode: () => child.exitCode, stop }
}

// To optimize the embedded database for a life of seconds costs a third of its start.
const NOT_OPTIMIZED = '--liftoff-only'

const expressBy = (...args: readonly string[]): Example => ({
  spawnWith: (environment) =>
    startChild(process.execPath, ['--env-file=examples/express/demo.env', NOT_OPTIMIZED, ...args], {
      environment,
    }),
  originsAt: (port) => ({
    origin: `http://127.0.0.1:${port}`,
    kiln: `http://127.0.0.1:${port + 1}`,
  }),
})

/** The Express example from its TypeScript, with the fault that `npm run mutate:requirements` tries. */
export const sourceExample = expressBy(
  `--import=${new URL('../../../scripts/mutants-register.mjs', import.meta.url).href}`,
  '--import=tsx',
  'examples/express/src/main.ts',
)

/** Runs `npm run erase` or `npm run restore` on hallpass's `dist`, without building it, until it ends. */
export async function runCommand(
  command: 'erase' | 'restore',
  args: readonly string[],
  environment: Environment,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const program = ['--import=tsx', `examples/school/src/${command}.ts`, ...args]
  const { ended, output } = startChild(process.execPath, program, { environment })
  return { status: await ended, output: output() }
}

/** The Express example as `buildExpressExample` made it. */
export const expressExample = (program: string): Example => expressBy(program)

const NEXTJS = join(ROOT, 'examples/nextjs')
const NEXT = join(ROOT, 'node_modules/next/dist/bin/next')

/** Builds the Next.js example, as `npm run nextjs` does first. Takes half a minute or more. */
export async function buildNextExample(): Promise<void> {
  // On a build server Next.js installs nothing by itself.
  const { ended, output } = startChild(process.execPath, [NEXT, 'build'], {
    cwd: NEXTJS,
    environment: { NODE_ENV: 'production', CI: '1' },
  })
  if ((await ended) !== 0) throw new Error(`next build failed: ${output()}`)
}

/** The Next.js example, which has been built: both schools on one port. */
export const nextExample: Example = {
  spawnWith: (environment) =>
    startChild(process.execPath, ['server.js'], {
      cwd: NEXTJS,
      environment: { NODE_ENV: 'production', ...environment },
    }),
  originsAt: (port) => ({
    origin: `http://127.0.0.1:${port}`,
    kiln: `http://localhost:${port}`,
  }),
}
