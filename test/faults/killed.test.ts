import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { approve, isAlive, redeem, type Tokens } from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { startModule } from '../support/processes/child.js'
import { waitFor } from '../support/processes/wait.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, T } from '../support/school/school.js'

const KILLS = rounds(6, { soak: 60 })
const CODES = 30

let database: TestDatabase
let pool: pg.Pool
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
beforeAll(async () => {
  database = await startPostgres()
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  await migratePostgres({ execute })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

it('a process that is killed while it redeems leaves codes wholly redeemed or not at all, and every grant can be ended [F-05, F-06]', async () => {
  const site = 'killed'
  const store = createPostgresStore({ execute, site, now: () => T })
  const school = await createSchool({
    store,
    options: { allowances: { codesOfPerson: { amount: 1e6, seconds: 1 } } },
  })
  const found = { redeemed: 0, answered: 0, untouched: 0 }
  for (let kill = 0; kill < KILLS; kill++) {
    const codes: string[] = []
    while (codes.length < CODES) codes.push(await approve(school))
    const { child, ended } = await startModule('redeeming-process.ts', [database.url, site])
    // Killed at its first answers, while others are under way: in the database, on their way, not begun.
    const answered: Tokens[] = []
    child.on('message', (answers: readonly (readonly [number, Tokens])[]) => {
      for (const [status, tokens] of answers) if (status === 200) answered.push(tokens)
      if (answered.length > kill % 8) child.kill('SIGKILL')
    })
    for (const code of codes) child.send({ code, times: 1 })
    await ended
    // Its connections end when the server has carried out what they had sent, of which nobody reads the result.
    const connections = `select from pg_stat_activity where datname = current_database() and application_name = 'redeeming'`
    await waitFor(async () => (await pool.query(connections)).rows.length === 0)

    for (const { access_token } of answered) expect(await isAlive(school, access_token)).toBe(true)
    found.answered += answered.length
    const granted = new Map(
      (await store.listGrants({ of: 'everyone', after: null, limit: 1e4, now: T })).map(
        ({ grant }) => [grant.grantId, grant],
      ),
    )
    // More than five seconds later, each code is presented again.
    school.clock.now += 6
    for (const code of codes) {
      const { grantId, redeemedAt } = (await store.findCode(hashToken(code)))!
      const { rows } = await pool.query(
        `select (select count(*)::int from hallpass_access_token where site = $1 and grant_id = $2) as access,
           (select count(*)::int from hallpass_refresh_token where site = $1 and grant_id = $2) as refresh`,
        [site, grantId],
      )
      const tokens = redeemedAt === null ? 0 : 1
      expect(rows).toEqual([{ access: tokens, refresh: tokens }])
      expect(granted.has(grantId)).toBe(redeemedAt !== null)
      const again = await redeem(school, code)
      if (redeemedAt === null) {
        found.untouched++
        expect(again.status).toBe(200)
      } else {
        found.redeemed++
        expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
      }
    }
    school.clock.now -= 6
    for (const { access_token } of answered) expect(await isAlive(school, access_token)).toBe(false)
    await store.revokeGrantsOfClient({
      clientId: 'study-buddy',
      revokedAt: T,
      revokedReason: 'ended',
    })
    const left = await store.listGrants({
      of: 'everyone',
      after: null,
      limit: 1,
      now: T,
    })
    expect(left).toEqual([])
  }
  // Each kind of state was seen, so that the kills came while codes were being redeemed.
  expect(Math.min(found.answered, found.untouched)).toBeGreaterThan(0)
  expect(found.redeemed).toBeGreaterThanOrEqual(found.answered)
})
