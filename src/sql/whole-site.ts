import { letOthersIn } from '../store/deadline.js'
import { siteOf } from '../store/sites.js'
import type { SiteStorage } from '../store/storage.js'
import { type Database, query } from './batch.js'
import { FORMAT, importer } from './import-site.js'
import { parts } from './rows.js'
import { type SqlMigration, SQLITE_MIGRATIONS } from './schema.js'
import {
  byIndex,
  GRANTS,
  isOfGrants,
  ofGrants,
  rowsOf,
  type Walk,
  walk,
  walksOf,
} from './site-rows.js'
import type { Value } from './statement.js'
import { type Table, tablesOf } from './tables.js'

/** How many rows one statement deletes. */
const SLICE = 1000
/** Without these rows a site has no identity: they are erased last. */
const LAST: readonly string[] = ['hallpass_clock', 'hallpass_key']
/** Tables of which a person may read a copy. One that a later version adds is not among them, until it is named here. */
const READABLE: readonly string[] = [
  'client',
  'consent',
  'erasure',
  'grant',
  'clock',
  'outbox',
  'attempt',
].map((name) => `hallpass_${name}`)

/** A row without the secrets of a client. */
function withoutSecrets(table: Table, row: Readonly<Record<string, Value>>): typeof row {
  if (table.name !== 'hallpass_client') return row
  const record = JSON.parse(row['record'] as string) as object
  return { ...row, record: JSON.stringify({ ...record, secrets: [] }) }
}

async function* linesOf(
  database: Database,
  {
    tables,
    migration,
    credentials,
  }: { tables: readonly Table[]; migration: number; credentials: boolean },
): AsyncGenerator<string> {
  const { site } = database
  const grants = tables.find(({ name }) => name === GRANTS)!
  yield JSON.stringify({ hallpass: FORMAT, site, migration, ...(!credentials && { credentials }) })
  const end: Record<string, number> = {}
  for (const table of tables.filter(({ name }) => credentials || READABLE.includes(name))) {
    end[table.name] = 0
    for await (const rows of rowsOf(database, table, grants))
      for (const row of rows) {
        const shown = credentials ? row : withoutSecrets(table, row)
        yield JSON.stringify({ table: table.name, row: shown })
        end[table.name]!++
      }
  }
  yield JSON.stringify({ end })
}

/** Deletes the rows of a walk, in slices. */
async function eraseRows(database: Database, table: Table, its: Walk): Promise<number> {
  const { name, key, columns } = table
  const steps = database.dialect.changing(
    {
      table: name,
      key: columns.find(({ isNumbered }) => isNumbered)?.name ?? key,
      where: `site = ?${its.where}`,
      parameters: [database.site, ...its.parameters],
      first: { by: byIndex(database, its), order: '', limit: SLICE },
    },
    null,
  )
  for (let rows = 0; ; await letOthersIn()) {
    const deleted = (await database.run(steps)).results.at(-1)!.length
    rows += deleted
    if (deleted < SLICE) return rows
  }
}

/** Deletes the grants of a site, each behind its tokens. */
async function eraseGrants(database: Database, tables: readonly Table[]): Promise<number> {
  const grants = tables.find(({ name }) => name === GRANTS)!
  const tokens = tables.filter(isOfGrants)
  let rows = 0
  for (const its of walksOf(grants))
    for (let found = SLICE; found === SLICE;) {
      const some = await query(
        database,
        `select grant_id from ${GRANTS}${byIndex(database, its)} where site = ?${its.where} limit ?`,
        database.site,
        SLICE,
      )
      found = some.length
      for (const ids of parts(some.map((row) => row['grant_id'] as string)))
        for (const table of [...tokens, grants])
          rows += await eraseRows(database, table, ofGrants(table, ids))
    }
  // Without a foreign key, a purge may delete a grant before its last tokens. Those are due as well.
  if (database.single === null)
    for (const table of tokens) {
      const index = table.indexes.find(({ columns }) => columns[0] === 'due_at')
      const where = ` and due_at <= ${database.dialect.now}`
      rows += await eraseRows(database, table, walk(index?.name ?? '', { where }))
    }
  return rows
}

/**
 * Returns what reads, stores and deletes all rows of a site.
 *
 * @param database - where they are. Its own site is not used
 * @param migrations - those of the database. What no other one has, such as rows by which batches take turns, is erased
 *   and not exported
 */
export function wholeSite(
  database: Database,
  migrations: readonly SqlMigration[],
): Pick<SiteStorage, 'exportSite' | 'importSite' | 'eraseSite'> {
  const common = tablesOf(SQLITE_MIGRATIONS)
  const tables = tablesOf(migrations).map((table) => {
    const indexes = common.find(({ name }) => name === table.name)?.indexes ?? table.indexes
    const has = (index: string): boolean => table.indexes.some(({ name }) => name === index)
    return {
      ...table,
      // One that it does not need is the primary key, which takes no hint.
      indexes: indexes.map((one) => ({ ...one, name: has(one.name) ? one.name : '' })),
    }
  })
  const shared = common.map(({ name, columns }) => {
    const table = tables.find((one) => one.name === name)!
    const names = columns.map((column) => column.name)
    return { ...table, columns: table.columns.filter((column) => names.includes(column.name)) }
  })
  const migration = migrations.at(-1)!.version
  return {
    exportSite(site, { credentials = true } = {}) {
      const its = { ...database, site: siteOf(site) }
      return linesOf(its, { tables: shared, migration, credentials })
    },
    importSite: importer(database, { tables: shared, migration }),
    async eraseSite(site) {
      const its = { ...database, site: siteOf(site) }
      let rows = await eraseGrants(its, tables)
      const others = tables
        .filter((table) => table.name !== GRANTS && !isOfGrants(table))
        .toSorted((one, other) => LAST.indexOf(one.name) - LAST.indexOf(other.name))
      for (const table of others)
        for (const each of walksOf(table)) rows += await eraseRows(its, table, each)
      return { rows }
    },
  }
}
