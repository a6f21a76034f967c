import { maintain } from 'hallpass/operations'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import type { KeyRing } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  hash,
  pendingSample,
  refreshSample,
} from '../../src/store-contract/samples.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { T } from '../support/school/school.js'

const DAY = 86_400
const SKEWS = 1000
const SEED = 20_261_122
const TIMEOUT = 300_000

const noKeys: KeyRing = {
  maintain: async () => {},
  jwks: async () => ({ keys: [] }),
  signer: async () => null,
  refreshSecrets: () => ['use at least 32 random characters here'],
}

/** Repeatable numbers from 0 up to 1. */
function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** From a second to ten years, ahead or behind, each size as likely as any other. */
function skewOf(chance: () => number): number {
  const seconds = Math.round(Math.exp(chance() * Math.log(3650 * DAY)))
  return chance() < 0.5 ? seconds : -seconds
}

/** A row that the test stored: when it expires, and how to look for it. */
interface Stored {
  readonly what: string
  readonly expiresAt: number
  readonly find: () => Promise<object | null>
}

/** Stores a pending request, a client, and a grant with its code and tokens, which expire at random times. */
async function storeRows(
  store: Store,
  { name, now, chance }: { name: string; now: number; chance: () => number },
): Promise<readonly Stored[]> {
  const within = (seconds: number): number => now + 1 + Math.floor(chance() * seconds)
  const [idHash, codeHash] = [hash(`pending ${name}`), hash(`code ${name}`)]
  const [access, refresh] = [hash(`access ${name}`), hash(`refresh ${name}`)]
  const [grantId, clientId] = [`grant ${name}`, `client ${name}`]
  const ends = { pending: within(600), access: within(3600), grant: within(180 * DAY) }
  const at = { issuedAt: now, grantId }
  await store.savePending(pendingSample({ idHash, createdAt: now, expiresAt: ends.pending }))
  await store.insertClient(clientSample({ clientId, kind: 'loopback', createdAt: now }))
  const code = codeSample({ codeHash, ...at, expiresAt: now + 60 })
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  await store.redeemCode({
    codeHash,
    redeemedAt: now,
    grant: grantSample({ grantId, createdAt: now, expiresAt: ends.grant }),
    accessToken: accessSample({ tokenHash: access, ...at, expiresAt: ends.access }),
    refreshToken: refreshSample({ tokenHash: refresh, ...at, expiresAt: ends.grant }),
  })
  const row = (what: string, expiresAt: number, find: Stored['find']): Stored => ({
    what: `${what} ${name}`,
    expiresAt,
    find,
  })
  return [
    row('pending', ends.pending, () => store.findPending(idHash)),
    row('access token', ends.access, () => store.findAccessToken(access)),
    row('grant', ends.grant, () => store.findRefreshToken(refresh)),
    row('code', now + 60 + DAY, () => store.findCode(codeHash)),
    row('client', now + 7 * DAY, () => store.findClient(clientId)),
  ]
}

const isThere = async ({ find }: Stored): Promise<boolean> => (await find()) !== null
async function missing(rows: readonly Stored[]): Promise<readonly string[]> {
  const found = await Promise.all(rows.map(isThere))
  return rows.filter((_, index) => !found[index]).map(({ what }) => what)
}

/** The time as it is, and as the process shows it that maintains the site at the moment. */
interface Clocks {
  true: number
  shown: number
}

/**
 * Starts a process with a wrong clock a thousand times, each time beside one that is right, and looks after
 * each start for what should be there.
 */
async function startWithWrongClocks(store: Store, clocks: Clocks): Promise<void> {
  const chance = createChance(SEED)
  const { site } = testSite({ store, now: () => clocks.shown })
  const maintainAt = async (shown: number): Promise<void> => {
    clocks.shown = shown
    await maintain(site, { keys: noKeys })
  }
  // A day until the clock of the site is trusted.
  for (let hour = 0; hour < 25; hour++, clocks.true += 3600) await maintainAt(clocks.true)
  let rows: readonly Stored[] = []
  let lost: readonly string[] = []
  for (let start = 0; start < SKEWS; start++) {
    if (start % 10 === 0)
      rows = [...rows, ...(await storeRows(store, { name: `${start}`, now: clocks.true, chance }))]
    await maintainAt(clocks.true)
    const skew = skewOf(chance)
    for (let runs = 1 + Math.floor(chance() * 3); runs > 0; runs--)
      await maintainAt(clocks.true + skew)
    // The right process again, so that a mark that the wrong one left is used.
    await maintainAt(clocks.true)
    rows = rows.filter(({ expiresAt }) => expiresAt > clocks.true)
    // What is lost stays lost, so most rows are looked for at every tenth start only.
    const endsSoon = ({ expiresAt }: Stored): boolean => expiresAt <= clocks.true + 3600
    const gone = await missing(start % 10 === 9 ? rows : rows.filter(endsSoon))
    lost = [...lost, ...gone.map((what) => `${what} at ${skew} s`)]
    rows = rows.filter(({ what }) => !gone.includes(what))
    clocks.true += 1 + Math.floor(chance() * 300)
  }
  expect(lost).toEqual([])

  // Closed for a year, then open for two days: all of it is deleted.
  expect(rows.length).toBeGreaterThan(100)
  clocks.true += 365 * DAY
  for (let hour = 0; hour <= 50; hour++, clocks.true += 3600) await maintainAt(clocks.true)
  expect(await missing(rows)).toHaveLength(rows.length)
}

const clocksAtT = (): Clocks => ({ true: T, shown: T })

describe(`a process that starts with a wrong clock, ${SKEWS} times`, () => {
  it(
    'loses no row of a store in memory, whose only clock is its own',
    async () => {
      await startWithWrongClocks(createMemoryStore(), clocksAtT())
    },
    TIMEOUT,
  )

  describe('over PostgreSQL', () => {
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

    it(
      'loses no row where the database knows the time',
      async () => {
        const clocks = clocksAtT()
        const store = createPostgresStore({ execute, site: 'right', now: () => clocks.true })
        await startWithWrongClocks(store, clocks)
      },
      TIMEOUT,
    )

    it(
      'loses no row where the database is on the same computer, or embedded',
      async () => {
        const clocks = clocksAtT()
        const store = createPostgresStore({ execute, site: 'same', now: () => clocks.shown })
        await startWithWrongClocks(store, clocks)
      },
      TIMEOUT,
    )
  })
})
