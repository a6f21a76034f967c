import { type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Execute } from 'hallpass/postgres'
import type pg from 'pg'

type Database = NodePgDatabase & { $client: pg.Pool }

export const executeOf =
  ({ $client }: Database): Execute =>
  (text, values, name) =>
    $client.query({ name, text, values })

// A transaction has no `$client`, and `execute` takes no numbered parameters.
export const fragmentOf = (text: string, values: readonly unknown[]): SQL =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
  )

export const together = (
  db: Database,
  { id, work }: { id: string; work: (execute: Execute) => Promise<void> },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`insert into host_row values (${id})`)
    await work((text, values) => tx.execute(fragmentOf(text, values)))
  })
