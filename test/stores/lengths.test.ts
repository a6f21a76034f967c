import { createRequire } from 'node:module'
import { createMysqlStore, migrateMysql, type MysqlBatch, fromPool } from 'hallpass/mysql'
import { createSqliteStore, fromD1, migrateSqlite } from 'hallpass/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dearCalls, LATER, NOW } from '../support/databases/every-call.js'
import { fillTables, SERIES } from '../support/databases/many-rows.js'
import { type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { openPool, type Pool } from './mysql-pool.js'

/** So many rows that a wrong index shows. `ROWS` measures another number. */
const LENGTH = Number(process.env['ROWS'] ?? 20_000)
const SITE = 'school'
const WAYS = [
  ['a hundred grants a client', false],
  ['nine of ten grants of one client', true],
] as const

describe.each(WAYS)(`each call on MariaDB with ${LENGTH} rows of each kind, %s`, (_, isPopular) => {
  let server: MariadbServer
  // One connection, whose session counts the rows that it reads.
  let its: Pool
  beforeAll(async () => {
    server = await startMariadb()
    its = openPool(server.socketPath, { connectionLimit: 1 })
    await migrateMysql({ batch: fromPool(its) })
    const run = (sql: string): Promise<unknown> => its.query(sql)
    await fillTables(run, { site: SITE, rows: LENGTH, now: NOW, isPopular, series: SERIES.mysql })
    const [tables] = await its.query("show tables like 'hallpass_%'")
    await its.query(`analyze table ${tables.map((row) => Object.values(row)[0]).join(', ')}`)
  })
  afterAll(async () => {
    await its.end()
    await server.stop()
  })

  it('reads as many rows as it returns or changes, times a constant [SQL-11]', async () => {
    let rows = 0
    const batch: MysqlBatch = (work) =>
      work(async (sql, values) => {
        const [result] = await its.query(sql, values)
        rows += Array.isArray(result)
          ? result.length
          : Number((result as { affectedRows?: number }).affectedRows)
        return result
      })
    const store = createMysqlStore({ batch, site: SITE, now: () => LATER, chance: () => 0 })
    const dear = await dearCalls(store, async (call) => {
      rows = 0
      // It would end a transaction.
      await its.query('flush status')
      await its.query('start transaction')
      await call()
      const [counts] = await its.query("show session status like 'Handler_read%'")
      await its.query('rollback')
      return { visited: counts.reduce((sum, row) => sum + Number(row['Value']), 0), rows }
    })
    expect(dear).toEqual({})
  })
})

type D1 = Parameters<typeof fromD1>[0]
interface Counted {
  readonly results: unknown[]
  readonly meta: { readonly rows_read: number; readonly changes: number }
}

describe.each(WAYS)(`each call on D1 with ${LENGTH} rows of each kind, %s`, (_, isPopular) => {
  let server: { getD1Database(name: string): Promise<D1>; dispose(): Promise<void> }
  let binding: D1
  beforeAll(async () => {
    const { Miniflare } = createRequire(import.meta.url)('miniflare') as {
      Miniflare: new (options: object) => typeof server
    }
    server = new Miniflare({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      d1Databases: { DB: 'database' },
      compatibilityDate: '2026-04-01',
    })
    binding = await server.getD1Database('DB')
    await migrateSqlite({ batch: fromD1(binding) })
    const run = (sql: string): Promise<unknown> => binding.batch([binding.prepare(sql)])
    await fillTables(run, { site: SITE, rows: LENGTH, now: NOW, isPopular, series: SERIES.sqlite })
  })
  afterAll(() => server.dispose())

  it('reads as many rows as it returns or changes, times a constant [SQL-11]', async () => {
    let [visited, rows] = [0, 0]
    const counting: Parameters<typeof fromD1>[0] = {
      prepare: (sql) => binding.prepare(sql),
      async batch(statements) {
        const all = await binding.batch(statements)
        for (const { results, meta } of all as Counted[]) {
          visited += meta.rows_read
          rows += results.length + meta.changes
        }
        return all
      },
    }
    const store = createSqliteStore({
      batch: fromD1(counting),
      site: SITE,
      now: () => LATER,
      chance: () => 0,
    })
    // Nothing is taken back: what a second call finds changed, it visits as well.
    const dear = await dearCalls(store, async (call) => {
      visited = rows = 0
      await call()
      return { visited, rows }
    })
    expect(dear).toEqual({})
  })
})
