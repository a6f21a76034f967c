import { writeSync } from 'node:fs'
import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import { describeFault, type Log } from './hooks.js'
import { createOutput, type Output } from './output.js'

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
 * @param destination - where lines go. Default: standard output, which no request waits for
 */
export function createLog(destination?: DestinationStream): Log {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  }
  const log: Log = (entry) => logger[levelOf(entry)](entry)
  const logger = pino(
    options,
    destination ?? standardOutput((lines) => log({ type: 'lost', lines })),
  )
  return log
}

interface StandardOutput {
  readonly fd: number
  readonly _handle?: { readonly setBlocking?: (isBlocking: boolean) => void }
}

/**
 * Creates an output to standard output that nothing waits for: a reader may hang, and Ctrl+S stops a terminal.
 *
 * @param onLost - called with the number of lines that were lost, when the others are written
 */
export function standardOutput(onLost: (lines: number) => void): Output {
  // Node.js opens a pipe as one that does not block, and a terminal as one that does. Next.js changes the first, too.
  const { fd, _handle }: StandardOutput = process.stdout
  const output = createOutput({
    write(bytes) {
      _handle?.setBlocking?.(false)
      return writeSync(fd, bytes)
    },
    onStop: ({ code, message }) => {
      // This would wait for the same terminal.
      if (!process.stdout.isTTY)
        console.error(
          `The log cannot be written: ${code === 'EAGAIN' ? 'nothing reads it' : message}`,
        )
    },
    onLost,
  })
  process.on('exit', output.flush)
  return output
}

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
