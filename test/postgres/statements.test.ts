import {
  createPostgresIdempotency,
  createPostgresStore,
  type Execute,
  migratePostgres,
  postgresMigrations,
} from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { clientSample, codeSample, redemption } from '../../src/store-contract/samples.js'
import { migrated } from '../support/databases/templates.js'
import {
  approve,
  PORTFOLIO,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  redeem,
  refresh,
  signIn,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { EXPANDING } from '../support/databases/next-migration.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { createSchool, T } from '../support/school/school.js'

let database: TestDatabase
let pool: pg.Pool
const named: Execute = (text, values, name) =>
  pool.query({ text, values, ...(name !== undefined && { name }) })

beforeAll(async () => {
  database = await startPostgres(migrated)
  // One connection, so that each statement meets the plan of the one before.
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

describe('a request', () => {
  const verbs: string[] = []
  const counting: Execute = (text, values, name) => {
    verbs.push(name?.split('_')[1] ?? 'unnamed')
    return named(text, values, name)
  }
  /** Runs a request, and returns the statements that it took. The clock is looked at now and then. */
  async function during(request: () => Promise<Response>): Promise<readonly string[]> {
    verbs.length = 0
    expect((await request()).status).toBe(200)
    return verbs.filter((verb) => verb !== 'findClock' && verb !== 'listKeys')
  }
  const open = (site: string) =>
    createSchool({
      store: createPostgresStore({ execute: counting, site, now: () => T }),
      options: { now: () => T },
    })

  it('with a bearer token takes one statement [PG-09]', async () => {
    const school = await open('bearer')
    const { access_token } = await signIn(school)
    expect(await during(() => userinfo(school, access_token))).toEqual(['findAccessToken'])
  })

  it('for tokens takes two: one that reads, and one that writes [PG-09]', async () => {
    const school = await open('tokens')
    const code = await approve(school)
    let tokens = {} as Awaited<ReturnType<typeof tokensOf>>
    const redeemed = await during(async () => {
      const response = await redeem(school, code)
      tokens = await tokensOf(response.clone())
      return response
    })
    expect(redeemed).toEqual(['findCode', 'redeemCode'])
    expect(await during(() => refresh(school, tokens.refresh_token))).toEqual([
      'findRefreshToken',
      'rotateRefreshToken',
    ])
  })

  it('for the state of a token takes two, whichever token it is [PG-09]', async () => {
    const school = await open('introspection')
    const tokens = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    const introspect = (token: string) => () =>
      post(school, '/api/oauth/introspect', { token, ...PORTFOLIO_FORM })
    expect(await during(introspect(tokens.access_token))).toEqual(['findClient', 'findAccessToken'])
    expect(await during(introspect(tokens.refresh_token))).toEqual([
      'findClient',
      'findRefreshToken',
    ])
  })

  it('finds a client of the configuration, whatever the store has under its identifier [PG-09]', async () => {
    const vendors = [
      {
        clientId: PORTFOLIO.client_id,
        name: 'Configured',
        redirectUris: ['http://127.0.0.1:7777/callback'],
        scopes: ['account:read'],
        reviewedOn: '2026-11-20',
      },
    ] as const
    const store = createPostgresStore({ execute: counting, site: 'configured', now: () => T })
    const school = await createSchool({ store, options: { now: () => T } })
    const tokens = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    const configured = await createSchool({ store, options: { now: () => T, vendors } })
    // The stored client has a secret and is for everybody. That of the configuration has none and is for staff.
    await refresh(configured, tokens.refresh_token, PORTFOLIO_FORM)
    await refresh(configured, tokens.refresh_token, PORTFOLIO)
    expect(reasonsOf(configured)).toEqual(['client_secret_unexpected', 'person_not_staff'])
    expect((await refresh(school, tokens.refresh_token, PORTFOLIO_FORM)).status).toBe(200)
  })
})

describe('the name of a statement', () => {
  it('is one for each text, for ever, and fits into the database [PG-08]', async () => {
    const seen = new Map<string, Set<string>>()
    const remembering: Execute = async (text, values, name) => {
      expect(name).toMatch(/^hp_[a-zA-Z]+_[\w-]{16}$/)
      expect(name!.length).toBeLessThanOrEqual(63)
      seen.set(name!, (seen.get(name!) ?? new Set()).add(text))
      return named(text, values, name)
    }
    const event = { id: 'e', type: 'x', at: T }
    for (const site of ['one', 'two']) {
      const store = createPostgresStore({ execute: remembering, site, now: () => T })
      for (const events of [[], [event]]) {
        await store.insertClient(clientSample({ clientId: `app ${events.length}` }), events)
        const codeHash = `code ${events.length}`
        const code = codeSample({ codeHash, grantId: codeHash })
        await store.issueCode({ code, pendingIdHash: null, consentKey: null }, events)
      }
      const ended = { clientId: 'a', revokedAt: T, revokedReason: 'x' }
      await store.revokeGrants({ ...ended, subject: 'mem_1' })
      await store.revokeGrantsOfClient(ended)
      await store.purge({ now: T, limit: 1 })
    }
    expect([...seen.values()].every((texts) => texts.size === 1)).toBe(true)
    const { rows } = await pool.query<{ name: string }>('select name from pg_prepared_statements')
    const prepared = rows.map(({ name }) => name)
    expect(prepared).toEqual(expect.arrayContaining([...seen.keys()]))
  })

  it('is one of three, however many keys a list has [PG-08]', async () => {
    const names = new Set<string | undefined>()
    const execute: Execute = (text, values, name) => {
      names.add(name)
      return named(text, values, name)
    }
    const store = createPostgresStore({ execute, site: 'lists' })
    for (let length = 1; length <= 100; length++)
      await store.deleteEvents(Array.from({ length }, (_, index) => `event ${index}`))
    expect(names.size).toBe(3)
  })

  it('is left out where a migration changed what the statement returns [PG-08]', async () => {
    const asked: (string | undefined)[] = []
    const watching: Execute = (text, values, name) => {
      asked.push(name)
      return named(text, values, name)
    }
    const keys = createPostgresIdempotency({ execute: watching, site: 'changed' })
    const entry = { keyHash: 'k', requestHash: 'r', now: 1, expiresAt: 9 }
    await keys.begin(entry)
    const running = { state: 'running', requestHash: 'r', expiresAt: 9 }
    expect(await keys.begin(entry)).toEqual(running)
    await pool.query('alter table hallpass_idempotency alter column due_at type numeric')
    asked.length = 0
    expect(await keys.begin(entry)).toEqual(running)
    expect(asked).toEqual([expect.stringMatching(/^hp_idempotency_/), undefined])
    await pool.query('alter table hallpass_idempotency alter column due_at type bigint')
  })

  it('keeps its plan through a migration of a later version that only adds [PG-08, PG-03]', async () => {
    const fresh = await startPostgres()
    const one = new pg.Pool({ connectionString: fresh.url, max: 1 })
    const faults: unknown[] = []
    const execute: Execute = (text, values, name) =>
      one
        .query({ text, values, ...(name !== undefined && { name }) })
        .catch((fault: { code?: unknown }) => {
          faults.push(fault.code)
          throw fault
        })
    await migratePostgres({ execute: (text, values) => one.query(text, values) })
    const store = createPostgresStore({ execute, site: 'kept' })
    await store.insertClient(clientSample())
    const code = codeSample()
    await store.issueCode({ code, pendingIdHash: null, consentKey: null })
    const before = await store.findCode(code.codeHash)
    await applyMigrations([...postgresMigrations, EXPANDING], {
      execute: (text, values) => one.query(text, values),
    })
    expect(await store.findCode(code.codeHash)).toEqual(before)
    expect(await store.redeemCode(redemption())).toBe('redeemed')
    expect(faults).toEqual([])
    await one.end()
    await fresh.stop()
  })
})
