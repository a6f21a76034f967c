import { checkOptions, type Rules } from '../options/check.js'
import type { Database } from '../sql/batch.js'
import { applyMigrations, isMigrated } from '../sql/migrate.js'
import type { SqlMigration } from '../sql/schema.js'
import { statement, type Statement, type Step } from '../sql/statement.js'
import { checkBatch } from './check-batch.js'
import { isConflict, isOneOf, MYSQL_MIGRATIONS } from './dialect.js'
import type { MysqlBatch } from './execute.js'
import { MYSQL_RULES, mysqlOf } from './options.js'

/** How long the server waits until another process has migrated, and how often it is asked. */
const LOCK_SECONDS = 3
const TRIES = 20
const LOCK = `select get_lock('hallpass_migration', ${LOCK_SECONDS}) as locked`
const UNLOCK = statement(`do release_lock('hallpass_migration')`)
/** The table, the column or the index of a statement is there already, or is not there any more. */
const isRepeated = isOneOf([1050, 1060, 1061, 1091])

/** Another process migrates. */
class Busy extends Error {}

/**
 * Creates the tables, or migrates them to this version of hallpass. Call it at start-up: concurrent calls
 * from several processes are safe. Before, it checks what `batch` makes of values and failures.
 *
 * The database commits each change of the schema by itself. So one process migrates at a time, and another waits for a
 * minute at most. Each statement may be repeated, and the version is stored last. So a migration that ended half way
 * continues.
 *
 * @param options - `batch`: runs a transaction
 * @throws OptionsError that lists every mistake in the options
 * @throws TypeError - if `batch` changes values, cuts them, or is not a transaction
 * @throws Error - if the database has a newer migration than this version of hallpass knows, and that
 *   migration does not say that this version keeps working
 * @throws Error - if another process still migrates
 * @throws the error of the driver, if a statement fails
 * @example
 * ```ts
 * import { fromPool, migrateMysql } from 'hallpass/mysql'
 *
 * // In place of a pool: createPool('mysql://school@localhost/school') of mysql2/promise. This one loses every value.
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * migrateMysql({ batch: fromPool(pool) }) // throws TypeError
 * ```
 *
 * @group Migrations
 */
export async function migrateMysql(options: { batch: MysqlBatch }): Promise<void> {
  const { batch } = checkOptions('migrateMysql', options, RULES)
  const database = mysqlOf({ batch })
  await checkBatch(database)
  await migrateBy(database, MYSQL_MIGRATIONS)
}

const RULES: Rules<{ batch: MysqlBatch }> = { batch: MYSQL_RULES.batch }

/** Applies the migrations of a list, with patience for others. */
export async function migrateBy(
  database: Database,
  migrations: readonly SqlMigration[],
): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await applyMigrations(database, migrations, (row, migration) => [
        alone(row, migration),
      ])
    } catch (fault) {
      if (attempt >= TRIES || !(fault instanceof Busy || isConflict(fault))) throw fault
    }
}

/** Applies a migration on one connection, which holds a lock of the server until then. */
const alone =
  (row: Statement, { version, statements }: SqlMigration): Step =>
  async (run) => {
    const [asked] = await run(statement(LOCK))
    if (Number(asked!['locked']) !== 1)
      throw new Busy('another process migrates the database, and has not ended')
    try {
      const applied = 'select version from hallpass_migration where version = ?'
      if ((await run(statement(applied, version))).length > 0) return []
      for (const sql of statements)
        await run(statement(sql)).catch((fault: unknown) => {
          if (!isRepeated(fault)) throw fault
        })
      await run(row)
    } finally {
      // If it fails, the connection is lost, and the lock with it.
      await run(UNLOCK).catch(() => {})
    }
    return []
  }

/**
 * Checks whether the database has every migration of this version of hallpass, for the option `checks` of
 * `createHealthEndpoints`. It also passes if the database has later ones, because a process continues while
 * others are updated.
 *
 * @param options - `batch`: runs a transaction
 * @throws OptionsError that lists every mistake in the options
 * @returns whether no migration is missing. It rejects if the table of migrations does not exist
 * @throws the error of the driver, if a statement fails
 * @example
 * ```ts
 * import { fromPool, isMysqlMigrated } from 'hallpass/mysql'
 *
 * // In place of a pool: createPool('mysql://school@localhost/school') of mysql2/promise
 * const execute = async () => [[{ version: 0 }]]
 * const connection = { query: async () => [], execute, release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 * await isMysqlMigrated({ batch: fromPool(pool) }) // => false
 * ```
 *
 * @group Migrations
 */
export async function isMysqlMigrated(options: { batch: MysqlBatch }): Promise<boolean> {
  const { batch } = checkOptions('isMysqlMigrated', options, RULES)
  return isMigrated(mysqlOf({ batch }), MYSQL_MIGRATIONS)
}
