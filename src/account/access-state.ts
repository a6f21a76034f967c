import { hasEnded, isNotAfter } from '../time/seconds.js'
import type { AccessState } from './source.js'

/**
 * Returns the state of a member's access to a course at a given time. It is computed from the stored
 * row and the clock, so no job has to update rows as time passes. The first matching rule decides:
 * `REVOKED`, `SCHEDULED`, `EXPIRED`, `SUSPENDED`, `ACTIVE`.
 *
 * @param access - Times are epoch seconds. `startDate`: access begins then, `null` if it began on
 *   enrollment. `expireDate`: access ends then, `null` if it has no end. `suspended`: access is paused,
 *   for instance while a payment is overdue. `revokedAt`: access was withdrawn permanently then, `null` if
 *   it was not.
 * @param now - epoch seconds
 * @returns the state; access that starts at `now` has started, access that expires at `now` has expired
 * @example
 * ```ts
 * import { accessStateOf } from 'hallpass/account'
 *
 * const now = 1_795_165_200 // 2026-11-20T09:00:00Z
 * const access = { startDate: null, expireDate: now + 60, suspended: false, revokedAt: null }
 * accessStateOf(access, now) // => 'ACTIVE'
 * accessStateOf(access, now + 60) // => 'EXPIRED'
 * accessStateOf({ ...access, startDate: now + 30 }, now) // => 'SCHEDULED'
 * accessStateOf({ ...access, suspended: true }, now) // => 'SUSPENDED'
 * accessStateOf({ ...access, revokedAt: now - 60 }, now) // => 'REVOKED'
 * ```
 * @group Courses
 */
export function accessStateOf(
  {
    startDate,
    expireDate,
    suspended,
    revokedAt,
  }: {
    startDate: number | null
    expireDate: number | null
    suspended: boolean
    revokedAt: number | null
  },
  now: number,
): AccessState {
  if (revokedAt !== null) return 'REVOKED'
  if (startDate !== null && !isNotAfter(startDate, now)) return 'SCHEDULED'
  if (hasEnded(expireDate, now)) return 'EXPIRED'
  return suspended ? 'SUSPENDED' : 'ACTIVE'
}
