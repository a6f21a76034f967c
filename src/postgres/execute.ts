/**
 * Runs one SQL statement with the parameters `$1`, `$2`, … and resolves to its rows. `jsonb` values
 * come back parsed, as `pg` and PGlite do by themselves:
 *
 * ```ts
 * const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
 * ```
 *
 * Rejects with the driver's error, whose `code` is the SQLSTATE.
 */
export type Execute<Result extends QueryResult = { readonly rows: readonly unknown[] }> = (
  sql: string,
  parameters: unknown[],
) => Promise<Result>

/** What a driver resolves to: an object with the rows, or the rows themselves. */
export type QueryResult = { readonly rows: readonly unknown[] } | readonly unknown[]

/**
 * The rows of a statement, whichever way the driver has them.
 *
 * @throws TypeError - where it resolved to neither, with what that was
 */
export function rowsOf(result: QueryResult): readonly unknown[] {
  // The driver is the host's: it may have resolved to anything.
  const { rows = result } = (result ?? {}) as { readonly rows?: unknown }
  if (Array.isArray(rows)) return rows
  throw new TypeError(
    `execute must resolve to { rows } or to the rows, such as (sql, parameters) => pool.query(sql, parameters); it resolved to ${kindOf(result)}`,
  )
}

// Its names and no values: they are somebody's data.
function kindOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return result === null ? 'null' : typeof result
  return `an object with ${Object.keys(result).slice(0, 10).join(', ') || 'nothing in it'}`
}
