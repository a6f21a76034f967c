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
export type Execute = (
  sql: string,
  parameters: unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>
