import type { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import type { PgliteDatabase } from 'drizzle-orm/pglite'
import type { Execute } from 'hallpass/postgres'
import { fragmentOf } from './drizzle.js'

type Database = PgliteDatabase & { $client: PGlite }

export const executeOf =
  ({ $client }: Database): Execute =>
  (text, values) =>
    $client.query(text, values)

export const together = (
  db: Database,
  { id, work }: { id: string; work: (execute: Execute) => Promise<void> },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`insert into host_row values (${id})`)
    await work((text, values) => tx.execute(fragmentOf(text, values)))
  })
