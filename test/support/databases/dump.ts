import type { Execute } from 'hallpass/postgres'

/** Rows of a database as JSON text, each with its table. */
export type Dump = readonly (readonly [table: string, row: string])[]

/**
 * Reads every row of a database, or of one site.
 *
 * @param site - `null` for all rows, also of tables that know no sites
 */
export async function dumpOf(
  { execute }: { execute: Execute },
  site: string | null = null,
): Promise<Dump> {
  const { rows: tables } = await execute(
    `select t.table_name as name, exists (
       select from information_schema.columns c
       where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'site'
     ) as "hasSite"
     from information_schema.tables t where t.table_schema = 'public' order by 1`,
    [],
  )
  const dump: (readonly [string, string])[] = []
  for (const { name, hasSite } of tables as { name: string; hasSite: boolean }[]) {
    if (site !== null && !hasSite) continue
    const { rows } = await execute(
      `select to_jsonb(t)::text as row from "${name}" t where ${site === null ? '$1::text is null' : 'site = $1'}`,
      [site],
    )
    for (const { row } of rows as { row: string }[]) dump.push([name, row])
  }
  return dump
}

/** The tables of a dump in which one of these words is. */
export const tablesWith = (dump: Dump, words: readonly string[]): readonly string[] => [
  ...new Set(
    dump.filter(([, row]) => words.some((word) => row.includes(word))).map(([table]) => table),
  ),
]
