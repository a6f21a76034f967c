import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { defineSite } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import { createKeyRing, deriveSuccessors, hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryStore, emptyTables } from '../../src/store/memory.js'
import { dumpOf } from '../support/databases/dump.js'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import {
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { createSchool, type School, T } from '../support/school/school.js'

const [HOUR, DAY] = [3600, 86_400]
/** Of `createSchool`. */
const SEALING_SECRET = 'a sealing secret of thirty-two characters'

let database: TestDatabase
let pool: pg.Pool
let sites = 0

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url })
})

afterAll(async () => {
  await pool.end()
  await database.stop()
})

/** A store with its clock, and every row of it as JSON text. */
interface Readable {
  readonly store: Store
  readonly clock: { now: number }
  readonly rows: () => Promise<readonly string[]>
}

function inMemory(): Readable {
  const tables = emptyTables()
  const rows = async (): Promise<readonly string[]> =>
    Object.values(tables).flatMap((table: Map<string, unknown>) =>
      [...table.values()].map((row) => JSON.stringify(row)),
    )
  return { store: createMemoryStore(tables), clock: { now: T }, rows }
}

function onPostgres(): Readable {
  const execute: Execute = (sql, parameters) => pool.query(sql, [...parameters])
  const site = `school ${sites++}`
  const clock = { now: T }
  return {
    store: createPostgresStore({ execute, site, now: () => clock.now }),
    clock,
    rows: async () => (await dumpOf({ execute }, site)).map(([, row]) => row),
  }
}

/** Every text in a row, at any depth, with what is written in it as JSON or in parts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    if (value.startsWith('{')) return [value, ...textsIn(JSON.parse(value))]
    return [value, ...(value.includes('.') ? value.split('.') : [])]
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Returns the tokens after `token` that follow from rows, and from secrets that are not in them. Each text of 43
 * characters is tried as the salt, and each long one as the secret.
 */
function reached(
  token: string,
  rows: readonly string[],
  secrets: readonly string[] = [],
): readonly string[] {
  const texts = new Set(rows.flatMap((row) => textsIn(JSON.parse(row))))
  const isHashOfToken = (text: string): boolean => texts.has(hashToken(text))
  const salts = [...texts].filter((text) => text.length === 43)
  const keys = [...secrets, '', ...[...texts].filter((text) => text.length > 43)]
  const found: string[] = []
  for (let from: string | undefined = token; from !== undefined; from = found.at(-1)) {
    const presented: string = from
    const next: string | undefined = salts
      .flatMap((salt) => [
        `hpr_${createHmac('sha256', presented).update(`refreshToken.${salt}`).digest('base64url')}`,
        ...keys
          .filter((secret) => secret !== '')
          .map((secret) => deriveSuccessors({ presented, salt, secret }).refreshToken),
      ])
      .find((text) => isHashOfToken(text) && !found.includes(text))
    if (next === undefined) return found
    found.push(next)
  }
  return found
}

/** The clock of the school is that of its store, because that of the database is another one. */
const schoolOf = (
  { store, clock }: Readable,
  options: Partial<AuthorizationServerOptions> = {},
): Promise<School> => createSchool({ store, options: { ...options, now: () => clock.now } })

interface Client {
  readonly request: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}
const NATIVE: Client = { request: {}, form: {} }
const CONFIDENTIAL: Client = { request: PORTFOLIO_REQUEST, form: PORTFOLIO_FORM }

/** Refreshes after each pause, and returns every refresh token from the first to the newest. */
async function tokensAfter(
  { school, clock }: { school: School; clock: { now: number } },
  pauses: readonly number[],
  { request, form }: Client,
): Promise<readonly string[]> {
  const first = await signIn(school, request, { form })
  const tokens = [first.refresh_token]
  for (const pause of pauses) {
    clock.now += pause
    const next = await tokensOf(await refresh(school, tokens.at(-1)!, form))
    tokens.push(next.refresh_token)
  }
  return tokens
}

/** What the processes have and the store has not. */
const secretsOf = ({ siteOptions }: School): readonly string[] =>
  createKeyRing(defineSite(siteOptions), { sealingSecret: SEALING_SECRET }).refreshSecrets()

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
] as const)('who reads every row of a store %s, and has an old refresh token', (_, open) => {
  it.each([
    ['a native client', NATIVE],
    ['a confidential client', CONFIDENTIAL],
  ])('derives no later token of %s [REFR-21]', async (_name, client) => {
    const readable = open()
    const { rows, clock } = readable
    const school = await schoolOf(readable)
    const tokens = await tokensAfter({ school, clock }, Array<number>(6).fill(HOUR), client)
    const stolen = await rows()
    for (const token of tokens) expect(reached(token, stolen)).toEqual([])
    // The same search finds all of them with the secret of the processes: it could find something.
    expect(reached(tokens[0]!, stolen, secretsOf(school))).toEqual(tokens.slice(1))
  })

  it('derives no later token with the secret either, once no one can catch up [REFR-22]', async () => {
    const readable = open()
    const { rows, clock } = readable
    const school = await schoolOf(readable)
    const tokens = await tokensAfter({ school, clock }, Array<number>(20).fill(DAY / 2), NATIVE)
    const [stolen, secrets] = [await rows(), secretsOf(school)]
    // Ten days: two of them are over, and the last of these two is deleted by the day.
    for (const token of tokens.slice(0, 4)) expect(reached(token, stolen, secrets)).toEqual([])
    expect(reached(tokens[7]!, stolen, secrets)).toEqual(tokens.slice(8))
    expect((await refresh(school, tokens[7]!)).status).toBe(200)
  })

  it('derives none of a client that may not catch up, after its next refresh [REFR-22]', async () => {
    const readable = open()
    const { rows, clock } = readable
    const never = { repeatSeconds: 30 * DAY, catchUpSeconds: 0, forgiveSeconds: 0 }
    const school = await schoolOf(readable, { refreshPolicies: { native: never } })
    const tokens = await tokensAfter({ school, clock }, [60, 60, 60], NATIVE)
    const [stolen, secrets] = [await rows(), secretsOf(school)]
    expect(reached(tokens[0]!, stolen, secrets)).toEqual([])
    expect(reached(tokens[1]!, stolen, secrets)).toEqual([])
    // The newest response can still be lost.
    expect(reached(tokens[2]!, stolen, secrets)).toEqual([tokens[3]])
    expect((await tokensOf(await refresh(school, tokens[2]!))).refresh_token).toBe(tokens[3])
  })
})

it('every salt is there while someone may catch up, and gone a day later [REFR-18, REFR-22]', async () => {
  const pause = fc.constantFrom(60, HOUR, 5 * HOUR, DAY, 3 * DAY, 9 * DAY)
  const week = 7 * DAY
  await fc.assert(
    fc.asyncProperty(fc.array(pause, { minLength: 2, maxLength: 25 }), async (pauses) => {
      const readable = inMemory()
      const { store, clock } = readable
      const school = await schoolOf(readable)
      const tokens = await tokensAfter({ school, clock }, pauses, NATIVE)
      const { now } = clock
      let rotatedAt = T
      for (const [index, pause_] of pauses.entries()) {
        rotatedAt += pause_
        const found = await store.findRefreshToken(hashToken(tokens[index]!))
        const isNewest = index === pauses.length - 1
        const { salt } = found!.refreshToken.rotation!
        if (isNewest || now - rotatedAt < week) expect(salt).not.toBeNull()
        else if (now - rotatedAt >= week + DAY) expect(salt).toBeNull()
      }
      const young = tokens.find(
        (_, index) => pauses.slice(index + 1).reduce((sum, pause_) => sum + pause_, 0) < week,
      )
      expect((await refresh(school, young!)).status).toBe(200)
    }),
    { numRuns: 60 },
  )
})
