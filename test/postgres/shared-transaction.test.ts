import { createPostgresStore, type Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeSample, eventSample, redemption } from '../../src/store-contract/samples.js'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

let database: TestDatabase
let pool: pg.Pool
let site: string
let sites = 0

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url, max: 8 })
  await pool.query('create table host_row (id text primary key)')
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})
beforeEach(() => {
  site = `shared ${++sites}`
})

const over = (connection: { query: pg.Pool['query'] }, chance = () => 0): Store => {
  const execute: Execute = (text, values) => connection.query(text, values)
  return createPostgresStore({ execute, site, chance })
}
/** A transaction of the host, and a store in it. Rolls back if the work rejects. */
async function transaction(
  work: (client: pg.PoolClient, store: Store) => Promise<unknown>,
  begin = 'begin',
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(begin)
    await work(client, over(client))
    await client.query('commit')
  } catch (fault) {
    await client.query('rollback')
    throw fault
  } finally {
    client.release()
  }
}
async function writeBoth(client: pg.PoolClient, store: Store): Promise<void> {
  await client.query('insert into host_row values ($1)', [site])
  const code = { code: codeSample(), pendingIdHash: null, consentKey: null }
  expect(await store.issueCode(code, [eventSample({ id: 'issued' })])).toBe('issued')
  expect(await store.redeemCode(redemption(), [eventSample({ id: 'redeemed' })])).toBe('redeemed')
}
async function found(): Promise<unknown> {
  const { rows } = await pool.query('select from host_row where id = $1', [site])
  const token = await over(pool).findAccessToken(redemption().accessToken.tokenHash)
  const events = await over(pool).listEvents({ limit: 9 })
  return { host: rows.length, token: token === null ? 0 : 1, events: events.length }
}

describe('a store in a transaction of the host', () => {
  it('writes with it, or not at all [PG-15]', async () => {
    const failing = transaction(async (...both) => {
      await writeBoth(...both)
      throw new Error('the host changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await found()).toEqual({ host: 0, token: 0, events: 0 })
    await transaction(writeBoth)
    expect(await found()).toEqual({ host: 1, token: 1, events: 2 })
  })

  it('shows others nothing before the commit, and reads its own writes [PG-15]', async () => {
    await transaction(async (client, store) => {
      await writeBoth(client, store)
      const { tokenHash } = redemption().accessToken
      expect(await store.findAccessToken(tokenHash)).not.toBe(null)
      expect(await found()).toEqual({ host: 0, token: 0, events: 0 })
    })
  })

  it('rejects with the failure that ended the transaction, which the host repeats [PG-15]', async () => {
    const grant = { grantId: redemption().grant.grantId, revokedAt: 1, revokedReason: 'x' }
    await transaction(writeBoth)
    let tries = 0
    const once = (): Promise<void> =>
      transaction(async (client, store) => {
        tries++
        await client.query('select from host_row')
        if (tries === 1)
          expect(await over(pool).widenGrant({ grantId: grant.grantId, scopes: ['x'] })).toBe(
            'widened',
          )
        await store.revokeGrant(grant)
      }, 'begin isolation level repeatable read')
    await expect(once()).rejects.toMatchObject({ code: '40001' })
    await once()
    const token = await over(pool).findAccessToken(redemption().accessToken.tokenHash)
    expect(token?.grant.revokedAt).toBe(1)
  })

  it('rejects in a transaction that a statement of the host ended [PG-15]', async () => {
    const late = transaction(async (client, store) => {
      await client.query('select 1/0').catch(() => {})
      await store.findClient('any')
    })
    await expect(late).rejects.toMatchObject({ code: '25P02' })
  })
})
