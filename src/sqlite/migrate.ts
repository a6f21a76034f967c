import { checkOptions, type Rules } from '../options/check.js'
import { type Batch, query } from '../sql/batch.js'
import { applyMigrations, isMigrated } from '../sql/migrate.js'
import { SQLITE_MIGRATIONS } from '../sql/schema.js'
import { SQLITE_RULES, sqliteOf } from './options.js'

/**
 * Creates the tables, or migrates them to this version of hallpass. Call it at start-up: concurrent calls
 * from several processes are safe. Each migration is one batch, and applied once, all or nothing.
 *
 * @param options - `batch`: runs the statements of a batch
 * @throws OptionsError that lists every mistake in the options
 * @throws Error - if the database has a newer migration than this version of hallpass knows, and that
 *   migration does not say that this version keeps working
 * @throws TypeError - if `batch` returns no rows for each statement, or rows that are not objects
 * @throws the error of the driver, if a statement fails
 * @example
 * ```ts
 * import { fromSync, migrateSqlite } from 'hallpass/sqlite'
 *
 * // In place of a database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const row = { version: 1, compatible_from: 1 }
 * const database = { exec: () => {}, prepare: () => ({ all: () => [row], run: () => {} }) }
 * await migrateSqlite({ batch: fromSync(database) })
 *
 * // Another process has applied a migration of a later version of hallpass.
 * Object.assign(row, { version: 999, compatible_from: 999 })
 * migrateSqlite({ batch: fromSync(database) }) // throws Error
 * ```
 *
 * @group Migrations
 */
export async function migrateSqlite(options: { batch: Batch }): Promise<void> {
  const { batch } = checkOptions('migrateSqlite', options, RULES)
  const database = sqliteOf({ batch })
  // Options of a driver change the form of a row, and then every record is read as absent.
  const [row] = await query(database, 'select 1 as version')
  if (row?.['version'] === undefined)
    throw new TypeError(
      `batch must return each row as an object: ${Array.isArray(row) ? 'it returned an array, so leave out returnArrays of node:sqlite, or raw of better-sqlite3' : 'docs/do/sqlite.md has a recipe for each driver'}`,
    )
  await applyMigrations(database, SQLITE_MIGRATIONS)
}

const RULES: Rules<{ batch: Batch }> = { batch: SQLITE_RULES.batch }

/**
 * Checks whether the database has every migration of this version of hallpass, for the option `checks` of
 * `createHealthEndpoints`. It also passes if the database has later ones, because a process continues while
 * others are updated.
 *
 * @param options - `batch`: runs the statements of a batch
 * @throws OptionsError that lists every mistake in the options
 * @returns whether no migration is missing. It rejects if the table of migrations does not exist
 * @throws TypeError - if `batch` returns no rows for each statement
 * @throws the error of the driver, if a statement fails
 * @example
 * ```ts
 * import { fromSync, isSqliteMigrated } from 'hallpass/sqlite'
 *
 * // In place of a database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [{ version: 0 }], run: () => {} }) }
 * await isSqliteMigrated({ batch: fromSync(database) }) // => false
 * ```
 *
 * @group Migrations
 */
export async function isSqliteMigrated(options: { batch: Batch }): Promise<boolean> {
  const { batch } = checkOptions('isSqliteMigrated', options, RULES)
  return isMigrated(sqliteOf({ batch }), SQLITE_MIGRATIONS)
}
