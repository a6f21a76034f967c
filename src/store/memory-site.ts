import { emptyTables, type MemoryTables } from './memory.js'

type Table = keyof MemoryTables
const FORMAT = 'rows of a memory store'
/** Tables of which a person may read a copy, without the secrets of clients. */
const READABLE: readonly Table[] = ['clients', 'consents', 'grants', 'erasures', 'clock', 'events']

const mapOf = (tables: MemoryTables, table: Table): Map<string, unknown> => tables[table]
const namesOf = (tables: MemoryTables): readonly Table[] => Object.keys(tables) as Table[]

export const rowsIn = (tables: MemoryTables): number =>
  namesOf(tables).reduce((sum, table) => sum + tables[table].size, 0)

const shownOf = (table: Table, row: unknown): unknown =>
  table === 'clients' ? { ...(row as object), secrets: [] } : row

/** Returns the lines of an export. */
export function linesOf(
  site: string,
  tables: MemoryTables,
  credentials: boolean,
): readonly string[] {
  const rows = namesOf(tables)
    .filter((table) => credentials || READABLE.includes(table))
    .flatMap((table) =>
      [...mapOf(tables, table)].map(([key, row]) => ({
        table,
        key,
        row: credentials ? row : shownOf(table, row),
      })),
    )
  const first = { hallpass: FORMAT, site, ...(!credentials && { credentials }) }
  return [first, ...rows, { end: rows.length }].map((line) => JSON.stringify(line))
}

/** Reads the lines of an export, all of them before any is stored. */
export async function readLines(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<{ readonly site: string; readonly tables: MemoryTables }> {
  let site: string | null = null
  let isEnded = false
  let rows = 0
  const tables = emptyTables()
  for await (const text of lines) {
    const line = lineOf(text)
    if (isEnded) throw refused('has lines behind its last one')
    if (site === null) {
      if (line['hallpass'] !== FORMAT || typeof line['site'] !== 'string')
        throw refused('does not begin as one of a memory storage')
      if (line['credentials'] === false) throw refused('lacks its credentials')
      site = line['site']
    } else if ('end' in line) {
      if (line['end'] !== rows) throw refused('lacks rows')
      isEnded = true
    } else {
      const { table, key, row } = line
      if (!Object.hasOwn(tables, table as string) || typeof key !== 'string' || row === undefined)
        throw refused('has a line that is not a row')
      mapOf(tables, table as Table).set(key, row)
      rows++
    }
  }
  if (site === null || !isEnded) throw refused('lacks its last line')
  return { site, tables }
}

const refused = (what: string): Error => new Error(`the export ${what}: nothing was stored`)

function lineOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line === 'object' && line !== null) return line as Readonly<Record<string, unknown>>
  } catch {
    // A text that is not JSON.
  }
  throw refused('has a line that is not JSON')
}

/** Whether every row of some tables is one of others, or is missing there. */
export const haveOnly = (tables: MemoryTables, others: MemoryTables): boolean =>
  namesOf(tables).every((table) =>
    [...mapOf(tables, table)].every(
      ([key, row]) => JSON.stringify(row) === JSON.stringify(mapOf(others, table).get(key)),
    ),
  )
