import type { Execute } from 'hallpass/postgres'

/** What each feature puts its part of the demo in with. */
export interface DemoOptions {
  readonly execute: Execute
  readonly site: string
  /** Epoch seconds: the times of all rows are counted from here. */
  readonly now: () => number
}

/** What each school of the demo has, by its id. */
export type PerSchool<Part> = Readonly<Record<string, (now: number) => Part>>

/** A row by column, lists and objects included; the site is added to each. */
export type JsonRow = Readonly<Record<string, unknown>>

/** Rows by table, without the prefix `school_`; all of a table have the same columns. */
export type JsonRows = Readonly<Record<string, readonly JsonRow[]>>

/** Inserts rows where they are missing. What somebody has changed since stays. */
export async function insertMissing(
  { execute, site }: DemoOptions,
  tables: JsonRows = {},
): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) {
    const [first] = rows
    if (first === undefined) continue
    const columns = Object.keys(first).join(', ')
    await execute(
      `insert into school_${table} (site, ${columns})
       select $1, ${columns} from jsonb_populate_recordset(null::school_${table}, $2::text::jsonb)
       on conflict do nothing`,
      [site, JSON.stringify(rows)],
    )
  }
}

/**
 * Fills columns of rows that have been there before, by `id`.
 *
 * @param options - `unless`: the column that is empty in rows which nobody has filled or changed yet
 */
export async function fillIn(
  { execute, site }: DemoOptions,
  {
    table,
    columns,
    unless,
    rows,
  }: {
    table: string
    columns: readonly [string, string, ...string[]]
    unless: string
    rows: readonly JsonRow[]
  },
): Promise<void> {
  await execute(
    `update school_${table} t
     set (${columns.join(', ')}) = (select ${columns.map((name) => `r.${name}`).join(', ')})
     from jsonb_populate_recordset(null::school_${table}, $2::text::jsonb) r
     where t.site = $1 and t.id = r.id and t.${unless} is null`,
    [site, JSON.stringify(rows)],
  )
}
