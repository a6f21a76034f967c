import { MIGRATIONS } from './dialect.js'

/**
 * Every migration of the schema, in order, for a migration tool of your own. Without such a tool, call
 * {@link migratePostgres}.
 *
 * A record of `hallpass/store` is JSON text in the column `record`. Each field that a statement compares or changes is a
 * column instead, or as well. Times are epoch seconds, and `due_at` is when `purge` deletes the row. The site is part of
 * every primary key, so that the rows of one site are never found by another.
 *
 * @example
 * ```ts
 * import { postgresMigrations } from 'hallpass/postgres'
 *
 * const [first] = postgresMigrations
 * first?.name // => 'tables'
 * first?.version // => 1
 * ```
 *
 * @group Migrations
 */
export const postgresMigrations: readonly {
  /** 1, 2, 3, … in the order of application. */
  readonly version: number
  /** A short description of the migration. */
  readonly name: string
  /** SQL statements, separated by semicolons. */
  readonly sql: string
  /**
   * The oldest migration whose processes keep working after this one, so that they may run, and start,
   * next to newer ones. Default: `version`, so that no older process starts any more.
   */
  readonly compatibleFrom?: number
}[] = MIGRATIONS.map(({ statements, ...migration }) => ({
  ...migration,
  sql: `${statements.join(';\n')};`,
}))

export type PostgresMigration = (typeof postgresMigrations)[number]
