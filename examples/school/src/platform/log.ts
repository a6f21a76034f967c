import { writeSync } from 'node:fs'
import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import { describeFault, type Log } from './hooks.js'
import { createOutput } from './output.js'

/** Entries that are worth more attention than others, by their type. */
const LEVELS: Readonly<Record<string, 'warn' | 'error'>> = {
  fault: 'error',
  full: 'warn',
  limits: 'warn',
  lost: 'warn',
  refused: 'warn',
  waiting: 'warn',
}

function levelOf({ type, isUp }: Parameters<Log>[0]): 'info' | 'warn' | 'error' {
  return LEVELS[String(type)] ?? (isUp === false ? 'warn' : 'info')
}

/**
 * Creates the log of the process: one JSON object a line, with `level` and `time`.
 *
 * @param destination - where lines go. Default: standard output, which no request waits for; on a terminal, as
 *   {@link readable} lines
 */
export function createLog(
  destination: DestinationStream | undefined = process.stdout.isTTY ? TERMINAL : undefined,
): Log {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  }
  const log: Log = (entry) => logger[levelOf(entry)](entry)
  const logger = pino(options, destination ?? standardOutput(log))
  return log
}

interface StandardOutput {
  readonly fd: number
  readonly _handle?: { readonly setBlocking?: (isBlocking: boolean) => void }
}

function standardOutput(log: Log): DestinationStream {
  // Node.js opens a pipe as one that does not block. Next.js changes that, and a write would wait for the reader.
  const { fd, _handle }: StandardOutput = process.stdout
  const output = createOutput({
    write(bytes) {
      _handle?.setBlocking?.(false)
      return writeSync(fd, bytes)
    },
    onStop: ({ code, message }) =>
      console.error(
        `The log cannot be written: ${code === 'EAGAIN' ? 'nothing reads it' : message}`,
      ),
    onLost: (lines) => log({ type: 'lost', lines }),
  })
  process.on('exit', output.flush)
  return output
}

const TERMINAL: DestinationStream = {
  write: (line) => void process.stdout.write(readable(line, { colors: NO_COLORS ? {} : COLORS })),
}

const NO_COLORS = (process.env['NO_COLOR'] ?? '') !== ''
const COLORS: Readonly<Record<string, string>> = { warn: '\u001b[33m', error: '\u001b[31m' }

/**
 * Returns a line of the log for people: the time of day in UTC, the type, then each member that has a value.
 *
 * @param options - `colors`: the terminal's code for the colour of a level. Without one, the line has no colour
 */
export function readable(
  line: string,
  { colors = {} }: { colors?: Readonly<Record<string, string>> } = {},
): string {
  const { level, time, type, at: _, ...rest } = JSON.parse(line) as Record<string, unknown>
  const facts = Object.entries(rest)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = [String(time).slice(11, 19), String(type), ...facts].join('  ')
  // Text of a client must not reach the terminal as a command.
  const plain = text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, codeOf)
  const color = colors[String(level)]
  return color === undefined ? `${plain}\n` : `${color}${plain}\u001b[0m\n`
}

const codeOf = (character: string): string =>
  `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`

/**
 * Logs an exception that nothing has caught as a line like any other, and ends the process. Node.js would print
 * a stack between the lines.
 */
export function endOnFault(log: Log): void {
  process.once('uncaughtException', (fault: unknown) => {
    const stack = fault instanceof Error ? fault.stack : undefined
    log({ type: 'fault', endpoint: 'process', fault: describeFault(fault), stack })
    process.exit(1)
  })
}
