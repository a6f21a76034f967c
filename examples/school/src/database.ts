import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'
import { lockFolder } from './folder-lock.js'
import { migrateSchool } from './schema.js'

/** Runs statements on one connection, all or nothing: what throws is rolled back. */
export type Transaction = <Result>(work: (execute: Execute) => Promise<Result>) => Promise<Result>

/** Where everything is kept that must survive a restart. */
export interface Database {
  readonly execute: Execute
  readonly transaction: Transaction
  readonly close: () => Promise<void>
}

/**
 * Opens the database with its tables in place: PostgreSQL where a URL is given, else the embedded one
 * in a folder.
 *
 * @throws Error - when another process has the folder open, or the server cannot be reached
 */
export async function openDatabase({
  url,
  folder,
}: {
  url: string | null
  folder: string
}): Promise<Database> {
  const database = url === null ? await openEmbedded(folder) : openServer(url)
  try {
    await migratePostgres(database)
    await migrateSchool(database)
  } catch (fault) {
    await database.close()
    throw fault
  }
  return database
}

function openServer(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  // A connection that breaks while nobody uses it is replaced; the next query tells if that fails.
  pool.on('error', () => {})
  return {
    execute: (sql, parameters) => pool.query(sql, parameters),
    async transaction(work) {
      const connection = await pool.connect()
      try {
        await connection.query('begin')
        const result = await work((sql, parameters) => connection.query(sql, parameters))
        await connection.query('commit')
        connection.release()
        return result
      } catch (fault) {
        // A connection that cannot even be rolled back is of no use to anybody.
        await connection.query('rollback').then(
          () => connection.release(),
          () => connection.release(true),
        )
        throw fault
      }
    },
    close: () => pool.end(),
  }
}

async function openEmbedded(folder: string): Promise<Database> {
  const path = resolve(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(path)
  try {
    const database = await PGlite.create(resolve(path, 'pglite'))
    return {
      execute: (sql, parameters) => database.query(sql, parameters),
      transaction: (work) =>
        database.transaction((inside) => work((sql, parameters) => inside.query(sql, parameters))),
      close: async () => {
        await database.close()
        unlock()
      },
    }
  } catch (fault) {
    unlock()
    throw fault
  }
}
