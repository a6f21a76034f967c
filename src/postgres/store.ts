import { checkOptions } from '../options/check.js'
import { createSqlStore } from '../sql/store.js'
import { guaranteesOfServer } from '../store/guarantees.js'
import type { Store } from '../store/store.js'
import { databaseFor } from './database.js'
import { type PostgresOptions, STORE_RULES } from './execute.js'
import { purge } from './purge.js'

/**
 * Creates a store on PostgreSQL, in the tables that {@link migratePostgres} creates. Each change with one winner is one
 * statement, with its events. It is therefore atomic on any connection of a pool. `revokeGrants`, `revokeGrantsOfClient`
 * and `erasePerson` first end open codes, and each of their statements can be repeated.
 *
 * At every isolation level, a statement that PostgreSQL rolls back because of a concurrent one (SQLSTATE
 * 40001, 40P01, 23505) is run again, up to 12 times. A statement whose connection was lost is run again, up to
 * twice. A method that then finds the row that only it can have written returns that it won.
 *
 * @param options - see {@link PostgresOptions}
 * @returns a store with every group, whose methods reject with the driver's error. If a table or column is missing,
 *   that is a `StorageFailure` whose message names `migratePostgres`. If `execute` resolves to neither `{ rows }` nor
 *   the rows, it is a TypeError
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresStore, type Execute } from 'hallpass/postgres'
 *
 * // In place of an empty database. With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const store = createPostgresStore({ execute, site: 'school' })
 * await store.findClient('study-app') // => null
 * await store.listKeys() // => []
 * ```
 *
 * @group Storage
 */
export function createPostgresStore(
  options: PostgresOptions & {
    /**
     * The promises of the server's settings, where they are more or less than the default. With synchronous replicas:
     * `{ acknowledged: 'survives the computer' }`. With `synchronous_commit = off`: `'survives the process'`. PGlite in
     * memory: `{ acknowledged: 'lost with the process', clock: 'process', processes: 'one' }`. Default: `survives a power
     * failure`, `latest`, `own` and `many`, as a server with the default settings does
     */
    readonly guarantees?: Partial<Store['guarantees']>
    /**
     * Returns the time in epoch seconds, for tests that have a clock of their own. Default: the clock of the
     * database
     */
    readonly now?: () => number
  },
): Store {
  const { guarantees, ...checked } = checkOptions('createPostgresStore', options, STORE_RULES)
  return createSqlStore(databaseFor(checked), guaranteesOfServer(guarantees), { purge })
}
