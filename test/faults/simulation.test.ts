import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { simulate, type SimulationReport } from 'hallpass-lab'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../support/databases/sqlite.js'
import { startPostgres } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'
import { readSource } from '../support/source/compile.js'

/** The reports of the seeds that break a rule. */
async function broken(
  createStore: Parameters<typeof simulate>[0]['createStore'],
  { from, seeds }: { from: number; seeds: number },
): Promise<readonly SimulationReport[]> {
  const reports: SimulationReport[] = []
  for (let seed = from; seed < from + seeds; seed++) {
    const report = await simulate({ createStore, seed, shortest: false })
    if (report.violations.length > 0) reports.push(report)
  }
  return reports
}

const onPostgres =
  (execute: Execute): Parameters<typeof broken>[0] =>
  (site, now) => {
    const store = createPostgresStore({ execute, site })
    return { ...store, findClock: async () => ({ ...(await store.findClock()), now: now() }) }
  }

// On the memory store, each of the broken stores of `packages/hallpass-lab/test/simulate.test.ts` is found by one of its first 95 seeds.
describe('a simulation breaks no rule', () => {
  it.each([
    ['', '', rounds(100, { soak: 5000 })],
    [', with tables spread by site', 'docs/operations/partitions.sql', rounds(30, { soak: 1000 })],
  ])(
    'on a PostgreSQL server, through eight connections%s',
    async (_, spread, seeds) => {
      const database = await startPostgres()
      const pool = new pg.Pool({ connectionString: database.url, max: 8 })
      const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
      try {
        await migratePostgres({ execute })
        if (spread !== '') await pool.query(readSource(spread))
        expect(await broken(onPostgres(execute), { from: 0, seeds })).toEqual([])
      } finally {
        await pool.end()
        await database.stop()
      }
    },
    600_000,
  )

  it('on SQLite', async () => {
    const { batch, close } = await openSqlite()
    const seeds = rounds(100, { soak: 5000 })
    expect(
      await broken((site, now) => createSqliteStore({ batch, site, now }), { from: 2000, seeds }),
    ).toEqual([])
    close()
  }, 600_000)

  it('on PGlite', async () => {
    const database = new PGlite({ loadDataDir: await emptyCluster() })
    const execute: Execute = (sql, parameters) => database.query(sql, parameters)
    try {
      await migratePostgres({ execute })
      const seeds = rounds(20, { soak: 1000 })
      expect(await broken(onPostgres(execute), { from: 1000, seeds })).toEqual([])
    } finally {
      await database.close()
    }
  }, 600_000)
})
