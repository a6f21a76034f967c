/**
 * PostgreSQL as the storage of a site: the store, the keys of `Idempotency-Key`, attempts to connect, and the
 * migrations that create their tables. Works with every driver that runs one statement with `$1`, `$2`, … and resolves to
 * its rows, such as `pg`, Postgres.js and PGlite, or a query builder around one.
 *
 * Start with {@link Execute}, which adapts your driver, {@link migratePostgres}, which creates the tables,
 * and {@link createPostgresStore}.
 *
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite'
 * import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
 *
 * const database = await PGlite.create() // With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = (text, values) => database.query(text, values)
 *
 * await migratePostgres({ execute }) // at start-up
 * const store = createPostgresStore({ execute, site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @module
 */

export type { Execute, PostgresOptions } from './postgres/execute.js'
export { createPostgresAttempts } from './postgres/attempts.js'
export { createPostgresIdempotency } from './postgres/idempotency.js'
export { isPostgresMigrated, migratePostgres } from './postgres/migrate.js'
export { postgresMigrations } from './postgres/schema.js'
export { createPostgresStore } from './postgres/store.js'
export { createPostgresStorage } from './postgres/site-storage.js'
