import type { AttemptStore } from '../clients/attempts/attempt.js'
import { checkOptions } from '../options/check.js'
import { createSqlAttempts } from '../sql/attempts.js'
import { databaseFor } from './database.js'
import { POSTGRES_RULES, type PostgresOptions } from './execute.js'

/**
 * Creates the storage of attempts to connect on PostgreSQL, in a table that {@link migratePostgres} creates. Its
 * bounds are those of `createMemoryAttempts` from hallpass/clients, and `maintain` deletes what is older than 30
 * days.
 *
 * @param options - see {@link PostgresOptions}
 * @returns the storage to pass to `defineSite` as `attempts`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresAttempts, type Execute } from 'hallpass/postgres'
 *
 * // In place of a database. With pg: (sql, parameters) => pool.query(sql, parameters)
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const attempts = createPostgresAttempts({ execute, site: 'school' })
 * await attempts.find('att_qTo0UaDHr9Zv7dRk') // => null
 * ```
 *
 * @group Storage
 */
export function createPostgresAttempts(options: PostgresOptions): AttemptStore {
  const checked = checkOptions('createPostgresAttempts', options, POSTGRES_RULES)
  return createSqlAttempts(databaseFor(checked)('attempts'))
}
