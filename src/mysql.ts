/**
 * MySQL and MariaDB as the storage of a site: the store, the keys of `Idempotency-Key`, attempts to connect, and the
 * migrations that create their tables. Works with `mysql2`.
 *
 * Start with {@link fromPool}, with {@link migrateMysql}, which creates the tables, and {@link createMysqlStore}.
 *
 * @example
 * ```ts
 * import { createMysqlStore, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool to an empty database: createPool('mysql://school@localhost/school') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const batch = fromPool({ getConnection: async () => connection })
 *
 * // At start-up: await migrateMysql({ batch })
 * const store = createMysqlStore({ batch, site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @module
 */

export { fromPool, fromTransaction, type MysqlBatch } from './mysql/execute.js'
export { isMysqlMigrated, migrateMysql } from './mysql/migrate.js'
export { createMysqlStorage } from './mysql/site-storage.js'
export { createMysqlAttempts, createMysqlIdempotency, createMysqlStore } from './mysql/storage.js'
