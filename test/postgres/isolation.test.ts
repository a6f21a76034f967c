import { defineClient } from 'hallpass/clients'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeSample, redemption, T } from '../../src/store-contract/samples.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

describe.each(['read committed', 'repeatable read', 'serializable'])(
  'at the isolation level %s',
  (level) => {
    let database: TestDatabase
    let pool: pg.Pool
    const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

    beforeAll(async () => {
      database = await startPostgres()
      pool = new pg.Pool({
        connectionString: database.url,
        max: 8,
        options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`,
      })
      await migratePostgres({ execute })
      const { rows } = await pool.query('show transaction_isolation')
      expect(rows).toEqual([{ transaction_isolation: level }])
    })
    afterAll(async () => {
      await pool.end()
      await database.stop()
    })

    const contract = storeContract((site) =>
      withLatency(createPostgresStore({ execute, site, chance: () => 0.5 }), {
        maxMilliseconds: 1,
      }),
    )
    for (const check of contract.filter(({ isRace }) => isRace || level !== 'read committed'))
      it(`${check.name} [PG-01]`, check.run)

    const waits = async (): Promise<boolean> => {
      const { rows } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length > 0
    }

    /** Begins a transaction with one call, makes another one wait for it, ends it, and returns the other's result. */
    async function meeting<Result>(
      site: string,
      first: (within: Store) => Promise<void>,
      { second, end }: { second: () => Promise<Result>; end: string },
    ): Promise<Result> {
      const holder = await pool.connect()
      await holder.query('begin')
      await first(
        createPostgresStore({
          execute: (sql, parameters) => holder.query(sql, parameters),
          site,
        }),
      )
      const result = second()
      for (let look = 0; look < 500 && !(await waits()); look++);
      expect(await waits()).toBe(true)
      await holder.query(end)
      holder.release()
      return result
    }

    const REVOCATION = {
      clientId: codeSample().clientId,
      revokedAt: T + 2,
      revokedReason: 'ended',
    }

    it.each([
      ['commit', 1, { redeemedAt: T + 1 }],
      ['rollback', 0, null],
    ])(
      'revokeGrants waits for a redemption, and revokes its grant after its %s [PG-04]',
      async (end, count, code) => {
        const store = createPostgresStore({ execute, site: end })
        await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
        const revoked = await meeting(
          end,
          async (within) => expect(await within.redeemCode(redemption())).toBe('redeemed'),
          { second: () => store.revokeGrantsOfClient(REVOCATION), end },
        )
        expect(revoked).toBe(count)
        const found = await store.findAccessToken(redemption().accessToken.tokenHash)
        expect(found?.grant.revokedReason).toBe(count === 1 ? 'ended' : undefined)
        expect(found?.grant.revokedAt).toBe(count === 1 ? T + 2 : undefined)
        // What was redeemed is kept, so that a replay is recognized.
        if (code === null) expect(await store.findCode(codeSample().codeHash)).toBe(null)
        else expect(await store.findCode(codeSample().codeHash)).toMatchObject(code)
      },
    )

    it.each([
      ['commit', 'missing'],
      ['rollback', 'redeemed'],
    ])(
      'redeemCode waits for a revocation, and after its %s the code is %s [PG-04]',
      async (end, outcome) => {
        const site = `redeemed after ${end}`
        const store = createPostgresStore({ execute, site })
        await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
        const redeemed = await meeting(
          site,
          async (within) => expect(await within.revokeGrantsOfClient(REVOCATION)).toBe(0),
          { second: () => store.redeemCode(redemption()), end },
        )
        expect(redeemed).toBe(outcome)
      },
    )

    it.each([
      ['commit', 'missing'],
      ['rollback', 'replaced'],
    ])(
      'replaceClient waits for a deletion, and after its %s the client is %s',
      async (end, outcome) => {
        const site = `replaced after ${end}`
        const store = createPostgresStore({ execute, site })
        const client = defineClient({
          clientId: 'app',
          kind: 'loopback',
          name: 'App',
          redirectUris: ['http://127.0.0.1/callback'],
          createdAt: T,
        })
        await store.insertClient(client)
        const next = { ...client, revision: client.revision + 1 }
        const deleted = { ...next, deletedAt: T }
        const replaced = await meeting(
          site,
          async (within) => expect(await within.replaceClient(deleted)).toBe('replaced'),
          { second: () => store.replaceClient({ ...next, name: 'Other' }), end },
        )
        expect(replaced).toBe(outcome)
      },
    )

    it.each(['erasePerson', 'issueCode', 'redeemCode'])(
      'nothing of a person is left if an erasure and a code meet, and %s commits first [PG-01]',
      async (first) => {
        const site = `erasure after ${first}`
        const safe = createPostgresStore({ execute, site })
        const erase = (store: Store): Promise<unknown> =>
          store.erasePerson({ subject: codeSample().subject, loginHints: [], erasedAt: T })
        const issue = (store: Store): Promise<unknown> =>
          store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: 'consent' })
        const redeem = (store: Store): Promise<unknown> => store.redeemCode(redemption())
        if (first === 'redeemCode') await issue(safe)
        const begin = { erasePerson: erase, issueCode: issue, redeemCode: redeem }[first]!
        const outcome = await meeting(site, async (within) => void (await begin(within)), {
          second: () => (first === 'erasePerson' ? issue(safe) : erase(safe)),
          end: 'commit',
        })
        if (first === 'erasePerson') expect(outcome).toBe('gone')
        expect(await safe.findCode(codeSample().codeHash)).toBe(null)
        expect(await safe.hasConsent('consent')).toBe(false)
        expect(await safe.findAccessToken(redemption().accessToken.tokenHash)).toBe(null)
      },
    )
  },
)
