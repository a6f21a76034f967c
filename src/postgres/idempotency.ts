import type { IdempotencyStore } from '../admin/idempotency.js'
import { checkOptions } from '../options/check.js'
import { createSqlIdempotency } from '../sql/idempotency.js'
import { databaseFor } from './database.js'
import { POSTGRES_RULES, type PostgresOptions } from './execute.js'

/**
 * Creates the storage for `Idempotency-Key` values of the admin API on PostgreSQL, in a table that
 * {@link migratePostgres} creates. Of concurrent requests with one key, exactly one receives `new`.
 * Expired keys are deleted by `purge` of {@link createPostgresStore}.
 *
 * A statement that PostgreSQL rolls back because of a concurrent one is run again, as by
 * {@link createPostgresStore}.
 *
 * @param options - see {@link PostgresOptions}
 * @returns the storage to pass to `createAdminApi` from `hallpass/admin`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresIdempotency, type Execute } from 'hallpass/postgres'
 *
 * // In place of a database that has stored the key. With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = async () => ({ rows: [{ is_won: 1 }] })
 *
 * const idempotency = createPostgresIdempotency({ execute, site: 'school' })
 * await idempotency.begin({
 *   keyHash: 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o',
 *   requestHash: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
 *   now: 1795165200,
 *   expiresAt: 1795251600,
 * }) // => { state: 'new' }
 * ```
 *
 * @group Storage
 */
export function createPostgresIdempotency(options: PostgresOptions): IdempotencyStore {
  const checked = checkOptions('createPostgresIdempotency', options, POSTGRES_RULES)
  return createSqlIdempotency(databaseFor(checked)('idempotency'))
}
