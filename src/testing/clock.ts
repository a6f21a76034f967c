/** A clock that stands still until it is told to move. */
export interface FixedClock {
  /** Epoch seconds: pass it as the `now` option. */
  readonly now: () => number
  /** Moves the clock on, or back for a negative number of seconds. */
  readonly advance: (seconds: number) => void
}

/**
 * A clock for tests.
 *
 * @param start - epoch seconds
 */
export function fixedClock(start: number): FixedClock {
  let current = start
  return {
    now: () => current,
    advance: (seconds) => {
      current += seconds
    },
  }
}
