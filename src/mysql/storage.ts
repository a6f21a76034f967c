import type { IdempotencyStore } from '../admin/idempotency.js'
import type { AttemptStore } from '../clients/attempts/attempt.js'
import { checkOptions, optional, type Rules } from '../options/check.js'
import { createSqlAttempts } from '../sql/attempts.js'
import { createSqlIdempotency } from '../sql/idempotency.js'
import { NOW_RULE } from '../sql/options.js'
import { createSqlStore } from '../sql/store.js'
import { guaranteesOfServer, OWN_GUARANTEES } from '../store/guarantees.js'
import type { Store } from '../store/store.js'
import { MYSQL_RULES, type MysqlOptions, mysqlOf } from './options.js'

/**
 * Creates a store on MySQL or MariaDB, in the tables that {@link migrateMysql} creates. Each method with a winner is one
 * transaction, which locks the row that decides.
 *
 * A transaction that failed because of others is tried again, for 1.4 seconds at most. One whose answer was lost is run
 * again, up to twice. A method that then finds the row that only it can have written returns that it won.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns a store with every group, whose methods reject with the driver's error. If a table or column is missing,
 *   that is a `StorageFailure` whose message names `migrateMysql`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createMysqlStore, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool to an empty database: createPool('mysql://school@localhost/school') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * const store = createMysqlStore({ batch: fromPool(pool), site: 'school' })
 * await store.findClient('study-app') // => null
 * await store.listKeys() // => []
 * ```
 *
 * @group Storage
 */
export function createMysqlStore(
  options: MysqlOptions & {
    /**
     * The promises of the server's settings, where they are more or less than the default. On a cluster that waits for
     * another node: `{ acknowledged: 'survives the computer' }`. With `innodb_flush_log_at_trx_commit = 2`: `'survives the
     * process'`. Default: `survives a power failure`, `latest`, `own` and `many`, as a server with the default settings does
     */
    readonly guarantees?: Partial<Store['guarantees']>
    /**
     * Returns the time in epoch seconds, for tests that have a clock of their own. Default: the clock of the
     * database
     */
    readonly now?: () => number
  },
): Store {
  const { guarantees, ...checked } = checkOptions('createMysqlStore', options, STORE_RULES)
  const database = mysqlOf(checked)
  return createSqlStore(() => database, guaranteesOfServer(guarantees))
}

/** The rule of each option of a store. */
export const STORE_RULES: Rules<Parameters<typeof createMysqlStore>[0]> = {
  ...MYSQL_RULES,
  ...NOW_RULE,
  guarantees: optional(OWN_GUARANTEES),
}

/**
 * Creates the storage for `Idempotency-Key` values of the admin API on MySQL or MariaDB, in a table that
 * {@link migrateMysql} creates. Of concurrent requests with one key, exactly one receives `new`.
 * Expired keys are deleted by `purge` of {@link createMysqlStore}.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns the storage to pass to `createAdminApi` from `hallpass/admin`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createMysqlIdempotency, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool to an empty database: createPool('mysql://school@localhost/school') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * const idempotency = createMysqlIdempotency({ batch: fromPool(pool), site: 'school' })
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
export function createMysqlIdempotency(options: MysqlOptions): IdempotencyStore {
  return createSqlIdempotency(mysqlOf(checkOptions('createMysqlIdempotency', options, MYSQL_RULES)))
}

/**
 * Creates the storage of attempts to connect on MySQL or MariaDB, in a table that {@link migrateMysql} creates. Its
 * bounds are those of `createMemoryAttempts` from hallpass/clients, and `maintain` deletes what is older than 30
 * days.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns the storage to pass to `recordAttempts`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createMysqlAttempts, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool to an empty database: createPool('mysql://school@localhost/school') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * const attempts = createMysqlAttempts({ batch: fromPool(pool), site: 'school' })
 * await attempts.find('att_qTo0UaDHr9Zv7dRk') // => null
 * ```
 *
 * @group Storage
 */
export function createMysqlAttempts(options: MysqlOptions): AttemptStore {
  return createSqlAttempts(mysqlOf(checkOptions('createMysqlAttempts', options, MYSQL_RULES)))
}
