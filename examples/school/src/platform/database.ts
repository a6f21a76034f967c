import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { lockFolder } from 'hallpass/node'
import { type Execute, migratePostgres } from 'hallpass/postgres'
import { StorageFailure } from 'hallpass/store'
import pg from 'pg'
import { openDataFolder } from './data-folder.js'
import { describeFault, type Log } from './hooks.js'
import { migrateSchool } from './migrate.js'
import { needing } from './setting.js'
import type { Database } from './transaction.js'

/**
 * How long a request waits for the database: at most 800 ms for a connection, then 1 s for its statement. The
 * server ends a statement before the driver gives it up.
 */
const TIME_LIMITS = {
  connectionTimeoutMillis: 800,
  query_timeout: 1000,
} satisfies pg.PoolConfig

/** The limits of the server, which a connection names when it begins. */
const SERVER_LIMITS = {
  statement_timeout: 900,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
} satisfies pg.PoolConfig

/** The limits where a statement may take so many seconds. */
const limitsFor = (limits: Readonly<Record<string, number>>, seconds: number): pg.PoolConfig =>
  Object.fromEntries(
    Object.entries(limits).map(([name, milliseconds]) => [
      name,
      Math.round(milliseconds * seconds),
    ]),
  )

/** How long a start waits for a connection. */
const START_MILLISECONDS = 5000

/**
 * Opens the database and creates missing tables. Uses PostgreSQL if a URL is given, otherwise the
 * embedded database.
 *
 * @param url - of a PostgreSQL server, or `null`
 * @param folder - in which the embedded database stores its data; `null` for memory only, as in tests
 * @param connections - maximum number of connections to the server. Default: 8
 * @param log - receives an entry of type `limits` if a pooler such as PgBouncer refuses the time limits of the server:
 *   then only those of the driver hold
 * @param seconds - how long a statement may take; the other limits above keep their ratio to it. Default: 1
 * @throws Error if another process has the folder open, the folder is damaged, or the server is unreachable
 */
export async function openDatabase({
  url,
  folder,
  connections = 8,
  log = () => {},
  seconds = 1,
}: {
  url: string | null
  folder: string | null
  connections?: number
  log?: Log
  seconds?: number
}): Promise<Database> {
  if (url !== null)
    return needing({ name: 'DATABASE_URL', url }, async () => {
      await migrateServer(url)
      const limits = await serverLimits(url, limitsFor(SERVER_LIMITS, seconds), log)
      const config = { ...limitsFor(TIME_LIMITS, seconds), ...limits, keepAlive: true }
      return openServer(url, { ...config, max: connections })
    })
  const database = await openEmbedded(folder)
  try {
    await migrate(database)
  } catch (fault) {
    await database.close()
    throw fault
  }
  return database
}

async function migrate({ execute }: Pick<Database, 'execute'>): Promise<void> {
  await migratePostgres({ execute })
  await migrateSchool({ execute })
}

/** Migrates over a connection of its own: a migration waits for those of other processes, and takes its time. */
async function migrateServer(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: START_MILLISECONDS,
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await migrate({ execute: (sql, parameters) => client.query(sql, parameters) })
  } finally {
    await client.end()
  }
}

/** Returns the limits that a connection may name. Through PgBouncer, with its defaults, a connection may name none. */
async function serverLimits(url: string, limits: pg.PoolConfig, log: Log): Promise<pg.PoolConfig> {
  const connectionTimeoutMillis = START_MILLISECONDS
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis, ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return limits
  } catch (fault) {
    const reason = describeFault(fault)
    if (!/unsupported startup parameter/.test(reason)) throw fault
    const role = Object.entries(limits).map(([name, value]) => `set ${name} = ${value}`)
    log({ type: 'limits', reason, remedy: `alter role … ${role.join('; alter role … ')}` })
    return {}
  }
}

function openServer(url: string, config: pg.PoolConfig): Database {
  const pool = new pg.Pool({ connectionString: url, ...config })
  // The pool replaces an idle connection that breaks. If that fails, the next query reports it.
  pool.on('error', () => {})
  return {
    execute: (text, values, name) => pool.query({ name, text, values }).catch(rethrow),
    async transaction(work) {
      const connection = await pool.connect().catch(rethrow)
      const execute: Execute = (sql, parameters) => connection.query(sql, parameters).catch(rethrow)
      try {
        await execute('begin', [])
        const result = await work(execute)
        await execute('commit', [])
        connection.release()
        return result
      } catch (fault) {
        // A connection that does not respond is discarded, and the server rolls back.
        if (fault instanceof StorageFailure) connection.release(true)
        else
          await connection.query('rollback').then(
            () => connection.release(),
            () => connection.release(true),
          )
        throw fault
      }
    },
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

/**
 * The classes of SQLSTATE for an outage: connection, resources, operator intervention (`statement_timeout`
 * is one), system; `lock_timeout`; and a server that only reads, because it was the primary a moment ago.
 */
const OUTAGES = /^(?:08|53|57|58|55P03|25006)/

/** Throws an outage as what hallpass responds to with 503, and everything else that the driver throws as it is. */
function rethrow(fault: unknown): never {
  // An error that did not come from the server is about the connection, unless the call was wrong.
  const isOutage =
    fault instanceof pg.DatabaseError
      ? OUTAGES.test(fault.code ?? '')
      : !(fault instanceof TypeError)
  throw isOutage ? new StorageFailure(fault) : fault
}

async function openEmbedded(folder: string | null): Promise<Database> {
  if (folder === null)
    return databaseOf(await PGlite.create({ loadDataDir: await emptyCluster() }), () => {})
  const path = openDataFolder(folder)
  // Two processes that open one embedded database damage it.
  const unlock = await needing({ name: 'HALLPASS_DATA_DIR' }, () => lockFolder(path))
  const dataDir = resolve(path, 'pglite')
  try {
    // Unpacking an empty cluster takes a third of the time that PGlite needs to create one.
    const pglite = existsSync(dataDir)
      ? await PGlite.create({ dataDir })
      : await PGlite.create({ dataDir, loadDataDir: await emptyCluster() })
    return databaseOf(pglite, unlock)
  } catch (cause) {
    unlock()
    const remedy = 'Check its owner and the disk, put a backup in its place, or remove it'
    throw new Error(
      `${dataDir} is damaged, or cannot be read and written: ${describeFault(cause)}. ${remedy}`,
      { cause },
    )
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
