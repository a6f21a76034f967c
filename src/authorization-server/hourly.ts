import { isBefore, secondsSince } from '../time/seconds.js'
const HOUR_SECONDS = 3600
/** How many keys are remembered. The one that was reported first is forgotten first. */
const MAX_REPORTED = 1000

/**
 * Creates a function that returns `true` once an hour for each key, so that what a client repeats is reported
 * once. A key that was forgotten to save memory may be reported earlier.
 *
 * @param now - the clock, in epoch seconds. One that was set back does not silence a key
 */
export function createHourly(now: () => number): (key: string) => boolean {
  const reportedAt = new Map<string, number>()
  return (key) => {
    const at = now()
    const age = secondsSince(reportedAt.get(key) ?? null, at)
    if (isBefore(Math.abs(age), HOUR_SECONDS)) return false
    // Deleted first, because a map keeps the place of a key that it has.
    reportedAt.delete(key)
    reportedAt.set(key, at)
    if (reportedAt.size > MAX_REPORTED) reportedAt.delete(reportedAt.keys().next().value!)
    return true
  }
}
