import { AsyncLocalStorage } from 'node:async_hooks'
import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import fc from 'fast-check'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { createMemoryStore, type Store } from 'hallpass/store'
import { withLatency } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { later } from '../support/school/metadata-documents.js'
import {
  approve,
  generic,
  isAlive,
  reasonsOf,
  redeem,
  refresh,
  type Tokens,
} from '../support/school/flow.js'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { startModule } from '../support/processes/child.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, T } from '../support/school/school.js'

/** The tokens of the one exchange that won. Every other one has to be `invalid_grant`. */
async function winnerOf(answers: readonly Response[]): Promise<Tokens> {
  const bodies = await Promise.all(
    answers.map(async (response) => [response.status, await response.json()] as const),
  )
  return tokensOfWinner(bodies)
}

function tokensOfWinner(answers: readonly (readonly [number, unknown])[]): Tokens {
  const won = answers.filter(([status]) => status === 200)
  const lost = answers.filter(([status]) => status !== 200)
  expect(won).toHaveLength(1)
  expect(lost).toEqual(lost.map(() => generic('invalid_grant')))
  return won[0]![1] as Tokens
}

/** An exchange that goes on by a step when it is told to: it arrives, looks for the code, commits, looks again. */
interface Exchange {
  /** Goes on until the next step is due or the response is there; does nothing after that. */
  readonly step: () => Promise<void>
  /** Waits for the next step to be told. */
  readonly due: () => Promise<void>
  readonly response: Promise<Response>
}

function startExchange(run: (due: () => Promise<void>) => Promise<Response>): Exchange {
  let told = later<void>()
  let stopped = later<void>()
  let isDone = false
  const due = (): Promise<void> => {
    stopped.resolve()
    return told.promise
  }
  const response = run(due).finally(() => {
    isDone = true
    stopped.resolve()
  })
  const step = async (): Promise<void> => {
    if (isDone) return
    const { resolve } = told
    told = later()
    stopped = later()
    resolve()
    await stopped.promise
  }
  return { step, due, response }
}

const exchangeOf = new AsyncLocalStorage<() => Promise<void>>()

/** The same store; an exchange waits for its step before it looks for the code and before it commits. */
const stepByStep = (store: Store): Store => ({
  ...store,
  async findCode(codeHash) {
    await exchangeOf.getStore()?.()
    return store.findCode(codeHash)
  },
  async redeemCode(redemption) {
    await exchangeOf.getStore()?.()
    return store.redeemCode(redemption)
  },
})

// It arrives, looks for the code, commits, and looks again if it lost.
const STEPS = 4

interface Interleaving {
  /** The number of exchanges. */
  readonly count: number
  /** Which exchange goes on, step by step. */
  readonly order: readonly number[]
  /** By how many seconds the clock goes on before each step. */
  readonly pauses: readonly number[]
}

/** One exchange after another, the second so many seconds after the first committed. */
const oneByOne = (seconds: number): Interleaving => ({
  count: 2,
  order: [0, 0, 0, 0, 1, 1, 1, 1],
  pauses: [0, 0, 0, 0, seconds, 0, 0, 0],
})
const interleaving: fc.Arbitrary<Interleaving> = fc.integer({ min: 2, max: 8 }).chain((count) => {
  const turns = Array.from({ length: STEPS * count }, (_, index) => index % count)
  return fc.record({
    count: fc.constant(count),
    order: fc.shuffledSubarray(turns, { minLength: turns.length }),
    pauses: fc.array(fc.constantFrom(0, 0, 0, 0, 0, 1, 3), {
      minLength: turns.length,
      maxLength: turns.length,
    }),
  })
})

function races(openStore: () => Store, { interleavings }: { interleavings: number }): void {
  it('ends the grant only for a second use that arrives more than five seconds after the first was stored, in whatever order all of them read and commit [F-01, TOKC-10]', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(interleaving, async ({ count, order, pauses }) => {
        const store = stepByStep(openStore())
        const school = await createSchool({ store, signing: false, options: { codeSeconds: 600 } })
        const code = await approve(school)
        const arrivedAt: number[] = []
        const exchanges = Array.from({ length: count }, (_, index) =>
          startExchange(async (due) => {
            await due()
            arrivedAt[index] = school.clock.now
            return exchangeOf.run(due, () => redeem(school, code))
          }),
        )
        for (const [index, turn] of order.entries()) {
          school.clock.now += pauses[index]!
          await exchanges[turn]!.step()
        }
        const answers = await Promise.all(exchanges.map(({ response }) => response))
        const winner = answers.findIndex(({ status }) => status === 200)
        const tokens = await winnerOf(answers)
        const { redeemedAt } = (await school.store.findCode(hashToken(code)))!
        const late = arrivedAt.filter((at, index) => index !== winner && at > redeemedAt! + 5)
        expect(reasonsOf(school).toSorted()).toEqual([
          ...Array<string>(count - 1 - late.length).fill('code_lost_race'),
          ...Array<string>(late.length).fill('code_replayed'),
        ])
        expect(await isAlive(school, tokens.access_token)).toBe(late.length === 0)
        const refreshed = await refresh(school, tokens.refresh_token)
        expect(refreshed.status).toBe(late.length === 0 ? 200 : 400)
        for (const reason of reasonsOf(school)) seen.add(reason)
      }),
      { numRuns: interleavings, examples: [[oneByOne(0)], [oneByOne(5)], [oneByOne(6)]] },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['code_lost_race', 'code_replayed']))
  })

  it('leaves the winner its tokens where it commits between the look and the commit of another [F-01, TOKC-10]', async () => {
    const store = openStore()
    let overtake: (() => Promise<Response>) | null = null
    const answers: Response[] = []
    const school = await createSchool({
      store: {
        ...store,
        async redeemCode(request) {
          const first = overtake
          overtake = null
          if (first !== null) answers.push(await first())
          return store.redeemCode(request)
        },
      },
    })
    const code = await approve(school)
    overtake = () => redeem(school, code)
    answers.push(await redeem(school, code))
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(reasonsOf(school)).toEqual(['code_lost_race'])
    const tokens = await winnerOf(answers)
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
  })

  it('ends the grant where the code comes again later, and the store still shows it unused at first [TOKC-10]', async () => {
    const store = openStore()
    let stale: Awaited<ReturnType<Store['findCode']>> = null
    const school = await createSchool({
      store: {
        ...store,
        async findCode(codeHash) {
          const shown = stale
          stale = null
          return shown ?? store.findCode(codeHash)
        },
      },
    })
    const code = await approve(school)
    const unused = await store.findCode(hashToken(code))
    const { access_token } = await winnerOf([await redeem(school, code)])
    for (const seconds of [5, 6]) {
      stale = unused
      school.clock.now = T + seconds
      expect((await redeem(school, code)).status).toBe(400)
      expect(await isAlive(school, access_token)).toBe(seconds === 5)
    }
    expect(reasonsOf(school)).toEqual(['code_lost_race', 'code_replayed', 'grant_revoked'])
  })

  it('leaves every winner its tokens where 2 to 8 send the code at once [F-01, TOKC-12]', async () => {
    for (let round = 0; round < rounds(14, { soak: 140 }); round++) {
      const school = await createSchool({ store: openStore() })
      const code = await approve(school)
      const count = 2 + (round % 7)
      const tokens = await winnerOf(
        await Promise.all(Array.from({ length: count }, () => redeem(school, code))),
      )
      expect(await isAlive(school, tokens.access_token)).toBe(true)
      expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
    }
  })
}

describe('in memory', () => {
  races(createMemoryStore, { interleavings: rounds(100, { soak: 2000 }) })
})

describe('in memory, over a slow network', () => {
  let seed = 1
  races(() => withLatency(createMemoryStore(), { maxMilliseconds: 2, seed: seed++ }), {
    interleavings: 10,
  })
})

describe('on SQLite', () => {
  let database: TestSqlite
  let sites = 0
  beforeAll(async () => {
    database = await openSqlite()
  })
  afterAll(() => database.close())

  const open = (): Store =>
    createSqliteStore({ batch: database.batch, site: `races ${sites++}`, now: () => T })
  races(() => withLatency(open()), { interleavings: 10 })
})

describe('on PGlite', () => {
  let database: PGlite
  let sites = 0
  const execute: Execute = (sql, parameters) => database.query(sql, parameters)

  beforeAll(async () => {
    database = await PGlite.create({ loadDataDir: await emptyCluster() })
    await migratePostgres({ execute })
  })
  afterAll(() => database.close())

  races(() => createPostgresStore({ execute, site: `races ${sites++}`, now: () => T }), {
    interleavings: rounds(20, { soak: 400 }),
  })
})

describe('on a PostgreSQL server', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let sites = 0
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    // A connection that is still closing when its database is dropped.
    pool.on('error', () => {})
    await migratePostgres({ execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  races(() => createPostgresStore({ execute, site: `races ${sites++}`, now: () => T }), {
    interleavings: rounds(20, { soak: 400 }),
  })

  it('leaves every winner its tokens where two processes send the code at once [F-01]', async () => {
    const site = 'two processes'
    const school = await createSchool({
      store: createPostgresStore({ execute, site, now: () => T }),
    })
    const start = () => startModule('redeeming-process.ts', [database.url, site])
    const children = await Promise.all([start(), start()])
    try {
      for (let round = 0; round < rounds(10, { soak: 100 }); round++) {
        const code = await approve(school)
        const answers = await Promise.all(
          children.map(async ({ child, message }) => {
            child.send({ code, times: 4 })
            return (await message()) as readonly (readonly [number, unknown])[]
          }),
        )
        const tokens = tokensOfWinner(answers.flat())
        expect(await isAlive(school, tokens.access_token)).toBe(true)
        expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
      }
    } finally {
      for (const { child } of children) child.disconnect()
      await Promise.all(children.map(({ ended }) => ended))
    }
  })
})
