import {
  createPostgresStore,
  type Execute,
  migratePostgres,
  postgresMigrations,
} from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { approve, redeem, refresh, userinfo } from '../support/school/flow.js'
import { EXPANDING } from '../support/databases/next-migration.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, type School, T } from '../support/school/school.js'
import { waitFor } from '../support/processes/wait.js'

const FLOWS = rounds(60, { soak: 600 })

let database: TestDatabase
const pools: pg.Pool[] = []
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.stop()
})

/** What a process has: a pool of its own, through which it migrated. */
async function startProcess(): Promise<{ school: School; execute: Execute }> {
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  pools.push(pool)
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
  await migratePostgres({ execute })
  const school = await createSchool({
    store: createPostgresStore({ execute, site: 'upgrade', now: () => T }),
    options: { allowances: { codesOfPerson: { amount: 1e6, seconds: 1 } } },
  })
  return { school, execute }
}

it('a later version migrates under load, and an older process starts afterwards, without a failed request [PG-03]', async () => {
  const [one, two] = [await startProcess(), await startProcess()]
  const schools = [one.school, two.school]
  const statuses: number[] = []
  const load = { flows: 0, isRunning: true }
  const asked = async (response: Promise<Response>): Promise<Response> => {
    const answer = await response
    statuses.push(answer.status)
    return answer
  }
  const workers = Array.from({ length: 6 }, async (_, index) => {
    for (let turn = index; load.isRunning; turn++) {
      // Each step at another process.
      const at = (step: number): School => schools[(turn + step) % schools.length]!
      const exchanged = await asked(redeem(at(1), await approve(at(0))))
      const { refresh_token } = (await exchanged.json()) as { refresh_token: string }
      const refreshed = await asked(refresh(at(2), refresh_token))
      const { access_token } = (await refreshed.json()) as { access_token: string }
      await asked(userinfo(at(3), access_token))
      load.flows++
    }
  })
  const failed = Promise.all(workers)
  const more = async (): Promise<void> => {
    const target = load.flows + FLOWS
    await Promise.race([waitFor(() => load.flows >= target), failed])
  }
  await more()
  await applyMigrations([...postgresMigrations, EXPANDING], { execute: one.execute })
  await more()
  // Back to the older version: a process of it starts while the database is ahead.
  schools.push((await startProcess()).school)
  await more()
  load.isRunning = false
  await failed
  expect(schools.flatMap(({ faults }) => faults)).toEqual([])
  expect([...new Set(statuses)]).toEqual([200])
  expect(statuses.length).toBeGreaterThanOrEqual(9 * FLOWS)
})
