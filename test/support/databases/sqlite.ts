import { type Batch, fromSync, migrateSqlite } from 'hallpass/sqlite'
import sqlite from 'node-sqlite3-wasm'

/** SQLite itself, in memory, for every Node. `test/stores` has the drivers that people use. */
export interface TestSqlite {
  readonly batch: Batch
  /** The rows of one statement. */
  readonly rows: (
    sql: string,
    ...parameters: (string | number | null)[]
  ) => readonly Readonly<Record<string, unknown>>[]
  readonly close: () => void
}

/** Opens an empty database with the tables of the library. */
export async function openSqlite(): Promise<TestSqlite> {
  const database = new sqlite.Database(':memory:')
  // Its prepared statements cannot be run again after one has failed.
  const rows: TestSqlite['rows'] = (sql, ...parameters) =>
    database.all(sql, parameters.map(whole)) as Readonly<Record<string, unknown>>[]
  const batch = fromSync({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => ({
      all: (...parameters) => [...rows(sql, ...parameters)],
      run: (...parameters) => database.run(sql, parameters.map(whole)),
    }),
  })
  await migrateSqlite({ batch })
  return { batch, rows, close: () => database.close() }
}

/** What SQLite and D1 say of a file that others write, and of an answer that was lost. */
export const busy = (): Error => Object.assign(new Error('database is locked'), { errcode: 5 })
export const cut = (): Error => new Error('D1_ERROR: Network connection lost.')

// This driver alone cuts a text at a NUL.
const whole = (value: string | number | null): string | number | null | Uint8Array =>
  typeof value === 'string' && value.includes('\0') ? new TextEncoder().encode(value) : value
