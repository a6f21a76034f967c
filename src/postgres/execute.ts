import { callback, optional, type Rules, text } from '../options/check.js'
import { OWN_GUARANTEES } from '../store/guarantees.js'
import type { Store } from '../store/store.js'

/**
 * Runs one SQL statement with the parameters `$1`, `$2`, … and resolves to its rows. You write it around
 * your driver; each call may use another connection of a pool. With `pg`:
 *
 * ```ts
 * const execute: Execute = (text, values, name) => pool.query({ name, text, values })
 * ```
 *
 * With a `name`, PostgreSQL parses and plans the statement once for each connection. A name belongs to one text
 * for ever: it has at most 63 characters of `A-Z a-z 0-9 _ -` and ends with a hash of the text. Migrations have no
 * name. A driver that prepares statements by itself, or cannot, ignores it.
 *
 * `jsonb` values must be returned parsed, and columns by their names, as `pg` and PGlite do by default. On failure it
 * must reject with the driver's error, whose `code` is the SQLSTATE, or with one that wraps it as its `cause`.
 * {@link migratePostgres} checks this.
 *
 * @group Driver
 */
export type Execute<
  Result extends { readonly rows: readonly unknown[] } | readonly unknown[] = {
    readonly rows: readonly unknown[]
  },
> = (sql: string, parameters: unknown[], name?: string) => Promise<Result>

/**
 * The result of a driver: an object with the rows, or the rows themselves.
 */
export type QueryResult = { readonly rows: readonly unknown[] } | readonly unknown[]

/**
 * The options of a storage on PostgreSQL.
 *
 * @group Storage
 */
export interface PostgresOptions {
  /** Runs one statement. */
  readonly execute: Execute<{ readonly rows: readonly unknown[] } | readonly unknown[]>
  /**
   * The value of the `site` column of every row that it reads and writes, so that several sites can share a
   * database. Not blank.
   */
  readonly site: string
  /**
   * Returns a random number of at least 0 and less than 1, from which the pause before another run of a
   * statement is made. Default: the generator of the platform
   */
  readonly chance?: () => number
}

/** The rule of each option of a storage on PostgreSQL. */
export const POSTGRES_RULES: Rules<PostgresOptions> = {
  execute: callback('(sql, parameters) => pool.query(sql, parameters)'),
  site: text('"school"'),
  chance: optional(callback('() => 0.5')),
}

/** The rule of each option of a store on PostgreSQL. */
export const STORE_RULES: Rules<
  PostgresOptions & {
    readonly guarantees?: Partial<Store['guarantees']>
    readonly now?: () => number
  }
> = {
  ...POSTGRES_RULES,
  guarantees: optional(OWN_GUARANTEES),
  now: optional(callback('() => Math.floor(Date.now() / 1000)')),
}

/**
 * Returns the rows of a statement from either form of {@link QueryResult}.
 *
 * @throws TypeError - if the driver resolved to neither form, or with a row that is not an object; the message names what it resolved to
 */
export function rowsOf(result: QueryResult): readonly object[] {
  // The host application supplies the driver, so the result may be anything.
  const { rows = result } = (result ?? {}) as { readonly rows?: unknown }
  if (!Array.isArray(rows)) throw refused(kindOf(result))
  for (const row of rows)
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw refused(
        `rows of which one is ${Array.isArray(row) ? 'an array, as with rowMode of pg' : kindOf(row)}`,
      )
  return rows
}

const refused = (what: string): TypeError =>
  new TypeError(
    `execute must resolve to { rows } or to the rows, each an object, such as (sql, parameters) => pool.query(sql, parameters); it resolved to ${what}`,
  )

// The message names the members only: their values may be personal data.
function kindOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return result === null ? 'null' : typeof result
  return `an object with ${Object.keys(result).slice(0, 10).join(', ') || 'nothing in it'}`
}
