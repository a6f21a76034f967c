import type { Execute } from 'hallpass/postgres'
import type pg from 'pg'

/**
 * Runs statements over a pool as TypeORM does, whose `query` resolves to `[rows, count]` for a DELETE or an UPDATE.
 * A store that takes this for two rows tells everybody that they won.
 */
export const countingChanges =
  (pool: () => pg.Pool): Execute<readonly unknown[]> =>
  async (sql, parameters) => {
    const { command, rows, rowCount } = await pool().query(sql, parameters)
    return ['DELETE', 'INSERT', 'UPDATE'].includes(command) ? [rows, rowCount] : rows
  }
