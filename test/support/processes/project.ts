import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answersToForeignName, MISDIRECTED } from '../http/foreign-names.js'
import { type Child, startChild } from './child.js'
import { accepts, freePorts } from './ports.js'
import { ROOT } from '../source/root.js'

/** A rung of the ladder in `examples`, running as its own process. */
export interface RunningProject {
  readonly origin: string
  /** Everything it has printed. */
  readonly output: () => string
  /** Ends it, as Ctrl+C does unless told otherwise, and waits until it has exited. Resolves to its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** An environment in which no Node has SQLite, so that an example takes PGlite. */
export const WITHOUT_SQLITE: Readonly<Record<string, string>> =
  process.allowedNodeEnvironmentFlags.has('--experimental-sqlite')
    ? { NODE_OPTIONS: '--no-experimental-sqlite' }
    : {}

const START_MILLISECONDS = 100_000
// PGlite lives for seconds here: optimizing its code takes longer than running it.
const NOT_OPTIMIZED = '--liftoff-only'

/** What `npm run` runs in a project, without `node`. */
function programOf(project: string, script: string): readonly string[] {
  const text = readFileSync(join(project, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: Readonly<Record<string, string>> }
  return scripts[script]!.split(' ').slice(1)
}

interface StartOptions {
  /** The folder of its data. */
  readonly folder: string
  /** Default: a free one. */
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  /** What it prints when it is ready. Default: where agents read how to connect. */
  readonly ready?: string | undefined
  /** The Node that runs it. Default: that of the tests. */
  readonly node?: string
}

/** The examples that serve no /auth.md, with what each prints when it is ready. */
const READY: Readonly<Record<string, string>> = {
  minimal: 'sign in with',
  schools: 'Schools at',
  workers: 'metadata:',
}

/** Starts `examples/<name>`. */
export const startExampleProject = (
  name: string,
  options: Omit<StartOptions, 'ready'>,
): Promise<RunningProject> =>
  startProject(join(ROOT, 'examples', name), { ...options, ready: READY[name] })

/**
 * Starts a project as its own process, and waits until it is ready.
 *
 * @param project - its folder
 * @throws Error with the output, if the process exits or is not ready in time, and if it answers a page of another site
 *   that calls this computer by a name of its own
 */
export async function startProject(
  project: string,
  { folder, port, env = {}, ready = 'how to connect:', node = process.execPath }: StartOptions,
): Promise<RunningProject> {
  const chosen = port ?? (await freePorts())
  const { output, until, stop, ended } = startChild(
    node,
    [NOT_OPTIMIZED, ...programOf(project, 'start')],
    {
      cwd: project,
      environment: { PORT: String(chosen), HALLPASS_DATA_DIR: folder, ...env },
    },
  )
  const isReady = async (): Promise<boolean> => output().includes(ready) && accepts(chosen)
  await until(isReady, { what: 'it listens', patienceMilliseconds: START_MILLISECONDS })
  const origin = `http://127.0.0.1:${chosen}`
  // Whichever example a test starts.
  const answers = 'ORIGIN' in env ? MISDIRECTED : await answersToForeignName(origin)
  if (answers.join() !== MISDIRECTED.join()) {
    await stop('SIGINT')
    throw new Error(`${project} answers evil.example: ${answers.join(', ')}`)
  }
  return {
    origin,
    output,
    stop: async (signal = 'SIGINT') => {
      await stop(signal)
      return ended
    },
  }
}

/** Starts another script of `examples/<name>`, such as one that adds a school. */
export function startScript(
  name: string,
  script: string,
  args: readonly string[],
  { folder }: Pick<StartOptions, 'folder'>,
): Child {
  const project = join(ROOT, 'examples', name)
  return startChild(process.execPath, [NOT_OPTIMIZED, ...programOf(project, script), ...args], {
    cwd: project,
    environment: { HALLPASS_DATA_DIR: folder },
  })
}

/** The password of the demo users, which the first start on a folder prints. */
export function passwordOf({ output }: Pick<RunningProject, 'output'>): string {
  const [, password] = /password: (\S+)/.exec(output()) ?? []
  if (password === undefined) throw new Error(`no password in: ${output()}`)
  return password
}
