import { letOthersIn } from '../store/deadline.js'
import { type Database, query } from './batch.js'
import { marks, parts } from './rows.js'
import type { Row, Value } from './statement.js'
import type { Table } from './tables.js'

/** How many rows one statement reads. */
const PAGE = 500
export const GRANTS = 'hallpass_grant'

/** Rows of a site that are read in the order of an index. */
export interface Walk {
  /** The name of the index; empty for the primary key. */
  readonly index: string
  /** A further condition, with its parameters. */
  readonly where: string
  readonly parameters: readonly Value[]
  /** The column that orders them, before the key; `null` if only the key does. */
  readonly order: string | null
  readonly isDescending: boolean
}

export const walk = (index: string, others: Partial<Walk> = {}): Walk => ({
  index,
  where: '',
  parameters: [],
  order: null,
  isDescending: false,
  ...others,
})

/**
 * The walks that together find each row of a site in a table, by an index that begins with the site if there is one. A column that may be
 * null has two, because databases differ in where they put it.
 *
 * @throws TypeError - if the table has no index with the site
 */
export function walksOf({ name, key, columns, indexes, isKeyedBySite }: Table): readonly Walk[] {
  const find = (column = '') => columns.find((one) => one.name === column.split(' ')[0])
  const bySite = indexes.filter((one) => one.columns[0] === 'site')
  const index = bySite.find((one) => find(one.columns[1])?.isRequired) ?? bySite[0]
  if (index === undefined && isKeyedBySite) return [walk('')]
  // Rows that live a day at most, which are read among those of other sites.
  const passed = indexes.find(
    (one) => one.columns[1] === 'site' && find(one.columns[0])?.isRequired,
  )
  if (index === undefined && passed !== undefined)
    return [walk(passed.name, { order: passed.columns[0]! })]
  if (index === undefined) throw new TypeError(`${name} has no index that begins with site`)
  const [, first = key, second = ''] = index.columns
  if (find(first)?.isRequired) return [walk(index.name, { order: first })]
  const [order = null, direction] = find(second)?.isRequired ? second.split(' ') : []
  return [
    walk(index.name, { where: ` and ${first} is null`, order, isDescending: direction === 'desc' }),
    walk(index.name, { where: ` and ${first} is not null`, order: first }),
  ]
}

/** Whether the rows of a table belong to grants. No index of them begins with the site: each of their many writes would pay. */
export const isOfGrants = ({ name, columns }: Table): boolean =>
  name !== GRANTS && columns.some((column) => column.name === 'grant_id')

/** The rows of some grants. */
export const ofGrants = ({ indexes }: Table, grantIds: readonly Value[]): Walk =>
  walk(indexes.find(({ columns }) => columns[0] === 'grant_id')?.name ?? '', {
    where: ` and grant_id in (${marks(grantIds)})`,
    parameters: grantIds,
    order: 'grant_id',
  })

/** The hint by which a database that would choose another index takes that of the walk. */
export const byIndex = ({ dialect }: Database, { index }: Walk): string =>
  index === '' ? '' : dialect.by(index)

/** A row without what is null. Drivers may return an integer as a bigint or a text. */
const rowOf = ({ columns }: Table, row: Row): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    columns
      .filter(({ name }) => row[name] !== null)
      .map(({ name, isInteger }) => [name, isInteger ? Number(row[name]) : (row[name] as string)]),
  )

/** Selects the columns of a table, for {@link rowsFound}. */
const selection = ({ columns }: Table): string => columns.map(({ name }) => name).join(', ')

/** Finds rows by their keys, at most 90. */
export async function rowsFound(
  database: Database,
  table: Table,
  keys: readonly Value[],
): Promise<readonly Readonly<Record<string, Value>>[]> {
  const some = parts(keys)[0]!
  const found = await query(
    database,
    `select ${selection(table)} from ${table.name} where site = ? and ${table.key} in (${marks(some)})`,
    database.site,
    ...some,
  )
  return found.map((row) => rowOf(table, row))
}

/** Reads the rows of a walk in pages. */
async function* pagesOf(
  database: Database,
  table: Table,
  its: Walk,
): AsyncGenerator<readonly Readonly<Record<string, Value>>[]> {
  const { where, parameters, order, isDescending } = its
  const { name, key } = table
  const [than, direction] = isDescending ? ['<', ' desc'] : ['>', '']
  const [behind, ordered] =
    order === null
      ? [` and ${key} > ?`, key]
      : // The first condition is one that an index can begin at.
        [
          ` and ${order} ${than}= ? and (${order} ${than} ? or ${key} > ?)`,
          `${order}${direction}, ${key}`,
        ]
  for (let last: Readonly<Record<string, Value>> | null = null; ; await letOthersIn()) {
    const place: readonly string[] = order === null ? [key] : [order, order, key]
    const rows: Readonly<Record<string, Value>>[] = (
      await query(
        database,
        `select ${selection(table)} from ${name}${byIndex(database, its)}
         where site = ?${where}${last === null ? '' : behind} order by ${ordered} limit ?`,
        database.site,
        ...parameters,
        ...(last === null ? [] : place.map((column) => last![column]!)),
        PAGE,
      )
    ).map((row) => rowOf(table, row))
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = rows.at(-1)!
  }
}

/** Reads all rows that a site has in a table, in pages. Those of grants follow them. */
export async function* rowsOf(
  database: Database,
  table: Table,
  grants: Table,
): AsyncGenerator<readonly Readonly<Record<string, Value>>[]> {
  const isTheirs = isOfGrants(table)
  const walked = isTheirs ? grants : table
  for (const its of walksOf(walked))
    for await (const rows of pagesOf(database, walked, its))
      if (isTheirs)
        for (const some of parts(rows.map((row) => row['grant_id']!)))
          yield* pagesOf(database, table, ofGrants(table, some))
      else yield rows
}
