import { ATTEMPT_SECONDS } from '../clients/attempts/attempt.js'
import type { Purged } from '../store/store.js'
import { type Database, query } from './batch.js'
import { DUE_TABLES, dueBy, purgeEach } from './purge.js'
import { isNotAfter } from '../time/seconds.js'
import { dueIndexOf } from './schema.js'
import { statement, type Statement, type Step } from './statement.js'
import type { AllSites } from './storage.js'

// No other statement of a store reads or changes rows of several sites. Each reads them from the beginning of an index, or
// jumps in one from a site to the next.

/** How many sites with attempts one purge looks at. The next one continues behind them. */
const SITES_TOGETHER = 1000

/** The sites of a table behind one of them, and a value for each. */
interface Sites {
  readonly table: string
  /** Begins at the alias `it` of a row. Default: every row */
  readonly where?: string
  /** A column of which the least value is wanted as `least`. An index has it behind the site. */
  readonly least?: string
}

/** The statements that databases write differently. */
export interface SitesDialect {
  /** The first sites that have a row, in order. */
  readonly sitesOf: (sites: Sites, after: string, limit: number) => Statement
  /** Deletes the oldest rows of a table that are due. The rows of the last step have their `due_at`. */
  readonly deleting: (
    rows: { readonly table: string; readonly key: string },
    bounds: { readonly due: number; readonly limit: number },
  ) => readonly Step[]
}

/** For databases that would read every row of a site to find the next one: each site is one look into an index. */
export function jumping(
  { table, where = '1 = 1', least }: Sites,
  after: string,
  limit: number,
): Statement {
  const next = (behind: string): string =>
    `(select it.site from ${table} it where it.site > ${behind} and ${where} order by it.site limit 1)`
  const value =
    least === undefined
      ? ''
      : `, (select it.${least} from ${table} it where it.site = sites.site order by it.${least} limit 1) as least`
  return statement(
    `with recursive sites(site, number) as (
       select ${next('?')}, 1
       union all select ${next('sites.site')}, number + 1 from sites where sites.site is not null and number < ?)
     select site${value} from sites where site is not null`,
    after,
    limit,
  )
}

export const SQLITE_SITES: SitesDialect = {
  sitesOf: jumping,
  deleting: ({ table, key }, { due, limit }) => [
    statement(
      `delete from ${table} where (${key}, site) in (
         select ${key}, site from ${table} indexed by ${dueIndexOf(table)}
         where due_at <= ? order by due_at, site limit ?) returning due_at`,
      due,
      limit,
    ),
  ],
}

/** Returns the sites with something to do. Keys that are due are few, and found by their state. */
export const listSites =
  ({ sitesOf }: Pick<SitesDialect, 'sitesOf'>): AllSites['listSites'] =>
  async (database, { after, limit, ...asked }) => {
    const by = database.dialect.by('hallpass_key_state')
    const its = {
      events: () => sitesOf({ table: 'hallpass_outbox' }, after, limit),
      keys: () => sitesOf({ table: 'hallpass_key', where: `it.state <> 'retired'` }, after, limit),
      'due keys': () =>
        statement(
          `select site from (
             select site from hallpass_key${by} where state = 'active' and created_at <= ? and site > ?
             union select site from hallpass_key${by}
             where state in ('generated', 'published', 'retiring') and site > ?) due
           order by site limit ?`,
          'createdBefore' in asked ? asked.createdBefore : 0,
          after,
          after,
          limit,
        ),
    }[asked.having]()
    const rows = await query(database, its.sql, ...its.parameters)
    return rows.map(({ site }) => site as string)
  }

/**
 * Returns a function that deletes attempts of some sites, and continues with the next ones when it is called again. They
 * have no index by time, since that of each site is enough.
 */
export function createAttemptsPurge({ sitesOf }: Pick<SitesDialect, 'sitesOf'>) {
  const looked = { table: 'hallpass_attempt', least: 'last_at' }
  let after = ''
  return async (
    database: Database,
    { due, limit }: { readonly due: number; readonly limit: number },
  ): Promise<Purged> => {
    const { sql, parameters } = sitesOf(looked, after, SITES_TOGETHER)
    const sites = await query(database, sql, ...parameters)
    let rows = 0
    for (const { site, least } of sites as readonly { site: string; least: unknown }[]) {
      const dueSince = Number(least) + ATTEMPT_SECONDS
      if (isNotAfter(dueSince, due))
        rows += await deleteAttempts(database, {
          site,
          before: due - ATTEMPT_SECONDS,
          limit: limit - rows,
        })
      if (rows >= limit) return { rows, dueSince }
      after = site
    }
    if (sites.length < SITES_TOGETHER) after = ''
    return { rows, dueSince: null }
  }
}

async function deleteAttempts(
  { run, dialect }: Database,
  {
    site,
    before,
    limit,
  }: { readonly site: string; readonly before: number; readonly limit: number },
): Promise<number> {
  const { results } = await run(
    dialect.changing(
      {
        table: 'hallpass_attempt',
        key: 'attempt_id',
        where: 'site = ? and last_at <= ?',
        parameters: [site, before],
        first: { order: 'last_at', limit },
      },
      null,
    ),
  )
  return results.at(-1)!.length
}

/** Creates what is done to all sites of a database that runs batches. */
export function createSqlSites(dialect: SitesDialect): AllSites {
  const purgeAttempts = createAttemptsPurge(dialect)
  const purgeTable = async (
    database: Database,
    [table, key]: (typeof DUE_TABLES)[number],
    bounds: { readonly due: number; readonly limit: number },
  ): Promise<Purged> => {
    const { results } = await database.run(dialect.deleting({ table, key }, bounds))
    const deleted = results.at(-1)!
    const last = deleted.reduce((latest, row) => Math.max(latest, Number(row['due_at'])), 0)
    return { rows: deleted.length, dueSince: deleted.length >= bounds.limit ? last : null }
  }
  return {
    async purge(database, { now, limit }) {
      const bounds = { due: await dueBy(database, now), limit }
      return purgeEach<() => Promise<Purged>>(
        [
          ...DUE_TABLES.map((table) => () => purgeTable(database, table, bounds)),
          () => purgeAttempts(database, bounds),
        ],
        (part) => part(),
      )
    },
    listSites: listSites(dialect),
  }
}
