/**
 * SQLite as the storage of a site: the store, the keys of `Idempotency-Key`, attempts to connect, and the migrations
 * that create their tables. Works with `node:sqlite`, better-sqlite3 and Bun, with Cloudflare D1 and Durable Objects, and
 * with libSQL and Turso.
 *
 * Start with the function for your driver, such as {@link fromSync}, with {@link migrateSqlite}, which creates the
 * tables, and {@link createSqliteStore}.
 *
 * @example
 * ```ts
 * import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
 *
 * // In place of a database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const rows = (sql: string) => (sql.includes('version') ? [{ version: 1 }] : [])
 * const database = { exec: () => {}, prepare: (sql: string) => ({ all: () => rows(sql), run: () => {} }) }
 *
 * const batch = fromSync(database)
 * await migrateSqlite({ batch }) // at start-up
 * const store = createSqliteStore({ batch, site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @module
 */

export type { Batch } from './sql/batch.js'
export { fromD1, fromDurableObject, fromLibsql, fromSync } from './sqlite/execute.js'
export { isSqliteMigrated, migrateSqlite } from './sqlite/migrate.js'
export { createSqliteStorage } from './sqlite/site-storage.js'
export {
  createSqliteAttempts,
  createSqliteIdempotency,
  createSqliteStore,
} from './sqlite/storage.js'
