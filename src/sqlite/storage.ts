import type { IdempotencyStore } from '../admin/idempotency.js'
import type { AttemptStore } from '../clients/attempts/attempt.js'
import { checkOptions, type Rules } from '../options/check.js'
import { createSqlAttempts } from '../sql/attempts.js'
import { createSqlIdempotency } from '../sql/idempotency.js'
import { NOW_RULE } from '../sql/options.js'
import { createSqlStore } from '../sql/store.js'
import type { Store } from '../store/store.js'
import { FILE } from './execute.js'
import { SQLITE_RULES, type SqliteOptions, sqliteOf } from './options.js'

/**
 * Creates a store on SQLite, in the tables that {@link migrateSqlite} creates. Each method with a winner is one batch of
 * statements, and so atomic on every driver of SQLite, with several processes on one file.
 *
 * A batch that failed because another process writes is tried again, up to 240 times in about a second. A batch whose
 * answer was lost is run again, up to twice. A method that then finds the row that only it can have written returns that
 * it won.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns a store with every group, whose methods reject with the driver's error. If a table or column is missing,
 *   that is a `StorageFailure` whose message names `migrateSqlite`. If `batch` returns no rows for each statement, it is
 *   a TypeError
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createSqliteStore, fromSync } from 'hallpass/sqlite'
 *
 * // In place of an empty database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => {} }) }
 *
 * const store = createSqliteStore({ batch: fromSync(database), site: 'school' })
 * await store.findClient('study-app') // => null
 * await store.listKeys() // => []
 * ```
 *
 * @group Storage
 */
export function createSqliteStore(
  options: SqliteOptions & {
    /**
     * Returns the time in epoch seconds, for tests that have a clock of their own. Default: the clock of the
     * database
     */
    readonly now?: () => number
  },
): Store {
  const checked = checkOptions('createSqliteStore', options, STORE_RULES)
  const database = sqliteOf(checked)
  return createSqlStore(() => database, checked.batch.guarantees ?? FILE)
}

/** The rule of each option of a store. */
export const STORE_RULES: Rules<Parameters<typeof createSqliteStore>[0]> = {
  ...SQLITE_RULES,
  ...NOW_RULE,
}

/**
 * Creates the storage for `Idempotency-Key` values of the admin API on SQLite, in a table that
 * {@link migrateSqlite} creates. Of concurrent requests with one key, exactly one receives `new`.
 * Expired keys are deleted by `purge` of {@link createSqliteStore}.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns the storage to pass to `createAdminApi` from `hallpass/admin`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createSqliteIdempotency, fromSync } from 'hallpass/sqlite'
 *
 * // In place of an empty database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => {} }) }
 *
 * const idempotency = createSqliteIdempotency({ batch: fromSync(database), site: 'school' })
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
export function createSqliteIdempotency(options: SqliteOptions): IdempotencyStore {
  return createSqlIdempotency(
    sqliteOf(checkOptions('createSqliteIdempotency', options, SQLITE_RULES)),
  )
}

/**
 * Creates the storage of attempts to connect on SQLite, in a table that {@link migrateSqlite} creates. Its
 * bounds are those of `createMemoryAttempts` from hallpass/clients, and `maintain` deletes what is older than 30
 * days.
 *
 * @param options - `batch`: the driver; `site`: the value of the column `site` of each row
 * @returns the storage to pass to `recordAttempts`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createSqliteAttempts, fromSync } from 'hallpass/sqlite'
 *
 * // In place of an empty database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => {} }) }
 *
 * const attempts = createSqliteAttempts({ batch: fromSync(database), site: 'school' })
 * await attempts.find('att_qTo0UaDHr9Zv7dRk') // => null
 * ```
 *
 * @group Storage
 */
export function createSqliteAttempts(options: SqliteOptions): AttemptStore {
  return createSqlAttempts(sqliteOf(checkOptions('createSqliteAttempts', options, SQLITE_RULES)))
}
