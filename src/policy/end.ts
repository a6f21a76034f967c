/**
 * Whether an end has come. Every check of the end of a client, a grant or a token uses this function, so that
 * all of them agree on the second.
 *
 * @param endsAt - epoch seconds of the first second that is refused; `null` for no end
 * @param now - epoch seconds
 */
export function hasEnded(endsAt: number | null, now: number): boolean {
  return endsAt !== null && endsAt <= now
}

/** Returns the earliest of several ends in epoch seconds, of which the first is never `null`. */
export function earliestEnd(first: number, ...others: readonly (number | null)[]): number {
  return Math.min(first, ...others.map((end) => end ?? Infinity))
}
