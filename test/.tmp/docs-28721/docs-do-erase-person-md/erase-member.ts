// erase-member.ts
import type { Site } from 'hallpass'
import { erasePerson } from 'hallpass/operations'
import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'

export async function eraseMember(
  { site, execute }: { site: Site<string, Store>; execute: Execute },
  { id, email }: { id: string; email: string },
): Promise<void> {
  await erasePerson(site, { subject: id, loginHints: [email] })
  // One transaction, if you have several statements.
  await execute('delete from users where id = $1', [id])
}
