// after-restore.ts
import type { Site } from 'hallpass'
import { erasePerson, revokeAllGrants } from 'hallpass/operations'
import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'

/** Ends what a restored database revives. `erased`: the people whom you have erased since the backup, or before. */
export async function afterRestore(
  { site, execute }: { site: Site<string, Store>; execute: Execute },
  erased: readonly { id: string; email: string }[],
): Promise<void> {
  // The sessions come first, so that no one continues with an old one.
  await execute('delete from sessions', [])
  await revokeAllGrants(site)
  for (const { id, email } of erased) {
    await erasePerson(site, { subject: id, loginHints: [email] })
    await execute('delete from users where id = $1', [id])
  }
}
