// maintenance.ts
import { maintain } from 'hallpass/operations'
import { type Site } from 'hallpass'
import type { KeyRing } from 'hallpass/token'

export async function maintainSchool(
  site: Site,
  keys: KeyRing,
  deleteSessions: (expiredBefore: number) => Promise<void>,
): Promise<void> {
  const { deletesBefore, purged, lagSeconds } = await maintain(site, { keys })
  console.log({ purged, lagSeconds })
  if (deletesBefore !== null) await deleteSessions(deletesBefore)
}
