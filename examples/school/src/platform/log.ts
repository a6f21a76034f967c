import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import { describeFault, type Log } from './hooks.js'

/** Entries that are worth more attention than others, by their type. */
const LEVELS: Readonly<Record<string, 'warn' | 'error'>> = {
  fault: 'error',
  refused: 'warn',
  waiting: 'warn',
}

/**
 * Creates the log of the process: one JSON object a line, with `level` and `time`.
 *
 * @param destination - where lines go. Default: standard output, written before the call returns
 */
export function createLog(destination?: DestinationStream): Log {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  }
  const logger = destination === undefined ? pino(options) : pino(options, destination)
  return (entry) => logger[LEVELS[String(entry['type'])] ?? 'info'](entry)
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
