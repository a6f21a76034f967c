import type { Execute } from 'hallpass/postgres'
import type pg from 'pg'

export const executeOf =
  (pool: pg.Pool): Execute =>
  (text, values, name) =>
    pool.query({ name, text, values })

export async function together(
  pool: pg.Pool,
  { id, work }: { id: string; work: (execute: Execute) => Promise<void> },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('insert into host_row values ($1)', [id])
    await work((text, values) => client.query(text, values))
    await client.query('commit')
  } catch (fault) {
    await client.query('rollback')
    throw fault
  } finally {
    client.release()
  }
}
