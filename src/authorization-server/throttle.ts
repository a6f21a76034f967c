import { isBefore, secondsSince } from '../time/seconds.js'

const HOUR_SECONDS = 3600
/** How many keys are remembered. The one that was reported first is forgotten first. */
const MAX_REPORTED = 1000
const WEEK_SECONDS = 7 * 86_400
/** How many refreshes of a grant are answered again within a week before that is reported. */
const TIMES = 10
/** How many grants are counted. The one that was counted longest ago is forgotten first. */
const MAX_GRANTS = 10_000

/** Sets a key as the latest one. Beyond the limit, the one that was set longest ago is forgotten. */
function setLatest<Value>(map: Map<string, Value>, [key, value]: [string, Value], limit: number) {
  // Deleted first, because a map keeps the place of a key that it has.
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value!)
}

/**
 * Creates a function that returns `true` once an hour for each key, so that what a client repeats is reported
 * once. A key that was forgotten to save memory may be reported earlier.
 *
 * @param now - the clock, in epoch seconds. One that was set back does not silence a key
 */
export function createHourlyThrottle(now: () => number): (key: string) => boolean {
  const reportedAt = new Map<string, number>()
  return (key) => {
    const at = now()
    const age = secondsSince(reportedAt.get(key) ?? null, at)
    if (isBefore(Math.abs(age), HOUR_SECONDS)) return false
    setLatest(reportedAt, [key, at], MAX_REPORTED)
    return true
  }
}

/**
 * Creates a function for refreshes of a grant that were answered again. It returns `true` at the tenth within a week:
 * once a week for each grant. A grant that was forgotten to save memory is counted from the beginning.
 *
 * @param now - the clock, in epoch seconds
 */
export function createWeeklyThrottle(
  now: () => number,
): (again: { grantId: string; refresh: string }) => boolean {
  const counted = new Map<string, { since: number; last: string; times: number }>()
  return ({ grantId, refresh }) => {
    const at = now()
    const kept = counted.get(grantId) ?? null
    const age = Math.abs(secondsSince(kept?.since ?? null, at))
    const since = kept !== null && isBefore(age, WEEK_SECONDS) ? kept : null
    // A client that sends one lost request several times has lost one response.
    if (since?.last === refresh) return false
    const times = (since?.times ?? 0) + 1
    setLatest(counted, [grantId, { since: since?.since ?? at, last: refresh, times }], MAX_GRANTS)
    return times === TIMES
  }
}
