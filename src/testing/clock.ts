/**
 * A clock that changes only when a test moves it. Created by {@link fixedClock}.
 */
export interface FixedClock {
  /** Returns the time in epoch seconds. Pass it as the `now` option of a site. */
  readonly now: () => number
  /** Moves the clock forward by a number of seconds, or back by a negative one. */
  readonly advance: (seconds: number) => void
}

/**
 * Creates a clock for tests.
 *
 * @param start - the first time that it shows, in epoch seconds
 * @returns a clock that shows `start` until `advance` is called
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
