import { maintain } from 'hallpass/operations'
import { createPostgresStorage, createPostgresStore, type Execute } from 'hallpass/postgres'
import { testSite } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { T } from '../support/school/school.js'

const DAY = 86_400
/** Beyond this many rows, reading a whole table costs more than an index, even in memory. */
const MANY = 10_000

const KINDS = {
  hallpass_pending: `insert into hallpass_pending (site, id_hash, created_at, due_at, record)
    select $1, i::text, 1, $3::bigint + i, '{}' from generate_series(1, $2) i`,
  hallpass_code: `insert into hallpass_code (site, code_hash, client_id, subject, issued_at, due_at, record)
    select $1, i::text, '', '', 1, $3::bigint + ${DAY} + i, '{}' from generate_series(1, $2) i`,
  hallpass_grant: `insert into hallpass_grant (site, grant_id, client_id, subject, scopes, created_at, due_at, record)
    select $1, i::text, '', '', '[]', 1, $3::bigint + i, '{}' from generate_series(1, $2) i`,
  hallpass_access_token: `insert into hallpass_access_token (site, token_hash, grant_id, scopes, issued_at, due_at)
    select $1, i::text, i::text, '[]', 1, $3::bigint + i from generate_series(1, $2) i`,
  hallpass_refresh_token: `insert into hallpass_refresh_token (site, token_hash, grant_id, issued_at, expires_at, due_at)
    select $1, i::text, i::text, 1, $3::bigint + i, $3::bigint + i from generate_series(1, $2) i`,
  hallpass_idempotency: `insert into hallpass_idempotency (site, key_hash, request_hash, due_at)
    select $1, i::text, '', $3::bigint + i from generate_series(1, $2) i`,
  hallpass_use: `insert into hallpass_use (site, use_key, due_at)
    select $1, i::text, $3::bigint + i from generate_series(1, $2) i`,
  hallpass_erasure: `insert into hallpass_erasure (site, subject_hash, due_at)
    select $1, i::text, $3::bigint + ${DAY} + i from generate_series(1, $2) i`,
  hallpass_outbox: `insert into hallpass_outbox (site, seq, event_hash, due_at, record)
    select $1, i, i::text, $3::bigint + i, '{}' from generate_series(1, $2) i`,
  hallpass_client: `insert into hallpass_client (site, client_id, kind, search, revision, created_at, due_at, record)
    select $1, i::text, 'loopback', '', 1, 1, $3::bigint + ${7 * DAY} + i, '{}' from generate_series(1, $2) i`,
}

let database: TestDatabase
let pool: pg.Pool
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

/** Stores so many rows of each kind, of which one more is due each second. */
async function fill(site: string, { rows, from }: { rows: number; from: number }): Promise<void> {
  for (const sql of Object.values(KINDS)) await pool.query(sql, [site, rows, from])
}

async function countOf(site: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of Object.keys(KINDS)) {
    const sql = `select count(*)::int as rows from ${table} where site = $1`
    counts[table] = (await pool.query<{ rows: number }>(sql, [site])).rows[0]!.rows
  }
  return counts
}

describe('purge on PostgreSQL', () => {
  it.each([
    ['due', T - 100 * DAY],
    ['live', T],
  ])('reads each table by an index where its rows are %s [PG-07]', async (_, from) => {
    const site = `plans ${from}`
    await fill(site, { rows: MANY, from })
    await pool.query('analyze')
    const asked: [sql: string, parameters: unknown[]][] = []
    const looking: Execute = async (sql, parameters) => {
      asked.push([sql, parameters])
      return { rows: [{}] }
    }
    await createPostgresStore({ execute: looking, site, now: () => T + 60 }).purge({
      now: T,
      limit: 1000,
    })
    expect(asked).toHaveLength(11)
    for (const [statement, parameters] of asked) {
      const { rows } = await pool.query<Record<'QUERY PLAN', string>>(
        `explain ${statement}`,
        parameters,
      )
      const plan = rows.map((row) => row['QUERY PLAN'])
      const whole = plan.filter((line) => line.includes('Seq Scan'))
      expect({ statement, whole: whole.length > 0 ? plan : [] }).toEqual({ statement, whole: [] })
      expect(plan.some((line) => line.includes('Index'))).toBe(true)
    }
  })

  it('is repeated by maintain until everything is deleted that piled up, and nothing else [F-47]', async () => {
    const site = 'piled up'
    const store = createPostgresStore({ execute, site, now: () => T })
    await store.moveClock({ from: null, to: { trustedAt: T, leap: null } })
    const due = T - 3900
    await fill(site, { rows: 1500, from: due - 8 * DAY - 1500 })
    const [, ...others] = Object.keys(KINDS)
    await pool.query(
      `insert into hallpass_pending (site, id_hash, created_at, due_at, record) values ($1, 'live', 1, $2, '{}')`,
      [site, due + 1],
    )
    // Of people who were not erased, such as those who got a code: they are not counted.
    await pool.query(
      `insert into hallpass_erasure (site, subject_hash, due_at)
       select $1, 'code ' || i, 0 from generate_series(1, 1500) i`,
      [site],
    )
    const keys = {
      maintain: async () => {},
      jwks: async () => ({ keys: [] }),
      signer: async () => null,
      refreshSecrets: () => ['use at least 32 random characters here'],
    }
    const maintained = await maintain(testSite({ store, now: () => T }).site, {
      keys,
      purgeSeconds: 3600,
    })
    expect(maintained).toEqual({
      deletesBefore: due,
      purged: 10 * 1500,
      lagSeconds: 0,
      dueSince: due,
    })
    expect(await countOf(site)).toEqual({
      hallpass_pending: 1,
      ...Object.fromEntries(others.map((table) => [table, 0])),
    })
  })

  it('deletes the tokens of a grant before the grant, a bounded number at a time [PG-07]', async () => {
    const site = 'one grant'
    const store = createPostgresStore({ execute, site, now: () => T + 60 })
    await pool.query(KINDS.hallpass_grant, [site, 2, T - 10])
    await pool.query(
      `insert into hallpass_refresh_token (site, token_hash, grant_id, issued_at, expires_at, due_at)
       select $1, i::text, '1', 1, 1, 1 from generate_series(1, 25) i`,
      [site],
    )
    const purged = []
    for (let call = 0; call < 4; call++) purged.push(await store.purge({ now: T, limit: 10 }))
    expect(purged).toEqual([
      { rows: 11, dueSince: T - 9 },
      { rows: 10, dueSince: T - 9 },
      { rows: 6, dueSince: null },
      { rows: 0, dueSince: null },
    ])
  })

  it('deletes rotated refresh tokens once they have expired, ten for each access token, and never the newest [PG-11]', async () => {
    const site = 'refreshed'
    const store = createPostgresStore({ execute, site, now: () => T + 60 })
    await pool.query(KINDS.hallpass_grant, [site, 2, T + DAY])
    // Of both grants: hourly tokens of which 25 have expired, and the last is the newest.
    await pool.query(
      `insert into hallpass_refresh_token (site, token_hash, grant_id, issued_at, expires_at, due_at, rotation)
       select $1, g || ' ' || i, g::text, $2 - 100 * 3600 + i * 3600, $2 - 25 * 3600 + i * 3600,
         $2 - 25 * 3600 + i * 3600, case when i < 40 then '[]' end
       from generate_series(1, 2) g, generate_series(1, 40) i`,
      [site, T],
    )
    const left = async (): Promise<unknown> =>
      (
        await pool.query(
          `select grant_id, count(*)::int as rows, min(expires_at)::int as oldest
           from hallpass_refresh_token where site = $1 group by grant_id order by grant_id`,
          [site],
        )
      ).rows
    const second = { grant_id: '2', rows: 40, oldest: T - 24 * 3600 }
    for (const [round, rows, oldest] of [
      [1, 30, T - 14 * 3600],
      [2, 20, T - 4 * 3600],
      [3, 15, T + 3600],
      [4, 15, T + 3600],
    ] as const) {
      await pool.query(
        `insert into hallpass_access_token (site, token_hash, grant_id, scopes, issued_at, due_at)
         values ($1, $2::text, '1', '[]', 1, $3)`,
        [site, round, T],
      )
      await store.purge({ now: T, limit: 1000 })
      expect(await left()).toEqual([{ grant_id: '1', rows, oldest }, second])
    }
    // The newest one of an app that nobody uses any more goes with the grant.
    await pool.query("update hallpass_refresh_token set rotation = null where grant_id = '2'")
    await pool.query(
      `insert into hallpass_access_token (site, token_hash, grant_id, scopes, issued_at, due_at)
       values ($1, 'last', '2', '[]', 1, $2)`,
      [site, T],
    )
    await store.purge({ now: T, limit: 1000 })
    expect(await left()).toEqual([{ grant_id: '1', rows: 15, oldest: T + 3600 }, second])
  })

  it('waits for no row that another process holds [PG-07]', async () => {
    const site = 'side by side'
    const store = createPostgresStore({ execute, site, now: () => T + 60 })
    await fill(site, { rows: 10, from: T - 100 * DAY })
    const holder = await pool.connect()
    await holder.query('begin')
    for (const table of Object.keys(KINDS))
      await holder.query(
        `select from ${table} where site = $1 and (to_jsonb(${table}) ->> $2) = '1' for update`,
        [site, KEYS[table as keyof typeof KINDS]],
      )
    const impatient: Execute = (sql, parameters) =>
      pool.query({ text: sql, values: parameters, query_timeout: 5000 } as pg.QueryConfig)
    const beside = createPostgresStore({ execute: impatient, site, now: () => T + 60 })
    const purging = beside.purge({ now: T, limit: 100 })
    await purging.catch(() => {})
    await holder.query('rollback')
    holder.release()
    // The first row of each kind was held.
    expect((await purging).rows).toBe(10 * 9)
    expect(await store.purge({ now: T, limit: 100 })).toEqual({ rows: 10, dueSince: null })
  })
})

const KEYS: Record<keyof typeof KINDS, string> = {
  hallpass_pending: 'id_hash',
  hallpass_code: 'code_hash',
  hallpass_grant: 'grant_id',
  hallpass_access_token: 'token_hash',
  hallpass_refresh_token: 'token_hash',
  hallpass_idempotency: 'key_hash',
  hallpass_erasure: 'subject_hash',
  hallpass_use: 'use_key',
  hallpass_outbox: 'event_hash',
  hallpass_client: 'client_id',
}

it('purges all sites in two sessions at the same time, each of which takes other rows and waits for none', async () => {
  await pool.query(`truncate ${Object.keys(KINDS).join(', ')}`)
  const sites = ['one of two', 'other of two']
  for (const site of sites) await fill(site, { rows: 20, from: T - 100 * DAY })
  await pool.query(`update hallpass_access_token set grant_id = '1'`)
  await pool.query(`update hallpass_refresh_token set rotation = '[]'`)
  await pool.query(`insert into hallpass_erasure (site, subject_hash, due_at)
    select 'one of two', 'never erased ' || i, 0 from generate_series(1, 20) i`)
  const [first, second] = await Promise.all([pool.connect(), pool.connect()])
  onTestFinished(() => [first, second].forEach((client) => client.release(true)))
  const purge = (client: pg.PoolClient) =>
    createPostgresStorage({
      execute: (text, values) => client.query(text, values),
      now: () => T,
    }).purge({ now: T, limit: 5 })
  await first.query('begin')
  await purge(first)
  // A wait would end with an error.
  await second.query('set lock_timeout = 1000')
  await purge(second)
  await first.query('commit')
  const counts = await Promise.all(sites.map(countOf))
  const left = (table: string): number => counts[0]![table]! + counts[1]![table]!
  // Both took five rows of each, and five of persons who were not erased.
  const alone = ['pending', 'code', 'idempotency', 'use', 'outbox', 'client']
  expect(alone.map((table) => left(`hallpass_${table}`))).toEqual(alone.map(() => 40 - 10))
  expect(left('hallpass_erasure')).toBe(60 - 20)
})
