import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { defineClient } from 'hallpass/clients'
import type { AuthorizationCode } from 'hallpass/policy'
import {
  createPostgresStore,
  type Execute,
  migratePostgres,
  postgresMigrations,
} from 'hallpass/postgres'
import { storeContract, withLatency } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countingChanges } from '../support/databases/counting-changes.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import type { RedeemCode } from '../../src/store/store.js'
import { clientSample, eventSample } from '../../src/store-contract/samples.js'

const codeOf = (name: string): AuthorizationCode => ({
  codeHash: name,
  grantId: `grant ${name}`,
  clientId: 'app_1',
  subject: 'mem_1',
  scopes: ['openid'],
  resource: 'https://school.example',
  resourceSent: true,
  redirectUri: 'http://127.0.0.1:7777/callback',
  codeChallenge: 'c',
  nonce: null,
  grantEndsAt: null,
  authTime: null,
  issuedAt: 1,
  expiresAt: 61,
  redeemedAt: null,
})

function redemptionOf(name: string): RedeemCode {
  const { grantId, clientId, subject, scopes, resource, redirectUri } = codeOf(name)
  const life = { issuedAt: 2, expiresAt: 100 }
  return {
    codeHash: name,
    redeemedAt: 2,
    grant: {
      grantId,
      clientId,
      subject,
      scopes,
      resource,
      redirectUri,
      createdAt: 2,
      expiresAt: 100,
      revokedAt: null,
      revokedReason: null,
    },
    accessToken: { tokenHash: `access ${name}`, grantId, scopes, ...life, revokedAt: null },
    refreshToken: { tokenHash: `refresh ${name}`, grantId, ...life, rotation: null },
  }
}

const sqlError = (code: string): Error => Object.assign(new Error(code), { code })

describe('on a PostgreSQL server, through eight connections', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let mostConnections = 0
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    pool.on('connect', () => {
      mostConnections = Math.max(mostConnections, pool.totalCount)
    })
    await migratePostgres({ execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  const contract = storeContract(
    (site, through) => createPostgresStore({ execute: through(execute), site, chance: () => 0 }),
    { faults: { conflict: () => sqlError('40001'), lost: () => sqlError('08006') } },
  )
  for (const check of contract) it(`${check.name} [ST-14]`, check.run)

  const counting = countingChanges(() => pool)
  for (const check of storeContract((site) => createPostgresStore({ execute: counting, site })))
    it(`${check.name}, through a driver that counts what a statement changed [PG-12]`, check.run)

  it('is kept through a driver that resolves to the rows themselves', async () => {
    const rowsAlone = async (sql: string, parameters: unknown[]): Promise<unknown[]> =>
      (await pool.query(sql, parameters)).rows
    const store = createPostgresStore({ execute: rowsAlone, site: 'rows_alone' })
    const client = defineClient({
      clientId: 'app_1',
      kind: 'loopback',
      name: 'An app',
      redirectUris: ['http://127.0.0.1/callback'],
      createdAt: 1,
    })
    expect(await store.insertClient(client)).toBe('inserted')
    expect(await store.findClient('app_1')).toEqual(client)
  })

  const slow = storeContract((site) => withLatency(createPostgresStore({ execute, site })))
  for (const check of slow.filter(({ isRace }) => isRace))
    it(`${check.name}, over a slow network`, check.run)

  it('lists events in the order of their changes, although the clock of the database steps back', async () => {
    const store = createPostgresStore({ execute, site: 'steps' })
    const keep = (...ids: string[]): Promise<unknown> =>
      store.insertClient(
        clientSample({ clientId: ids[0]! }),
        ids.map((id) => eventSample({ id })),
      )
    await keep('b', 'a')
    // As though the clock had been an hour ahead.
    await pool.query("update hallpass_outbox set seq = seq + 3600000000 where site = 'steps'")
    await keep('d', 'c')
    await keep('0')
    const kept = await store.listEvents({ limit: 10 })
    expect(kept.map(({ id }) => id)).toEqual(['b', 'a', 'd', 'c', '0'])
  })

  it('really used several connections', () => {
    expect(mostConnections).toBe(8)
  })

  it('migrates once, however many processes start at the same time', async () => {
    await pool.query('create schema fresh')
    const pools = Array.from(
      { length: 6 },
      () =>
        new pg.Pool({ connectionString: database.url, options: '-c search_path=fresh', max: 1 }),
    )
    await Promise.all(
      pools.map((one) =>
        migratePostgres({ execute: (sql, parameters) => one.query(sql, parameters) }),
      ),
    )
    await Promise.all(pools.map((one) => one.end()))
    const { rows } = await pool.query(
      'select version from fresh.hallpass_migration order by version',
    )
    expect(rows).toEqual(postgresMigrations.map(({ version }) => ({ version })))
  })

  it('names what is wrong when the database is ahead of the library', async () => {
    await pool.query('insert into hallpass_migration (version) values (999)')
    await expect(migratePostgres({ execute })).rejects.toThrow(
      `the database has migration 999, but this version of hallpass knows migrations up to ${postgresMigrations.at(-1)!.version}: update hallpass`,
    )
    await pool.query('delete from hallpass_migration where version = 999')
    await migratePostgres({ execute })
  })

  it('redeems when its connection is cut once at any moment, wholly [PG-02]', async () => {
    const victims = new pg.Pool({
      connectionString: database.url,
      application_name: 'victim',
      max: 4,
    })
    victims.on('error', () => {})
    const store = createPostgresStore({
      execute: (sql, parameters) => victims.query(sql, parameters),
      site: 'crash',
    })
    const safe = createPostgresStore({ execute, site: 'crash' })
    const cut = (afterSeconds: number): Promise<unknown> =>
      pool.query(
        `select pg_sleep($1), pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'victim'`,
        [afterSeconds],
      )
    const redeem = async (
      name: string,
      meanwhile: () => Promise<unknown>,
      hold: (name: string) => Promise<unknown> = async () => {},
    ): Promise<string> => {
      await safe.issueCode({ code: codeOf(name), pendingIdHash: null, consentKey: null })
      await hold(name)
      const [outcome] = await Promise.all([
        store.redeemCode(redemptionOf(name)).catch(() => 'cut'),
        meanwhile(),
      ])
      const redeemed = (await safe.findCode(name))?.redeemedAt !== null
      if (outcome === 'redeemed') expect(redeemed).toBe(true)
      expect((await safe.findAccessToken(`access ${name}`)) !== null).toBe(redeemed)
      expect((await safe.findRefreshToken(`refresh ${name}`)) !== null).toBe(redeemed)
      return outcome
    }
    // At any moment.
    for (let index = 0; index < 40; index++)
      expect(await redeem(`crash ${index}`, () => cut((index % 20) / 4000))).toBe('redeemed')
    // In the middle for certain: the statement waits for the code's row when its connection goes.
    const waits = async (): Promise<boolean> => {
      const { rows } = await pool.query(
        `select from pg_stat_activity
         where application_name = 'victim' and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    }
    const holder = await pool.connect()
    await holder.query('begin')
    const held = await redeem(
      'crash held',
      async () => {
        for (let look = 0; look < 500 && !(await waits()); look++);
        expect(await waits()).toBe(true)
        await cut(0)
        await holder.query('rollback')
      },
      (name) => holder.query('select from hallpass_code where code_hash = $1 for update', [name]),
    )
    holder.release()
    expect(held).toBe('redeemed')
    expect(await redeem('left alone', async () => {})).toBe('redeemed')
    await victims.end()
  })

  it('passes on what the driver throws', async () => {
    const broken = createPostgresStore({
      execute: () => Promise.reject(new Error('connection refused')),
      site: 'a',
    })
    await expect(broken.findClient('x')).rejects.toThrow('connection refused')
    await expect(
      broken.moveKey({
        key: {
          kid: 'k', state: 'active', publicJwk: '{}', sealedPrivateKey: null, createdAt: 1,
          publishedAt: 1, activatedAt: 1, retiringAt: null, retiredAt: null,
        },
        from: 'published',
      }), // prettier-ignore
    ).rejects.toThrow('connection refused')
  })
})

describe('on PGlite', () => {
  let database: PGlite
  const execute: Execute = (sql, parameters) => database.query(sql, parameters)

  beforeAll(async () => {
    database = await PGlite.create({ loadDataDir: await emptyCluster() })
    await migratePostgres({ execute })
  })
  afterAll(() => database.close())

  for (const check of storeContract((site) => createPostgresStore({ execute, site })))
    it(check.name, check.run)
})
