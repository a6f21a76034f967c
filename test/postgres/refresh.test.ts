import { createPostgresStore } from 'hallpass/postgres'
import { hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrated } from '../support/databases/templates.js'
import { refresh, signIn, type Tokens, tokensOf } from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { createSchool, type School, T } from '../support/school/school.js'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url })
})

afterAll(async () => {
  await pool.end()
  await database.stop()
})

/** The store has the clock of the school, because that of the database is another one. */
async function open(site: string): Promise<{ school: School; clock: { now: number } }> {
  const clock = { now: T }
  const now = (): number => clock.now
  const execute = (sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> =>
    pool.query(sql, [...parameters])
  const school = await createSchool({
    store: createPostgresStore({ execute, site, now }),
    options: { now },
  })
  return { school, clock }
}

describe('processes that share a refresh token, on PostgreSQL', () => {
  it('all get the newest pair, however far they are behind, at the same time [REFR-18, REFR-05]', async () => {
    const { school, clock } = await open('shared')
    const generations: Tokens[] = [await signIn(school)]
    for (let generation = 0; generation < 24; generation++) {
      clock.now += 3600
      const { refresh_token } = generations.at(-1)!
      generations.push(await tokensOf(await refresh(school, refresh_token)))
    }
    clock.now += 3600
    const answers = await Promise.all(
      generations.map(({ refresh_token }) => refresh(school, refresh_token)),
    )
    const given = await Promise.all(answers.map(tokensOf))
    expect(new Set(given.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    const newest = await school.store.findRefreshToken(hashToken(given[0]!.refresh_token))
    expect(newest!.refreshToken.rotation).toBeNull()
    expect(newest!.grant.revokedAt).toBeNull()
    const sent = generations.map(({ refresh_token }) => refresh_token)
    const { rows } = await pool.query<{ text: string }>(
      "select to_jsonb(t)::text as text from hallpass_refresh_token t where site = 'shared'",
    )
    expect(rows).toHaveLength(26)
    expect(rows.some(({ text }) => sent.some((token) => text.includes(token)))).toBe(false)
  })
})
