import type { AccessState } from './source.js'

/**
 * The state of somebody's access to a course at a moment. It follows from what is stored and the clock,
 * so no job has to change rows when time passes.
 *
 * @param access - epoch seconds; `suspended`: switched off for now; `revokedAt`: taken away for good
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
  if (startDate !== null && startDate > now) return 'SCHEDULED'
  if (expireDate !== null && expireDate <= now) return 'EXPIRED'
  return suspended ? 'SUSPENDED' : 'ACTIVE'
}
