import type { Execute } from 'hallpass/postgres'
import { CompiledQuery, type Kysely } from 'kysely'

interface Tables {
  host_row: { id: string }
}

// For a database with a plugin that changes results: `db.withoutPlugins()`.
export const executeOf =
  (db: Kysely<Tables>): Execute =>
  (text, values) =>
    db.executeQuery(CompiledQuery.raw(text, values))

export const together = (
  db: Kysely<Tables>,
  { id, work }: { id: string; work: (execute: Execute) => Promise<void> },
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await tx.insertInto('host_row').values({ id }).execute()
    await work(executeOf(tx))
  })
