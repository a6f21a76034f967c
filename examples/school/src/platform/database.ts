import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'
import { lockFolder } from './folder-lock.js'
import { migrateSchool } from './migrate.js'

/** Runs statements in a transaction on one connection. If `work` throws, the transaction is rolled back. */
export type Transaction = <Result>(work: (execute: Execute) => Promise<Result>) => Promise<Result>

/** The database for everything that must survive a restart. */
export interface Database {
  readonly execute: Execute
  readonly transaction: Transaction
  readonly close: () => Promise<void>
}

/**
 * Opens the database and creates missing tables. Uses PostgreSQL if a URL is given, otherwise the
 * embedded database.
 *
 * @param url - of a PostgreSQL server, or `null`
 * @param folder - in which the embedded database stores its data; `null` for memory only, as in tests
 * @param connections - maximum number of connections to the server. Default: 8
 * @throws Error if another process has the folder open, or the server is unreachable
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
  // The pool replaces an idle connection that breaks. If that fails, the next query reports it.
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
        // A connection whose rollback fails is discarded.
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
    // Unpacking an empty cluster takes a third of the time that PGlite needs to create one.
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
