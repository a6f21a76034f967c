import type { Execute } from 'hallpass/postgres'
import type { Knex } from 'knex'
import type pg from 'pg'

// `raw` takes no numbered parameters. In a transaction, this is its connection.
export const executeOf =
  ({ client }: Knex): Execute =>
  async (text, values, name) => {
    const connection = (await client.acquireConnection()) as pg.Client
    try {
      return await connection.query({ name, text, values })
    } finally {
      await client.releaseConnection(connection)
    }
  }

export const together = (
  db: Knex,
  { id, work }: { id: string; work: (execute: Execute) => Promise<void> },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx('host_row').insert({ id })
    await work(executeOf(tx))
  })
