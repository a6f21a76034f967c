import { createPostgresStore } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { openTestDatabase } from '../support/databases/templates.js'
import { refresh } from '../support/school/flow.js'
import { createSchool } from '../support/school/school.js'
import { clock, moves, OLD, outcomeOf } from './move-grant-support.js'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let sqlite: TestSqlite
beforeAll(async () => {
  sqlite = await openSqlite()
  database = await openTestDatabase({ connections: 8 })
})
afterAll(async () => {
  sqlite.close()
  await database.close()
})

const onSite = () => ({ site: crypto.randomUUID(), now: () => clock.now })
moves('PostgreSQL', () => createPostgresStore({ execute: database.execute, ...onSite() }))
moves('SQLite', () => createSqliteStore({ batch: sqlite.batch, ...onSite() }))

describe('ten thousand rows', () => {
  it('are moved one after another, and are there already when they are moved again [MOVE-02]', async () => {
    const school = await createSchool()
    const tokens = Array.from({ length: 10_000 }, (_row, index) => `${OLD}${index}`)
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('moved')
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('exists')
    expect((await refresh(school, tokens.at(-1)!)).status).toBe(200)
    expect(await outcomeOf(school)).toBe('moved')
  })
})
