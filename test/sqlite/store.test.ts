import {
  type Batch,
  createSqliteIdempotency,
  createSqliteStore,
  migrateSqlite,
} from 'hallpass/sqlite'
import type { Store } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  clientSample,
  eventSample,
  hash,
  rotation,
  storeGrant,
  T,
} from '../../src/store-contract/samples.js'
import { idempotencyContract } from '../admin/idempotency-contract.js'
import { busy, cut, openSqlite, type TestSqlite } from '../support/databases/sqlite.js'

let database: TestSqlite
let sites = 0
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

const open = (site = `site ${++sites}`): Store => createSqliteStore({ batch: database.batch, site })

describe('the store on SQLite [SQL-01, SQL-02, ST-14]', () => {
  const checks = storeContract(
    (site, through) => createSqliteStore({ batch: through(database.batch), site, chance: () => 0 }),
    { faults: { conflict: busy, lost: cut } },
  )
  for (const check of checks) it(check.name, check.run)
})

describe('the store on SQLite, over a slow network', () => {
  const checks = storeContract((site) => withLatency(open(site)))
  for (const check of checks.filter(({ isRace }) => isRace)) it(check.name, check.run)
})

describe('a driver of SQLite with options that change its rows', () => {
  const GUARANTEES = {
    acknowledged: 'lost with the process',
    reads: 'latest',
    clock: 'process',
    processes: 'one',
  } as const
  const changing = (change: (row: Readonly<Record<string, unknown>>) => unknown): Batch =>
    Object.assign(
      async (...given: Parameters<Batch>) =>
        (await database.batch(...given)).map((rows) =>
          rows.map((row) => change(row as Readonly<Record<string, unknown>>)),
        ) as never,
      { guarantees: GUARANTEES },
    )

  it('is refused at the start, with the option, if they are arrays', async () => {
    const returnArrays = changing((row) => Object.values(row))
    await expect(migrateSqlite({ batch: returnArrays })).rejects.toThrow(
      'batch must return each row as an object: it returned an array, so leave out returnArrays of node:sqlite, or raw of better-sqlite3',
    )
    await expect(migrateSqlite({ batch: changing(() => ({})) })).rejects.toThrow(
      'batch must return each row as an object: docs/do/sqlite.md has a recipe for each driver',
    )
  })

  const each = (change: (value: number) => unknown): Batch =>
    changing((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'number' ? change(value) : value,
        ]),
      ),
    )
  describe.each([
    ['readBigInts, safeIntegers, intMode bigint', each(BigInt)],
    ['intMode string', each(String)],
  ])('keeps the contract with %s', (_, batch) => {
    const checks = storeContract((site) => createSqliteStore({ batch, site }))
    for (const check of checks) it(check.name, check.run)
  })
})

describe('keys of requests on SQLite', () => {
  const checks = idempotencyContract(() =>
    createSqliteIdempotency({ batch: database.batch, site: `site ${++sites}` }),
  )
  for (const check of checks) it(check.name, check.run)

  it('are purged when they have expired', async () => {
    const site = `site ${++sites}`
    const keys = createSqliteIdempotency({ batch: database.batch, site })
    const entry = { keyHash: 'key', requestHash: 'request', now: 100, expiresAt: 150 }
    await keys.begin(entry)
    await keys.begin({ ...entry, keyHash: 'later', expiresAt: 151 })
    const store = open(site)
    expect(await store.purge({ now: 149, limit: 10 })).toEqual({ rows: 0, dueSince: null })
    expect(await store.purge({ now: 150, limit: 10 })).toEqual({ rows: 1, dueSince: null })
    expect(await keys.begin(entry)).toEqual({ state: 'new' })
    expect(await keys.begin({ ...entry, keyHash: 'later' })).toMatchObject({ state: 'running' })
  })
})

describe('what is stored on SQLite', () => {
  it('returns a member that a later version of hallpass added to a record', async () => {
    const store = open()
    const client = { ...clientSample(), colour: 'blue' }
    await store.insertClient(client)
    expect(await store.findClient('app_1')).toEqual(client)
  })

  it('reads what changes from its columns, and not from the record', async () => {
    const site = `site ${++sites}`
    const store = open(site)
    await storeGrant(store)
    const { rows } = database
    rows(
      `update hallpass_grant set scopes = '["a"]', revoked_at = 7, revoked_reason = 'ended' where site = ?`,
      site,
    )
    rows('update hallpass_code set redeemed_at = 8 where site = ?', site)
    expect((await store.findGrant('grant_1'))?.grant).toMatchObject({
      scopes: ['a'],
      revokedAt: 7,
      revokedReason: 'ended',
    })
    expect((await store.findCode(hash('code')))?.redeemedAt).toBe(8)
  })

  it('holds no salt that no one can use, by the day, and keeps that of the last rotation', async () => {
    const site = `site ${++sites}`
    const store = open(site)
    const DAY = 86_400
    await storeGrant(store)
    for (let day = 1; day <= 4; day++) {
      const one = rotation(String(day - 1), String(day))
      const at = T + day * DAY
      await store.rotateRefreshToken({
        ...one,
        rotation: { ...one.rotation, rotatedAt: at },
        successor: { ...one.successor, issuedAt: at },
        forgetSaltsUntil: at - 2 * DAY,
      })
    }
    const salts = database.rows(
      'select issued_at, salt from hallpass_refresh_token where site = ? order by issued_at',
      site,
    )
    expect(salts.map(({ salt }) => salt)).toEqual([
      null,
      null,
      hash('salt 2'),
      hash('salt 3'),
      hash('salt 4'),
    ])
  })

  it('names an erased person in no event, and each other one as before', async () => {
    const store = open()
    const { id: _, ...event } = eventSample()
    const client = clientSample()
    await store.insertClient(client, [
      { ...event, id: '1', subject: 'mem_1', actor: 'mem_2' },
      { ...event, id: '2', subject: 'mem_10', actor: 'mem_1' },
      { ...event, id: '3', subject: null },
      { ...event, id: '4' },
    ])
    await store.erasePerson({ subject: 'mem_1', loginHints: [], erasedAt: T })
    expect(await store.listEvents({ limit: 10 })).toEqual([
      { ...event, id: '1', subject: null, actor: 'mem_2' },
      { ...event, id: '2', subject: 'mem_10', actor: null },
      { ...event, id: '3', subject: null },
      { ...event, id: '4' },
    ])
  })

  it('takes the identifiers of a thousand events at a time', async () => {
    const store = open()
    const events = Array.from({ length: 1000 }, (_, index) => eventSample({ id: String(index) }))
    await store.insertClient(clientSample(), events)
    await store.deleteEvents(events.slice(1).map(({ id }) => id))
    expect(await store.listEvents({ limit: 10 })).toEqual([eventSample({ id: '0' })])
  })
})

it('lets others continue between the parts of a purge, of a page and of a search [SQL-12]', async () => {
  let [inTurn, most, isOver] = [0, 0, false]
  const tick = (): void => {
    inTurn = 0
    if (!isOver) setImmediate(tick)
  }
  const counting: Batch = (...given) => {
    most = Math.max(most, ++inTurn)
    return database.batch(...given)
  }
  const store = createSqliteStore({ batch: counting, site: 'turns' })
  for (let number = 0; number < 1100; number++)
    await store.insertClient(clientSample({ clientId: `app ${number}` }))
  const page = { kinds: [clientSample().kind], after: null, limit: 50, now: T }
  tick()
  await new Promise(setImmediate)
  for (const call of [
    () => store.purge({ now: T, limit: 100 }),
    () => store.listClients({ ...page, search: null }),
    () => store.listClients({ ...page, search: 'no such name' }),
  ]) {
    most = 0
    await call()
    // The first turn asks for the time, or for the page.
    expect(most).toBeLessThanOrEqual(2)
    await new Promise(setImmediate)
  }
  isOver = true
})
