import type pg from 'pg'
import { waitFor } from '../processes/wait.js'

/** Waits until statements of others wait for a lock in a database. */
export async function waitForLock(client: pg.Client, statements = 1): Promise<void> {
  // Not pg_stat_activity, which stays as it was at the first look of a transaction.
  const waiting = `select from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`
  await waitFor(async () => (await client.query(waiting)).rows.length >= statements)
}
