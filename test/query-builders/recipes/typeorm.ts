import type { Execute } from 'hallpass/postgres'
import type { DataSource, EntityManager } from 'typeorm'

export const executeOf =
  (db: DataSource | EntityManager): Execute<readonly unknown[]> =>
  (text, values) =>
    db.query(text, values)

export const together = (
  db: DataSource,
  { id, work }: { id: string; work: (execute: Execute<readonly unknown[]>) => Promise<void> },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query('insert into host_row values ($1)', [id])
    await work(executeOf(tx))
  })
