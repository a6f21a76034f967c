import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, isAlive, redeem, refresh, signIn, tokensOf } from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { startModule } from '../support/processes/child.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, T } from '../support/school/school.js'

const LEVELS = ['read committed', 'repeatable read', 'serializable'] as const
/** How many requests there are at each level. */
const REQUESTS = rounds(1_000, { soak: 10_000 })
const AT_ONCE = 50

const tallyOf = (statuses: readonly number[]): Readonly<Record<number, number>> => {
  const tally: Record<number, number> = {}
  for (const status of statuses) tally[status] = (tally[status] ?? 0) + 1
  return tally
}

describe.each(LEVELS)('at the isolation level %s', (level) => {
  let database: TestDatabase
  let pool: pg.Pool
  const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 16, options })
    await migratePostgres({ execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  it('no simultaneous exchange or refresh hears of a conflict [PG-01]', async () => {
    const school = await createSchool({
      store: createPostgresStore({ execute, site: 'a', now: () => T }),
      options: {
        allowances: { codesOfPerson: { amount: REQUESTS, seconds: 1 } },
        // Conflicts are the subject, not how long a busy machine takes for fifty statements.
        callDeadlineMilliseconds: 60_000,
      },
    })
    const exchanges: number[] = []
    const refreshes: number[] = []
    const each = <Key>(
      keys: readonly Key[],
      ask: (key: Key) => Promise<Response>,
    ): Promise<Response[]> =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(keys[index % keys.length]!)))
    while (exchanges.length + refreshes.length < REQUESTS) {
      // Codes of one client, twice each; then as many tokens; then one token for all.
      const codes: string[] = []
      while (codes.length < AT_ONCE / 2) codes.push(await approve(school))
      const exchanged = await each(codes, (code) => redeem(school, code))
      exchanges.push(...exchanged.map(({ status }) => status))
      const pairs = await Promise.all(
        exchanged.filter(({ status }) => status === 200).map(tokensOf),
      )
      expect(pairs).toHaveLength(codes.length)
      for (const keys of [pairs, [await signIn(school)]]) {
        const answers = await each(keys, (pair) => refresh(school, pair.refresh_token))
        refreshes.push(...answers.map(({ status }) => status))
        const given = await Promise.all(answers.map(async (answer) => answer.json()))
        expect(new Set(given.map((one) => JSON.stringify(one))).size).toBe(keys.length)
      }
    }
    expect(school.faults).toEqual([])
    expect(tallyOf(refreshes)).toEqual({ 200: refreshes.length })
    expect(tallyOf(exchanges)).toEqual({
      200: exchanges.length / 2,
      400: exchanges.length / 2,
    })
  }, 600_000)

  it('two processes that refresh one token create one successor in each generation [F-02]', async () => {
    const site = 'two processes'
    const school = await createSchool({
      store: createPostgresStore({ execute, site, now: () => T }),
    })
    const start = () => startModule('redeeming-process.ts', [database.url, site, options])
    const children = await Promise.all([start(), start()])
    try {
      let tokens = await signIn(school)
      for (let generation = 0; generation < rounds(30, { soak: 300 }); generation++) {
        const answers = await Promise.all(
          children.map(async ({ child, message }) => {
            child.send({ token: tokens.refresh_token, times: 8 })
            return (await message()) as readonly (readonly [number, object])[]
          }),
        )
        expect(tallyOf(answers.flat().map(([status]) => status))).toEqual({ 200: 16 })
        const given = new Set(answers.flat().map(([, body]) => JSON.stringify(body)))
        expect(given.size).toBe(1)
        tokens = JSON.parse([...given][0]!) as typeof tokens
      }
      expect(await isAlive(school, tokens.access_token)).toBe(true)
      expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
    } finally {
      for (const { child } of children) child.disconnect()
      await Promise.all(children.map(({ ended }) => ended))
    }
  })
})
