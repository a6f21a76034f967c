import { fromPool, migrateMysql, type MysqlBatch } from 'hallpass/mysql'
import { storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MYSQL_MIGRATIONS } from '../../src/mysql/dialect.js'
import { mysqlOf } from '../../src/mysql/options.js'
import { tablesOf } from '../../src/sql/tables.js'
import { wholeSite } from '../../src/sql/whole-site.js'
import { everyAttemptCall } from '../support/databases/every-call.js'
import { fillTables, SERIES } from '../support/databases/many-rows.js'
import { type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { withoutSite } from '../support/databases/names-site.js'
import { fillSite, linesOf, openWholePostgres, openWholeSqlite, rawRows, type WholeSites } from '../support/databases/whole-sites.js' // prettier-ignore
import { mysqlOn, openPool, type Pool } from './mysql-pool.js'

const [SITE, OTHER] = ['https://school.example', 'https://other.example']
const OPEN = { PostgreSQL: openWholePostgres, SQLite: openWholeSqlite }

let server: MariadbServer
let pool: Pool
let sites: WholeSites
/** Each statement that was sent, in the words of the storages. */
const sent = new Set<string>()

beforeAll(async () => {
  server = await startMariadb()
  pool = openPool(server.socketPath)
  const batch = fromPool(pool)
  await migrateMysql({ batch })
  const recording: MysqlBatch = (work, isSingle) =>
    batch(
      (run) =>
        work((sql, parameters) => {
          sent.add(sql)
          return run(sql, parameters)
        }),
      isSingle,
    )
  const on = mysqlOn(() => recording)
  sites = {
    whole: wholeSite(mysqlOf({ batch: recording }), MYSQL_MIGRATIONS),
    migrations: MYSQL_MIGRATIONS,
    store: (site) => on.store(site),
    idempotency: (site) => on.idempotency(site),
    attempts: (site) => on.attempts(site),
    run: async (sql) => (await pool.query(sql))[0],
    tables: `select table_name as name from information_schema.columns
      where table_schema = 'school' and column_name = 'site'`,
    onStatement: () => {},
    close: async () => {
      await pool.end()
      await server.stop()
    },
  }
  for (const site of [SITE, OTHER]) await fillSite(sites, site)
})
afterAll(() => sites.close())

describe('all rows of a site on MariaDB', () => {
  it('are those of each table that has a site in the database', async () => {
    const tables = (await sites.run(sites.tables)).map(({ name }) => String(name))
    expect(tablesOf(MYSQL_MIGRATIONS).map(({ name }) => name).toSorted()).toEqual(tables.toSorted()) // prettier-ignore
  })

  it.each(['PostgreSQL', 'SQLite'] as const)(
    'are the same as on %s, there and back',
    async (name) => {
      const other = await OPEN[name]()
      const lines = await linesOf(sites, SITE)
      const wanted = await rawRows(sites, SITE)
      const done = { site: SITE, rows: lines.length - 2 }
      expect(await other.whole.importSite(lines)).toEqual(done)
      expect(await rawRows(other, SITE)).toEqual(wanted)
      const others = await rawRows(sites, OTHER)
      expect((await sites.whole.eraseSite(SITE)).rows).toBeGreaterThanOrEqual(done.rows)
      expect(await sites.run(`select 1 from hallpass_turn where site = '${SITE}'`)).toEqual([])
      expect(Object.values(await rawRows(sites, SITE)).flat()).toEqual([])
      expect(await sites.whole.importSite(other.whole.exportSite(SITE))).toEqual(done)
      expect(await sites.whole.importSite(lines)).toEqual(done)
      expect(await rawRows(sites, SITE)).toEqual(wanted)
      expect(await rawRows(sites, OTHER)).toEqual(others)
      const events = await sites.store(SITE).listEvents({ limit: 9 })
      expect(events.map(({ id }) => id)).toEqual(['event_b', 'event_a', 'event_c'])
      await other.close()
    },
  )

  it('are read and erased in pages', async () => {
    const size = { rows: 2100, now: 1_700_000_000, series: SERIES.mysql }
    await fillTables(sites.run, { ...size, site: 'long' })
    await fillTables(sites.run, { ...size, site: 'beside', isPopular: true })
    const beside = await rawRows(sites, 'beside')
    const lines = await linesOf(sites, 'long')
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines.length - 2).toBe(Object.values(await rawRows(sites, 'long')).flat().length)
    expect(await sites.whole.eraseSite('long')).toEqual({ rows: lines.length - 2 })
    expect(await rawRows(sites, 'beside')).toEqual(beside)
  })
})

it('names the site in each statement on MariaDB, and in each unique key', async () => {
  for (const { run } of storeContract((site) => sites.store(site))) await run()
  await everyAttemptCall(sites.attempts('calls'))
  expect(sent.size).toBeGreaterThan(100)
  expect([...sent].filter((sql) => withoutSite(sql).length > 0)).toEqual([])
  const keys = await sites.run(
    `select table_name as name, index_name as its, group_concat(column_name) as columns
     from information_schema.statistics
     where table_schema = 'school' and non_unique = 0 and table_name <> 'hallpass_migration'
     group by table_name, index_name`,
  )
  expect(keys.length).toBeGreaterThan(15)
  expect(keys.filter(({ columns }) => !/\bsite\b/.test(String(columns)))).toEqual([])
})
