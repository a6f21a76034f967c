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
 * @param destination - where lines go. Default: standard output, which no request waits for
 */
export function createLog(destination?: DestinationStream): Log {
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
