import type { Execute } from 'hallpass/postgres'

/** The options with which each feature inserts its part of the demo. */
export interface DemoOptions {
  readonly execute: Execute
  readonly site: string
  /** The clock, in seconds since the epoch. The times of all rows are relative to it. */
  readonly now: () => number
}

/** A part of the demo for each school, by the id of the school. */
export type PerSchool<Part> = Readonly<Record<string, (now: number) => Part>>

/** A row by column, lists and objects included. The site is added to each. */
export type JsonRow = Readonly<Record<string, unknown>>

/** Rows by table, without the prefix `school_`. All rows of a table have the same columns. */
export type JsonRows = Readonly<Record<string, readonly JsonRow[]>>

/** Inserts missing rows. Rows that people have changed since are kept. */
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
 * Fills columns of existing rows, by `id`.
 *
 * @param options - `unless`: a column that is empty until the row is filled or changed
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
