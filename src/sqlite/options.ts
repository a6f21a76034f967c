import type { Rules } from '../options/check.js'
import type { Batch, Batching, Database } from '../sql/batch.js'
import { SQLITE } from '../sql/dialect.js'
import { databaseOf, sqlRules } from '../sql/options.js'

/**
 * The options of a storage on SQLite.
 *
 * @inline
 */
export interface SqliteOptions {
  /** Runs the statements of a batch: what {@link fromSync}, or another function for your driver, returned. */
  readonly batch: Batch
  /**
   * The value of the `site` column of every row that it reads and writes, so that several sites can share a
   * database. Not blank.
   */
  readonly site: string
  /**
   * Returns a random number of at least 0 and less than 1, from which the pause before another run of a
   * batch is made. Default: the generator of the platform
   */
  readonly chance?: () => number
}

/** The rule of each option of a storage on SQLite. */
export const SQLITE_RULES: Rules<SqliteOptions> = sqlRules(
  'fromSync(new DatabaseSync("school.db"))',
)

/** Returns where the rows of a storage are, by its options. */
export const sqliteOf = ({
  batch,
  ...options
}: Partial<SqliteOptions> & {
  readonly batch: Batch
  readonly now?: (() => number) | null
}): Database =>
  // Every step of this dialect is a statement.
  databaseOf(SQLITE, { batch: batch as Batching, ...options })
