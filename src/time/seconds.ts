/** Times from here on are milliseconds: this is the year 5138 in seconds, and 1973 in milliseconds. */
export const END_OF_SECONDS = 1e11

/** Whether a value is a time in whole epoch seconds. */
export const isEpochSeconds = (value: unknown): value is number =>
  isSeconds(value) && value >= 0 && value % 1 === 0

/** `false` for NaN, `undefined`, text, a `Date`, a bigint and milliseconds, whatever the types say. */
const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < END_OF_SECONDS

/** Returns how many seconds have passed since a time; NaN, which no comparison accepts, unless both are seconds. */
export const secondsSince = (at: number | null, now: number): number =>
  isSeconds(at) && isSeconds(now) ? now - at : NaN

/**
 * Whether one time or duration in seconds is before, or less than, another. This and {@link isNotAfter} are the only
 * comparisons of times in `src`, since both are `false` unless both sides are seconds. So a clock or a row that is
 * wrong opens nothing, if the question is asked so that `true` is what opens.
 */
export const isBefore = (one: number, other: number): boolean => secondsSince(one, other) > 0

/** Whether one time or duration in seconds is before, less than or equal to another: see {@link isBefore}. */
export const isNotAfter = (one: number, other: number): boolean => secondsSince(one, other) >= 0

/**
 * Whether an end that need not exist has come. Where there is always one, ask {@link isBefore}.
 *
 * @param endsAt - epoch seconds of the first second that is refused; `null` for no end
 * @param now - epoch seconds
 */
export const hasEnded = (endsAt: number | null, now: number): boolean =>
  endsAt !== null && !isBefore(now, endsAt)

/** Returns the earliest of several ends in epoch seconds, of which the first is never `null`. */
export const earliestEnd = (first: number, ...others: readonly (number | null)[]): number =>
  Math.min(first, ...others.map((end) => end ?? Infinity))
