import { isBefore, secondsSince } from '../time/seconds.js'

const WEEK_SECONDS = 7 * 86_400
/** How many refreshes of a grant are answered again within a week before that is reported. */
const TIMES = 10
/** How many grants are counted. The one that was counted longest ago is forgotten first. */
const MAX_GRANTS = 10_000

/**
 * Creates a function for refreshes of a grant that were answered again. It returns `true` at the tenth within a week:
 * once a week for each grant. A grant that was forgotten to save memory is counted from the beginning.
 *
 * @param now - the clock, in epoch seconds
 */
export function createOften(
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
    // Deleted first, because a map keeps the place of a key that it has.
    counted.delete(grantId)
    counted.set(grantId, { since: since?.since ?? at, last: refresh, times })
    if (counted.size > MAX_GRANTS) counted.delete(counted.keys().next().value!)
    return times === TIMES
  }
}
