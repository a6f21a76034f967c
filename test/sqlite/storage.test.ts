import { type Batch, createSqliteAttempts, createSqliteStorage } from 'hallpass/sqlite'
import { storageContract, storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busy, cut, openSqlite, type TestSqlite } from '../support/databases/sqlite.js'

let database: TestSqlite
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

describe('the storage on SQLite', () => {
  for (const check of storageContract(() => createSqliteStorage({ batch: database.batch })))
    it(check.name, check.run)

  const checks = storeContract(
    (site, through) =>
      createSqliteStorage({ batch: through(database.batch), chance: () => 0 }).storeOf(site),
    { faults: { conflict: busy, lost: cut } },
  )
  for (const check of checks) it(`${check.name}, in a store of a storage`, check.run)
})

it('finds what is due of all sites, and the sites with something to do, by an index', async () => {
  const sent = new Map<string, readonly (string | number | null)[]>()
  const batch: Batch = (statements, isOver) => {
    for (const { sql, parameters } of statements) sent.set(sql, parameters)
    return database.batch(statements, isOver)
  }
  const storage = createSqliteStorage({ batch })
  await storage.purge({ now: 1, limit: 1 })
  for (const having of ['events', 'keys', 'due keys'] as const)
    await storage.listSites({ having, createdBefore: 1, after: '', limit: 1 })
  // The clock, ten tables, attempts, and three lists.
  expect(sent.size).toBe(15)
  const steps = [...sent].flatMap(([sql, parameters]) =>
    database.rows(`explain query plan ${sql}`, ...parameters).map(({ detail }) => String(detail)),
  )
  expect(steps.filter((step) => step.includes('SEARCH'))).not.toEqual([])
  expect(steps.filter((step) => /\bSCAN (?:it|hallpass_\w+)/.test(step))).toEqual([])
})

describe('attempts to connect at many schools', () => {
  const DAY = 86_400
  const NOW = 1_600_000_000
  const SITES = 2500
  /** Stores so many attempts at each site, the oldest of 31 days ago. */
  async function fill(each: number): Promise<TestSqlite> {
    const filled = await openSqlite()
    filled.rows(
      `insert into hallpass_attempt (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
       with recursive n(i) as (select 0 union all select i + 1 from n where i < ${SITES * each - 1})
       select 'school ' || (i % ${SITES}), i, 1, i, ${NOW - 31 * DAY} + i / ${SITES} * ${2 * DAY}, 0, 0, '', '', '{}' from n`,
    )
    return filled
  }
  const left = (filled: TestSqlite): number =>
    Number(filled.rows('select count(*) as number from hallpass_attempt')[0]!['number'])

  it('are deleted after 30 days, those of a thousand sites at a time', async () => {
    const filled = await fill(2)
    const storage = createSqliteStorage({ batch: filled.batch })
    const purge = () => storage.purge({ now: NOW, limit: 5000 })
    expect(await purge()).toEqual({ rows: 1000, dueSince: null })
    expect(await purge()).toEqual({ rows: 1000, dueSince: null })
    expect(await purge()).toEqual({ rows: 500, dueSince: null })
    expect(left(filled)).toBe(SITES)
    // From the first site again.
    const late = createSqliteAttempts({ batch: filled.batch, site: 'school 0' })
    expect(await late.purge({ before: NOW - 29 * DAY, limit: 9 })).toBe(1)
    expect(await storage.purge({ now: NOW + 2 * DAY, limit: 5000 })).toEqual({ rows: 1000, dueSince: null }) // prettier-ignore
    filled.close()
  })

  it('are deleted up to the limit, and the next call goes on at the same site', async () => {
    const filled = await fill(2)
    const storage = createSqliteStorage({ batch: filled.batch })
    const asked = { now: NOW + 9 * DAY, limit: 3 }
    expect(await storage.purge(asked)).toEqual({ rows: 3, dueSince: NOW - DAY })
    expect(filled.rows(`select site from hallpass_attempt where site <= 'school 1'`)).toHaveLength(
      1,
    )
    expect(await storage.purge(asked)).toEqual({ rows: 3, dueSince: NOW - DAY })
    expect(filled.rows(`select site from hallpass_attempt where site <= 'school 10'`)).toEqual([])
    filled.close()
  })
})
