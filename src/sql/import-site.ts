import { letOthersIn } from '../store/deadline.js'
import type { SiteStorage } from '../store/storage.js'
import { type Database, query } from './batch.js'
import { byIndex, isOfGrants, rowsFound, walksOf } from './site-rows.js'
import { MOST_VALUES, type Value } from './statement.js'
import type { Table } from './tables.js'

/** The form of an export, which its first line says. */
export const FORMAT = 1
/** In characters. A row has less than a tenth of it. */
const LONGEST_LINE = 2 ** 24
/** How many rows are looked up and stored together. */
const MOST_ROWS = MOST_VALUES
/** The length of lines that are all checked before one of them is stored. */
const MOST_CHARACTERS = 2 ** 23

type Record_ = Readonly<Record<string, unknown>>
type StoredRow = Readonly<Record<string, Value>>

interface Known {
  readonly tables: readonly Table[]
  readonly migration: number
}

const isRecord = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const has = (value: unknown, ...names: readonly string[]): value is Record_ =>
  isRecord(value) && Object.keys(value).toSorted().join() === names.toSorted().join()

function parsed(line: unknown): unknown {
  if (typeof line !== 'string') throw new TypeError('it is not a text')
  if (line.length > LONGEST_LINE) throw new Error(`it has more than ${LONGEST_LINE} characters`)
  try {
    return JSON.parse(line)
  } catch {
    // The error of the parser quotes the line.
    throw new Error('it is not JSON')
  }
}

/** Reads the first line, and returns the site. */
function siteOf(value: unknown, { migration: known }: Known): string {
  if (!isRecord(value) || value['hallpass'] === undefined)
    throw new Error('it does not begin an export of a site')
  const { hallpass, site, migration, credentials = true, ...others } = value
  if (hallpass !== FORMAT || Object.keys(others).length > 0)
    throw new Error('the export is of a version of hallpass that this one does not know')
  if (typeof site !== 'string' || site.trim() === '') throw new Error('the site must be a text')
  if (!Number.isSafeInteger(migration) || Number(migration) < 1)
    throw new Error('the migration must be a whole number')
  if (Number(migration) > known)
    throw new Error(
      `the export is from a database with migration ${Number(migration)}, but this version of hallpass knows migrations up to ${known}: update hallpass`,
    )
  if (credentials !== true) throw new Error('the export was made without credentials')
  return site
}

/** Checks a row: its site, and the type of each column. */
function checked(row: unknown, { name, columns }: Table, site: string): StoredRow {
  if (!isRecord(row)) throw new Error(`the row of ${name} must be an object`)
  if (row['site'] !== site) throw new Error(`the row of ${name} is of another site`)
  const stranger = Object.keys(row).find((key) => columns.every((column) => column.name !== key))
  if (stranger !== undefined)
    throw new Error(`the row of ${name} has a column that the table lacks`)
  for (const { name: column, isInteger, isRequired } of columns) {
    const value = Object.hasOwn(row, column) ? row[column] : undefined
    const fits =
      value === undefined
        ? !isRequired
        : isInteger
          ? Number.isSafeInteger(value)
          : typeof value === 'string'
    if (!fits) throw new Error(`${name}.${column} must be a ${isInteger ? 'whole number' : 'text'}`)
  }
  return row as StoredRow
}

/** Checks lines in their order. */
function createReader(known: Known) {
  const counts = known.tables.map(() => 0)
  let [place, isEnded] = [0, false]
  let site: string | null = null
  function end(value: unknown): null {
    const isWhole = known.tables.every(
      ({ name }, index) => isRecord(value) && (value[name] ?? 0) === counts[index],
    )
    if (!isWhole) throw new Error('the export has other rows than its last line says')
    isEnded = true
    return null
  }
  return {
    counts,
    site: () => site!,
    /** Returns the row of a line; `null` for the first and the last. */
    read(line: unknown): { readonly table: Table; readonly row: StoredRow } | null {
      // A file may end with an empty line.
      if (isEnded && line === '') return null
      if (isEnded) throw new Error('it is behind the last line of the export')
      const value = parsed(line)
      if (site === null) {
        site = siteOf(value, known)
        return null
      }
      if (has(value, 'end')) return end(value['end'])
      if (!has(value, 'table', 'row')) throw new Error('it is neither a row nor the last line')
      const index = known.tables.findIndex(({ name }) => name === value['table'])
      if (index === -1) throw new Error('its table is unknown')
      if (index < place) throw new Error(`rows of ${known.tables[index]!.name} must be before`)
      place = index
      counts[index]!++
      const table = known.tables[index]!
      return { table, row: checked(value['row'], table, site) }
    },
    close() {
      if (!isEnded) throw new Error('importSite: the last line is missing: the export was cut off')
    },
  }
}

/** The rows that a database does not have yet. */
async function missingOf(
  database: Database,
  table: Table,
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const { name, key, columns } = table
  const keys = rows.map((row) => row[key]!)
  const found = new Map((await rowsFound(database, table, keys)).map((row) => [row[key], row]))
  return rows.filter((row) => {
    const stored = found.get(row[key])
    if (stored === undefined) return true
    const other = columns.find((one) => !one.isNumbered && stored[one.name] !== row[one.name])
    if (other === undefined) return false
    throw new Error(
      `importSite: the database has another row of ${name}: its ${other.name} differs. Erase the site, or import into another database`,
    )
  })
}

interface Chunk {
  readonly table: Table
  readonly rows: readonly StoredRow[]
}

/** Stores rows that are not there yet. */
async function insert(database: Database, { table, rows }: Chunk): Promise<void> {
  const columns = table.columns.filter(({ isNumbered }) => !isNumbered).map(({ name }) => name)
  const values = rows.map((row) => columns.map((column) => row[column] ?? null))
  try {
    await database.run(database.dialect.inserting(table.name, columns, values))
  } catch (fault) {
    // The answer of an attempt may have been lost.
    if ((await missingOf(database, table, rows)).length > 0) throw fault
  }
}

/** Stores chunks, after each of their rows was compared with what the database has. */
async function store(database: Database, chunks: readonly Chunk[]): Promise<void> {
  const missing: Chunk[] = []
  for (const { table, rows } of chunks) {
    if (new Set(rows.map((row) => row[table.key])).size < rows.length)
      throw new Error(`importSite: the export has a row of ${table.name} twice`)
    missing.push({ table, rows: await missingOf(database, table, rows) })
    await letOthersIn()
  }
  for (const chunk of missing.filter(({ rows }) => rows.length > 0)) {
    await insert(database, chunk)
    await letOthersIn()
  }
}

/** Counts the rows of the site that the export does not have, where an index counts them. */
async function checkNoOthers(
  database: Database,
  { tables }: Known,
  counts: readonly number[],
): Promise<void> {
  for (const [index, table] of tables.entries()) {
    if (isOfGrants(table)) continue
    let rows = 0
    for (const walk of walksOf(table)) {
      const sql = `select count(*) as number from ${table.name}${byIndex(database, walk)} where site = ?${walk.where}`
      const [counted] = await query(database, sql, database.site)
      rows += Number(counted!['number'])
    }
    if (rows !== counts[index])
      throw new Error(
        `importSite: the database has rows of ${table.name} that the export does not have: erase the site, and import it again`,
      )
  }
}

/** Returns the method that stores the rows of an export. */
export const importer =
  (anywhere: Database, known: Known): SiteStorage['importSite'] =>
  async (lines) => {
    const reader = createReader(known)
    let waiting: { table: Table; rows: StoredRow[] }[] = []
    let characters = 0
    let number = 0
    for await (const line of lines) {
      number++
      let found: ReturnType<typeof reader.read>
      try {
        found = reader.read(line)
      } catch (fault) {
        throw new Error(`importSite: line ${number}: ${(fault as Error).message}`, { cause: fault })
      }
      if (found === null) continue
      const { table, row } = found
      const last = waiting.at(-1)
      if (last?.table === table && last.rows.length < MOST_ROWS) last.rows.push(row)
      else waiting.push({ table, rows: [row] })
      characters += line.length
      if (characters < MOST_CHARACTERS) continue
      await store({ ...anywhere, site: reader.site() }, waiting)
      waiting = []
      characters = 0
    }
    reader.close()
    const site = reader.site()
    const database = { ...anywhere, site }
    await store(database, waiting)
    await checkNoOthers(database, known, reader.counts)
    return { site, rows: reader.counts.reduce((sum, count) => sum + count, 0) }
  }
