import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { waitFor } from './wait.js'
import { startChild } from './child.js'

/** A program on a terminal of its own. */
interface Terminal {
  /** What is on the screen so far, without colours and movements of the cursor. */
  readonly screen: () => string
  /** Waits until a text is on the screen, then types. */
  readonly type: (keys: string, when: string) => Promise<void>
  /** Waits until the program has ended, and returns its exit code. */
  readonly ended: () => Promise<number | null>
}

export const CONTROL_C = '\x03'
export const CONTROL_D = '\x04'
export const ENTER = '\r'
export const DOWN = '\x1b[B'

// What an operating system lets a program believe that a person sits there: `script`, which Linux and macOS have.
const inTerminal = (command: string): readonly string[] =>
  process.platform === 'linux'
    ? ['-qefc', command, '/dev/null']
    : ['-q', '/dev/null', 'sh', '-c', command]

/** Starts a Node program on a terminal of 100 columns. No argument may contain a single quote. */
export function startInTerminal(
  args: readonly string[],
  { cwd, environment = {} }: { cwd: string; environment?: Readonly<Record<string, string>> },
): Terminal {
  const command = [process.execPath, ...args].map((part) => `'${part}'`).join(' ')
  const { child, output, ended, stop } = startChild(
    'script',
    inTerminal(`stty cols 100 rows 40; exec ${command}`),
    { cwd, environment: { TERM: 'xterm', ...environment }, input: 'pipe' },
  )
  // oxlint-disable-next-line no-control-regex -- that is what a terminal understands
  const screen = (): string => output().replace(/\x1b\[[\d;?]*[A-Za-z]/g, '')
  let code: number | null | undefined
  void ended.then((given) => (code = given))
  return {
    screen,
    async type(keys, when) {
      const isShown = (): boolean => screen().includes(when)
      await waitFor(() => isShown() || code !== undefined, { what: `it shows "${when}"` })
      if (!isShown()) throw new Error(`it ended before it showed "${when}"\n${screen()}`)
      child.stdin!.write(keys)
    },
    async ended() {
      try {
        await waitFor(() => code !== undefined, { what: 'it has ended' })
        return code!
      } catch (cause) {
        await stop()
        throw new Error(`${command} is still running\n${screen()}`, { cause })
      }
    },
  }
}

/** Puts a program called `npm` before the real one. `script`: what it runs, with the command in `$1`. */
export function withNpm(folder: string, script: string): Readonly<Record<string, string>> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { PATH: `${folder}${delimiter}${process.env['PATH']}` }
}
