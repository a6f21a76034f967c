import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import {
  type AttemptNote,
  type AttemptStage,
  type AttemptStep,
  type AttemptStore,
  createMemoryAttempts,
} from 'hallpass/clients'
import { createPostgresAttempts, migratePostgres } from 'hallpass/postgres'
import { createSqliteAttempts } from 'hallpass/sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countingChanges } from '../support/databases/counting-changes.js'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const step = (at: number, stage: AttemptStage, reason: string | null = null): AttemptStep => ({
  at,
  stage,
  ok: reason === null,
  error: reason === null ? null : 'invalid_request',
  reason,
  requestId: null,
  detail: null,
  network: null,
})
const note = (id: string, steps: readonly AttemptStep[], facts: Partial<AttemptNote> = {}) => ({
  id,
  joins: null,
  clientId: null,
  clientName: null,
  resource: null,
  scopes: [],
  network: null,
  grantId: null,
  steps,
  ...facts,
})
const ALL: Parameters<AttemptStore['list']>[0] = {
  search: null,
  clientId: null,
  outcome: null,
  before: null,
  limit: 100,
  now: 1000,
}
const idsOf = async (
  store: AttemptStore,
  query: Partial<Parameters<AttemptStore['list']>[0]> = {},
) => (await store.list({ ...ALL, ...query })).attempts.map(({ id }) => id)

function behavesLikeAStore(open: () => AttemptStore): void {
  it('appends steps and facts, and no step twice', async () => {
    const store = open()
    const first = note('a', [step(10, 'authorize')], { clientId: 'app', scopes: ['x'] })
    await store.append(first)
    await store.append(first)
    await store.append(note('a', [step(12, 'code')], { grantId: 'grant_1', scopes: ['y'] }))
    expect(await store.find('a')).toEqual({
      id: 'a',
      startedAt: 10,
      lastAt: 12,
      clientId: 'app',
      clientName: null,
      resource: null,
      scopes: ['y'],
      network: null,
      grantId: 'grant_1',
      steps: [step(10, 'authorize'), step(12, 'code')],
    })
    expect(await store.find('b')).toBeNull()
  })

  it('erases the attempts in which a text is, and no others', async () => {
    const store = open()
    const detail = 'redirect_uri: https://x.example/?u=Jonas.Brandt@example.com'
    await store.append(note('a', [{ ...step(1, 'authorize'), detail }]))
    await store.append(note('b', [step(2, 'authorize')], { clientName: 'Jonas "B" Brandt' }))
    await store.append(note('c', [step(3, 'authorize')], { clientId: 'jonas' }))
    expect(await store.erase(['', 'nobody@example.com'])).toBe(0)
    expect(await store.erase(['jonas.brandt@example.com', 'brandt', ''])).toBe(2)
    expect(await idsOf(store)).toEqual(['c'])
  })

  it('keeps the first 12 steps and the last 20 [ATT-04]', async () => {
    const store = open()
    for (let at = 1; at <= 40; at++) await store.append(note('a', [step(at, 'sign_in')]))
    const kept = (await store.find('a'))!.steps.map(({ at }) => at)
    expect(kept).toEqual([...range(1, 12), ...range(21, 40)])
  })

  it('cuts what a client wrote, and keeps it storable [ATT-04]', async () => {
    const store = open()
    const long = `a\u0000b\ud800${'🎈'.repeat(300)}`
    const facts = {
      clientId: long,
      clientName: long,
      resource: long,
      scopes: Array(100).fill(long),
    }
    await store.append(note('a', [{ ...step(1, 'authorize'), detail: long }], facts))
    const found = (await store.find('a'))!
    expect(found.clientId).toHaveLength(256)
    expect(found.clientId!.startsWith('a b 🎈')).toBe(true)
    expect(found.clientId).not.toMatch(/\p{Cs}/u)
    expect(found.scopes).toHaveLength(64)
    expect(found.steps[0]!.detail).toHaveLength(200)
  })

  it('continues an attempt under another identifier, once', async () => {
    const store = open()
    await store.append(note('reg', [step(1, 'registration')], { network: 'n' }))
    await store.append(note('a', [step(2, 'authorize')], { joins: 'reg' }))
    await store.append(note('b', [step(3, 'authorize')], { joins: 'reg' }))
    expect(await store.find('reg')).toBeNull()
    expect(await store.find('a')).toMatchObject({ startedAt: 1, network: 'n' })
    expect((await store.find('b'))!.steps).toHaveLength(1)
    expect(await idsOf(store)).toEqual(['b', 'a'])
  })

  it('keeps an attempt that another network joins, until a person allows it [ATT-13]', async () => {
    const store = open()
    const [home, away] = ['home', 'away'].map((network) => ({ network }))
    await store.append(note('reg', [step(1, 'registration')], home))
    await store.append(
      note('a', [step(2, 'authorize', 'scope_unknown')], { joins: 'reg', ...away }),
    )
    await store.append(note('b', [step(3, 'sign_in')], { joins: 'reg', ...away }))
    expect(await store.find('reg')).toMatchObject({ ...home, steps: [step(1, 'registration')] })
    expect(await store.find('a')).toMatchObject({ ...away, startedAt: 1 })
    await store.append(note('b', [step(4, 'code')], { joins: 'reg', ...away }))
    expect(await store.find('reg')).toBeNull()
    expect((await store.find('b'))!.steps.map(({ at }) => at)).toEqual([1, 3, 4])
  })

  it('joins an attempt of another network only while it waits [ATT-13]', async () => {
    const store = open()
    await store.append(note('reg', [step(1, 'registration')], { network: 'home' }))
    const late = { joins: 'reg', network: 'away' }
    await store.append(note('a', [step(601, 'code')], late))
    expect(await store.find('a')).toMatchObject({ startedAt: 601, network: 'away' })
    expect((await store.find('reg'))!.steps).toHaveLength(1)
    await store.append(note('b', [step(602, 'authorize')], { joins: 'reg', network: 'home' }))
    expect(await store.find('b')).toMatchObject({ startedAt: 1, network: 'home' })
    expect(await store.find('reg')).toBeNull()
  })

  it('drops failed steps of other networks first where there are too many [ATT-13]', async () => {
    const store = open()
    const at = (network: string, one: AttemptStep) => note('a', [{ ...one, network }], { network })
    const own = range(1, 20).map((n) => at('home', step(10 * n, 'consent', n % 2 ? null : 'x')))
    for (const [index, one] of own.entries()) {
      await store.append(one)
      for (let n = 1; n < 4; n++)
        await store.append(at('away', step(10 * (index + 1) + n, 'token', 'code_expired')))
    }
    await store.append(at('server', step(500, 'token')))
    const { steps, network } = (await store.find('a'))!
    expect(network).toBe('home')
    expect(steps).toHaveLength(32)
    const kept = steps.filter((one) => one.network !== 'away')
    expect(kept).toEqual([...own, at('server', step(500, 'token'))].flatMap((one) => one.steps))
    // What strangers noted last is still there.
    expect(steps.at(-2)).toMatchObject({ at: 203, network: 'away' })
  })

  it('lists by outcome, client and words, with counts', async () => {
    const store = open()
    const facts = { clientId: 'https://notes.example/id', clientName: 'Notes 100%_' }
    await store.append(note('att_1', [step(1, 'token')], facts))
    await store.append(note('att_2', [step(2, 'authorize', 'scope_unknown')], facts))
    await store.append(
      note('att_3', [step(900, 'sign_in')], { clientId: 'app', grantId: 'grant_7' }),
    )
    await store.append(note('att_4', [step(300, 'sign_in')]))
    expect((await store.list(ALL)).counts).toEqual({ connected: 1, stopped: 2, waiting: 1 })
    expect(await idsOf(store)).toEqual(['att_3', 'att_4', 'att_2', 'att_1'])
    expect(await idsOf(store, { outcome: 'connected' })).toEqual(['att_1'])
    expect(await idsOf(store, { outcome: 'stopped' })).toEqual(['att_4', 'att_2'])
    expect(await idsOf(store, { outcome: 'waiting' })).toEqual(['att_3'])
    expect(await idsOf(store, { clientId: 'app' })).toEqual(['att_3'])
    expect(await idsOf(store, { search: 'NOTES 100%_' })).toEqual(['att_2', 'att_1'])
    expect(await idsOf(store, { search: 'grant_7' })).toEqual(['att_3'])
    expect(await idsOf(store, { search: 'att_4' })).toEqual(['att_4'])
    expect(await idsOf(store, { search: '%' })).toEqual(['att_2', 'att_1'])
    const counted = await store.list({ ...ALL, search: 'notes', outcome: 'stopped' })
    expect(counted.counts).toEqual({ connected: 1, stopped: 1, waiting: 0 })
  })

  it('pages without losing or repeating an attempt', async () => {
    const store = open()
    for (let n = 0; n < 7; n++) await store.append(note(`a${n}`, [step(n < 4 ? 5 : 6, 'token')]))
    const seen: string[] = []
    let before: string | null = null
    for (let page = 0; page < 4; page++) {
      const found = await store.list({ ...ALL, before, limit: 2 })
      seen.push(...found.attempts.map(({ id }) => id))
      before = found.next
    }
    expect(seen).toEqual(['a6', 'a5', 'a4', 'a3', 'a2', 'a1', 'a0'])
    expect(before).toBeNull()
    expect(await idsOf(store, { before: 'no cursor' })).toHaveLength(7)
  })

  it('replaces the oldest of a network over its bound, and none that has connected [ATT-08]', async () => {
    const store = open()
    await store.append(note('other', [step(1, 'authorize')], { network: 'quiet' }))
    await store.append(note('done', [step(2, 'token')], { network: 'loud' }))
    for (let n = 0; n < 120; n++)
      await store.append(note(`loud ${n}`, [step(10 + n, 'authorize')], { network: 'loud' }))
    const { counts } = await store.list(ALL)
    expect(counts).toEqual({ connected: 1, stopped: 101, waiting: 0 })
    expect(await store.find('other')).not.toBeNull()
    expect(await store.find('done')).not.toBeNull()
    expect(await store.find('loud 19')).toBeNull()
    expect(await store.find('loud 20')).not.toBeNull()
  })

  it('replaces those of strangers before those that a person was part of [ATT-15]', async () => {
    const store = open()
    const facts = { network: 'school' }
    const people = [
      step(1, 'consent'),
      step(2, 'code'),
      step(3, 'consent', 'person_not_staff'),
      step(4, 'token', 'person_gone'),
    ]
    for (const [index, one] of people.entries()) await store.append(note(`p${index}`, [one], facts))
    for (let n = 0; n < 150; n++)
      await store.append(note(`s${n}`, [step(10 + n, 'sign_in')], facts))
    expect(await store.find('s53')).toBeNull()
    expect(await store.find('s54')).not.toBeNull()
    for (let n = 0; n < 150; n++) {
      const id = `new ${n}`
      await store.append(note(id, [step(200 + n, 'authorize')], facts))
      await store.append(note(id, [step(200 + n, 'consent')], facts))
    }
    // Strangers keep their tenth, so that an attempt that begins is recorded.
    expect((await store.list(ALL)).counts).toEqual({ connected: 0, stopped: 100, waiting: 0 })
    await store.append(note('begins', [step(900, 'authorize')], facts))
    expect(await store.find('begins')).not.toBeNull()
    for (let n = 0; n < 50; n++)
      await store.append(note(`late ${n}`, [step(901 + n, 'authorize')], facts))
    const left = (await idsOf(store)).filter((id) => id.startsWith('new'))
    expect(left).toHaveLength(90)
    expect(left.at(-1)).toBe('new 60')
  })

  it('purges the attempts whose last step was long ago', async () => {
    const store = open()
    await store.append(note('a', [step(1, 'authorize')]))
    await store.append(note('b', [step(2, 'authorize'), step(9, 'code')]))
    await store.append(note('c', [step(3, 'authorize')]))
    expect(await store.purge({ before: 3, limit: 1 })).toBe(1)
    expect(await store.purge({ before: 3, limit: 5 })).toBe(1)
    expect(await store.purge({ before: 3, limit: 5 })).toBe(0)
    expect(await idsOf(store)).toEqual(['b'])
  })

  it('loses no step of processes that append at the same time', async () => {
    const store = open()
    await Promise.all(
      range(1, 4).map((at) => store.append(note('a', [step(at, 'sign_in')], { joins: 'r' }))),
    )
    const found = (await store.find('a'))!.steps.map(({ at }) => at)
    expect(found.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
  })
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('attempts in memory', () => {
  behavesLikeAStore(() => createMemoryAttempts())

  it('of people are not pushed out by strangers of no network [ATT-15]', async () => {
    const store = createMemoryAttempts({ limit: 100 })
    for (let n = 0; n < 90; n++) await store.append(note(`p${n}`, [step(n + 1, 'consent')]))
    for (let n = 0; n < 500; n++) await store.append(note(`s${n}`, [step(n + 100, 'authorize')]))
    const kept = await idsOf(store)
    expect(kept).toHaveLength(100)
    expect(kept.filter((id) => id.startsWith('p'))).toHaveLength(90)
    expect(kept[0]).toBe('s499')
  })

  it('are bounded, and those that have connected go last [ATT-08]', async () => {
    const store = createMemoryAttempts({ limit: 3 })
    await store.append(note('done', [step(1, 'token')]))
    for (let n = 0; n < 5; n++) await store.append(note(`a${n}`, [step(2 + n, 'authorize')]))
    expect(await idsOf(store)).toEqual(['a4', 'a3', 'done'])
    await store.append(note('b', [step(9, 'token')]))
    await store.append(note('c', [step(10, 'token')]))
    await store.append(note('d', [step(11, 'token')]))
    expect(await idsOf(store)).toEqual(['d', 'c', 'b'])
  })
})

let sites = 0

describe('attempts on a PostgreSQL server, through a driver that counts what a statement changed [PG-12]', () => {
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

  behavesLikeAStore(() => createPostgresAttempts({ execute, site: `site ${++sites}` }))

  it('are of one site', async () => {
    const one = createPostgresAttempts({ execute, site: 'one' })
    const other = createPostgresAttempts({ execute, site: 'other' })
    await one.append(note('a', [step(1, 'authorize')]))
    expect(await other.find('a')).toBeNull()
    expect(await other.list(ALL)).toEqual({
      attempts: [],
      next: null,
      counts: { connected: 0, stopped: 0, waiting: 0 },
    })
    expect(await other.purge({ before: 5, limit: 5 })).toBe(0)
    expect(await one.find('a')).not.toBeNull()
  })

  it('are bounded for a site, and those that have connected go last [ATT-08]', async () => {
    const store = createPostgresAttempts({ execute, site: 'full' })
    await pool.query(
      `insert into hallpass_attempt
         (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
       select 'full', 'old ' || n, 1, lpad(n::text, 12, '0') || '.old ' || n, n, (n <= 2)::int, 0, '', '', '{}'
       from generate_series(1, 10000) n`,
    )
    for (let n = 0; n < 50; n++) await store.append(note(`new ${n}`, [step(20_000 + n, 'token')]))
    const { rows } = await pool.query(
      `select count(*)::int as kept, count(*) filter (where attempt_id in ('old 1', 'old 2', 'old 53'))::int as these
       from hallpass_attempt where site = 'full'`,
    )
    expect(rows).toEqual([{ kept: 10_000, these: 3 }])
    expect(await store.find('old 52')).toBeNull()
  })

  it('of people are not pushed out by strangers of no network [ATT-15]', async () => {
    const store = createPostgresAttempts({ execute, site: 'crowded' })
    await pool.query(
      `insert into hallpass_attempt
         (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
       select 'crowded', 'old ' || n, 1, lpad(n::text, 12, '0') || '.old ' || n, n, 0, (n <= 9000)::int, '', '', '{}'
       from generate_series(1, 10000) n`,
    )
    for (let n = 0; n < 100; n++)
      await store.append(note(`new ${n}`, [step(20_000 + n, 'authorize')]))
    const { rows } = await pool.query(
      `select count(*)::int as kept, count(*) filter (where has_person = 1)::int as people,
         count(*) filter (where attempt_id like 'new %')::int as begun
       from hallpass_attempt where site = 'crowded'`,
    )
    expect(rows).toEqual([{ kept: 10_000, people: 9000, begun: 100 }])
  })
})

describe('attempts on PGlite', () => {
  let database: PGlite
  beforeAll(async () => {
    database = await PGlite.create({ loadDataDir: await emptyCluster() })
    await migratePostgres({ execute: (sql, parameters) => database.query(sql, parameters) })
  })
  afterAll(() => database.close())

  behavesLikeAStore(() =>
    createPostgresAttempts({
      execute: (sql, parameters) => database.query(sql, parameters),
      site: `site ${++sites}`,
    }),
  )
})

describe('attempts on SQLite', () => {
  let database: TestSqlite
  beforeAll(async () => {
    database = await openSqlite()
  })
  afterAll(() => database.close())
  const open = (): AttemptStore =>
    createSqliteAttempts({ batch: database.batch, site: `site ${++sites}` })

  behavesLikeAStore(open)

  it('are bounded for a site, people before strangers, and those that have connected last [ATT-08, ATT-15]', async () => {
    const store = open()
    database.rows(
      `insert into hallpass_attempt (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < 10000)
       select ?, 'old ' || n, 1, printf('%012d.old', n), n, n <= 2, n <= 8990, '', '', '{}' from n`,
      `site ${sites}`,
    )
    for (let n = 0; n < 50; n++)
      await store.append(note(`new ${n}`, [step(20_000 + n, 'authorize')]))
    const counts = database.rows(
      `select count(*) as kept, sum(has_person) as people, sum(attempt_id like 'new %') as begun
       from hallpass_attempt where site = ?`,
      `site ${sites}`,
    )
    expect(counts).toEqual([{ kept: 10_000, people: 8990, begun: 50 }])
    expect(await store.find('old 1')).not.toBeNull()
    expect(await store.find('old 9040')).toBeNull()
    expect(await store.find('old 9041')).not.toBeNull()
  })

  it('keep the step of each of several processes that append at the same time', async () => {
    const store = open()
    await store.append(note('a', [step(1, 'authorize')]))
    await Promise.all(
      [2, 3, 4].map((at) =>
        createSqliteAttempts({
          batch: async (statements, isOver) => {
            await Promise.resolve()
            return database.batch(statements, isOver)
          },
          site: `site ${sites}`,
        }).append(note('a', [step(at, 'sign_in')])),
      ),
    )
    expect((await store.find('a'))?.steps.map(({ at }) => at).toSorted()).toEqual([1, 2, 3, 4])
  })

  it('are erased by a name whatever its case is, outside of ASCII too', async () => {
    const store = open()
    await store.append(note('a', [step(1, 'authorize')], { clientName: 'Das Werkzeug von MÜLLER' }))
    await store.append(note('b', [step(1, 'authorize')], { clientName: 'Muller' }))
    expect(await store.erase(['', 'Müller'])).toBe(1)
    expect(await idsOf(store)).toEqual(['b'])
  })
})
