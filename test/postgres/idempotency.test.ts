import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import {
  createPostgresIdempotency,
  createPostgresStore,
  type Execute,
  migratePostgres,
} from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idempotencyContract } from '../admin/idempotency-contract.js'
import { countingChanges } from '../support/databases/counting-changes.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

let sites = 0
const nextSite = (): string => `site ${++sites}`

describe('keys on a PostgreSQL server, through a driver that counts what a statement changed [PG-12]', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const execute = countingChanges(() => pool)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    await migratePostgres({ execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  for (const check of idempotencyContract(() =>
    createPostgresIdempotency({ execute, site: nextSite() }),
  ))
    it(check.name, check.run)

  const ENTRY = { keyHash: 'key', requestHash: 'request', now: 100, expiresAt: 150 }

  it('are of one site', async () => {
    const [one, other] = [nextSite(), nextSite()].map((site) =>
      createPostgresIdempotency({ execute, site }),
    )
    expect(await one!.begin(ENTRY)).toEqual({ state: 'new' })
    expect(await other!.begin(ENTRY)).toEqual({ state: 'new' })
    await other!.abandon('key')
    expect(await one!.begin(ENTRY)).toMatchObject({ state: 'running' })
  })

  it('are purged with everything else of the site that has expired', async () => {
    const [one, other] = [nextSite(), nextSite()]
    for (const site of [one, other]) {
      const keys = createPostgresIdempotency({ execute, site })
      for (const keyHash of ['a', 'b', 'c']) await keys.begin({ ...ENTRY, keyHash })
      await keys.begin({ ...ENTRY, keyHash: 'later', expiresAt: 151 })
    }
    const store = createPostgresStore({ execute, site: one })
    const removed = [
      await store.purge({ now: 149, limit: 10 }),
      await store.purge({ now: 150, limit: 2 }),
      await store.purge({ now: 150, limit: 2 }),
      await store.purge({ now: 150, limit: 2 }),
    ]
    expect(removed).toEqual([
      { rows: 0, dueSince: null },
      { rows: 2, dueSince: 150 },
      { rows: 1, dueSince: null },
      { rows: 0, dueSince: null },
    ])
    const { rows } = await pool.query(
      'select site, count(*)::int as keys from hallpass_idempotency where site in ($1, $2) group by site order by keys',
      [one, other],
    )
    expect(rows).toEqual([
      { site: one, keys: 1 },
      { site: other, keys: 4 },
    ])
  })

  it('end where others take and abandon them all the time', async () => {
    let calls = 0
    const execute = async (): Promise<{ rows: object[] }> => {
      calls++
      return { rows: [{ is_won: 0, is_found: null }] }
    }
    const keys = createPostgresIdempotency({ execute, site: 'a' })
    await expect(keys.begin(ENTRY)).rejects.toThrow('others were first 20 times')
    expect(calls).toBe(40)
  })

  it('pass on what the driver throws', async () => {
    const keys = createPostgresIdempotency({
      execute: () => Promise.reject(new Error('connection refused')),
      site: 'a',
    })
    const answer = { status: 200, headers: [], body: null }
    await expect(keys.begin(ENTRY)).rejects.toThrow('connection refused')
    await expect(keys.finish({ keyHash: 'key', answer })).rejects.toThrow('connection refused')
    await expect(keys.abandon('key')).rejects.toThrow('connection refused')
  })
})

describe('keys on PGlite', () => {
  let database: PGlite
  const execute: Execute = (sql, parameters) => database.query(sql, parameters)

  beforeAll(async () => {
    database = await PGlite.create({ loadDataDir: await emptyCluster() })
    await migratePostgres({ execute })
  })
  afterAll(() => database.close())

  for (const check of idempotencyContract(() =>
    createPostgresIdempotency({ execute, site: nextSite() }),
  ))
    it(check.name, check.run)
})
