import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../source/root.js'
import { passTime, type Patience, waitFor } from './wait.js'

/** A process that a test has started. */
export interface Child {
  readonly child: ChildProcess
  /** Everything it printed so far. */
  readonly output: () => string
  /** Resolves when it has ended and everything it printed has been read: its exit code, `null` after a signal. */
  readonly ended: Promise<number | null>
  /**
   * Waits until it is ready for what the test does with it. If it is not, it is killed.
   *
   * @throws Error with what it printed, as soon as it has ended or when the patience is over
   */
  readonly until: (condition: () => unknown, patience?: Patience) => Promise<void>
  /**
   * The next message of a process that exchanges them.
   *
   * @throws Error with what it printed, if it ends instead
   */
  readonly message: () => Promise<unknown>
  /** Sends a signal if it runs, and waits until it has ended; kills it if it does not end. Default: `SIGKILL` */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

interface Start extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** What is added to the environment of the tests. `env` is the whole environment instead. */
  readonly environment?: Readonly<Record<string, string>>
  /** `pipe` to write to it, `ipc` to exchange messages. Default: `ignore` */
  readonly input?: 'ignore' | 'pipe' | 'ipc'
}

/** How long a process may take to end after the signal for that. */
const GRACE_MILLISECONDS = 30_000

const running = new Map<ChildProcess, string>()
const killAll = (): void => {
  for (const child of running.keys()) child.kill('SIGKILL')
}
process.on('exit', killAll)
// Vitest ends its workers by this signal, at which there is no `exit` by default.
process.once('SIGTERM', () => {
  killAll()
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
})

/** Starts a process, without waiting for anything. It ends with the process of the test at the latest. */
export function startChild(
  command: string,
  args: readonly string[],
  { environment, env = { ...inherited(), ...environment }, input = 'ignore', ...options }: Start = {}, // prettier-ignore
): Child {
  const name = [command, ...args].join(' ')
  const child = spawn(command, args, {
    cwd: ROOT,
    ...options,
    env,
    stdio: input === 'ipc' ? ['ignore', 'pipe', 'pipe', 'ipc'] : [input, 'pipe', 'pipe'],
  })
  running.set(child, name)
  let text = ''
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    // A command that cannot be started has no exit.
    child.once('error', (fault) => {
      text += fault.message
      if (child.pid === undefined) resolve()
    })
  }).then(() => void running.delete(child))
  const read = [child.stdout!, child.stderr!].map((stream) => {
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    return once(stream, 'close')
  })
  // Not `close` of the process: Node leaves that out for one whose messages were disconnected here.
  const ended = Promise.all([exited, ...read]).then(() => child.exitCode)
  const isRunning = (): boolean => running.has(child)

  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!isRunning()) return
    child.kill(signal)
    const late = AbortSignal.timeout(GRACE_MILLISECONDS)
    await Promise.race([exited, once(late, 'abort')])
    if (!late.aborted) return
    child.kill('SIGKILL')
    await exited
    throw new Error(`${name} did not end after ${signal}\n${text}`)
  }

  async function until(
    condition: () => unknown,
    { what = String(condition), patienceMilliseconds = 120_000 }: Patience = {},
  ): Promise<void> {
    const isReady = async (): Promise<'ready' | 'ended' | false> =>
      (await condition()) ? 'ready' : !isRunning() && 'ended'
    try {
      const state = await waitFor(isReady, { what, patienceMilliseconds })
      if (state === 'ended') throw new Error(`it ended before ${what}`)
    } catch (cause) {
      await stop()
      // What it printed last may be on its way.
      await Promise.race([ended, passTime(1000)])
      throw new Error(`${name}: ${(cause as Error).message}\n${text}`, { cause })
    }
  }

  const message = (): Promise<unknown> =>
    Promise.race([
      once(child, 'message').then(([value]: unknown[]) => value),
      ended.then(() => {
        throw new Error(`${name} ended without a message\n${text}`)
      }),
    ])
  return { child, output: () => text, ended, until, message, stop }
}

/** Starts a module of `test/support/processes` as a process, and waits for its first message. */
export async function startModule(file: string, args: readonly string[]): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const module = startChild(process.execPath, ['--import=tsx', path, ...args], { input: 'ipc' })
  await module.message()
  return module
}

/** Kills what was started here and still runs, and returns how each was started. */
export async function killChildren(): Promise<readonly string[]> {
  const left = [...running]
  for (const [child] of left) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return left.map(([, name]) => name)
}

/** What one process counts or keeps is nothing to another: tests run side by side. */
function inherited(): NodeJS.ProcessEnv {
  const {
    DATABASE_URL: _,
    REDIS_URL: __,
    OTEL_EXPORTER_OTLP_ENDPOINT: ___,
    NODE_OPTIONS: ____,
    ...rest
  } = process.env
  return rest
}
