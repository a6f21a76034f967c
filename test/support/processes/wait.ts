import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'

// Benchmarks load this without Vitest, and the wait has to name what did not come: `vi.waitUntil` does neither.

/** What a condition gives once it holds. */
type Held<Value> = Exclude<Value, false | 0 | '' | null | undefined>

export interface Patience {
  /** What is awaited, for the error. Default: the source of the condition */
  readonly what?: string
  /** A bound against waiting for ever, not a limit that is tested: far above what a busy machine takes. Default: 60,000, or HALLPASS_PATIENCE_MS */
  readonly patienceMilliseconds?: number
  /** The pause between two looks, where each of them costs something. Default: 20 */
  readonly everyMilliseconds?: number
}

/**
 * Waits until a condition holds, and returns what it gives. While it throws, it does not hold.
 *
 * @throws Error with what was awaited, and the last value or the last fault of the condition
 */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  {
    what = String(condition),
    patienceMilliseconds = Number(process.env['HALLPASS_PATIENCE_MS'] ?? 60_000),
    everyMilliseconds = 20,
  }: Patience = {},
): Promise<Held<Value>> {
  const end = performance.now() + patienceMilliseconds
  for (;;) {
    let cause: unknown
    let last = 'it threw'
    try {
      const value = await condition()
      if (value) return value as Held<Value>
      last = `it was ${inspect(value)}`
    } catch (fault) {
      cause = fault
    }
    if (performance.now() > end)
      throw new Error(`waited ${patienceMilliseconds} ms until ${what}: ${last}`, { cause })
    await pause(everyMilliseconds)
  }
}

/**
 * Lets time pass, for a test whose subject is time: the pace of a load, how long a fault lasts, or that something does
 * not happen meanwhile. Whatever is expected to happen has {@link waitFor}.
 */
export const passTime = (milliseconds: number): Promise<void> => pause(milliseconds)
