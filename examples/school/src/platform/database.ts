import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'
import { lockFolder } from './folder-lock.js'
import { migrateSchool } from './migrate.js'

/** Runs statements on one connection, all or nothing: what throws is rolled back. */
export type Transaction = <Result>(work: (execute: Execute) => Promise<Result>) => Promise<Result>

/** Where everything is kept that must survive a restart. */
export interface Database {
  readonly execute: Execute
  readonly transaction: Transaction
  readonly close: () => Promise<void>
}

/**
 * Opens the database with its tables in place: PostgreSQL where a URL is given, else the embedded one.
 *
 * @param url - of a PostgreSQL server, or null
 * @param folder - where the embedded one keeps its rows; null for memory alone, as tests have it
 * @param connections - how many to the server at most
 * @throws Error - when another process has the folder open, or the server cannot be reached
 */
export async function openDatabase({
  url,
  folder,
  connections = 8,
}: {
  url: string | null
  folder: string | null
  connections?: number
}): Promise<Database> {
  const database = url === null ? await openEmbedded(folder) : openServer(url, connections)
  try {
    await migratePostgres(database)
    await migrateSchool(database)
  } catch (fault) {
    await database.close()
    throw fault
  }
  return database
}

function openServer(url: string, connections: number): Database {
  const pool = new pg.Pool({ connectionString: url, max: connections })
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

async function openEmbedded(folder: string | null): Promise<Database> {
  if (folder === null)
    return databaseOf(await PGlite.create({ loadDataDir: await emptyCluster() }), () => {})
  const path = resolve(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(path)
  try {
    const dataDir = resolve(path, 'pglite')
    // To unpack an empty cluster takes a third of the time in which PGlite makes one.
    const pglite = existsSync(dataDir)
      ? await PGlite.create({ dataDir })
      : await PGlite.create({ dataDir, loadDataDir: await emptyCluster() })
    return databaseOf(pglite, unlock)
  } catch (fault) {
    unlock()
    throw fault
  }
}

const databaseOf = (pglite: PGlite, closed: () => void): Database => ({
  execute: (sql, parameters) => pglite.query(sql, parameters),
  transaction: (work) =>
    pglite.transaction((inside) => work((sql, parameters) => inside.query(sql, parameters))),
  async close() {
    await pglite.close()
    closed()
  },
})
