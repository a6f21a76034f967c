import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  createPostgresAttempts,
  createPostgresIdempotency,
  createPostgresStore,
  migratePostgres,
} from 'hallpass/postgres'
import { storeContract, withLatency } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlStateOf } from '../../src/postgres/sqlstate.js'
import { codeSample, eventSample, redemption } from '../../src/store-contract/samples.js'
import { idempotencyContract } from '../admin/idempotency-contract.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'
import { type Connection, CONNECTIONS_OF } from './connections.js'

const { 'Kysely, camel case': camelCase, ...REAL } = CONNECTIONS_OF

/** Statements after which the SQLSTATE has to be found. Builders wrap some of them as errors of their own. */
const FAILING: Readonly<Record<string, string>> = {
  '42P01': 'select from a_table_that_is_not_there',
  '42703': 'select a_column from host_row',
  '23505': `insert into host_row values ('taken'), ('taken')`,
  ...Object.fromEntries(
    ['40001', '40P01', '55P03', '57014', '26000', '0A000'].map((code) => [
      code,
      `do $$ begin raise exception using errcode = '${code}'; end $$`,
    ]),
  ),
}

describe.each(Object.entries(REAL))('the store over %s', (_, open) => {
  let database: TestDatabase
  let connection: Connection
  beforeAll(async () => {
    database = await startPostgres()
    connection = await open(database.url)
    const { execute } = connection
    await migratePostgres({ execute })
    await execute('create table host_row (id text primary key)', [])
  })
  afterAll(async () => {
    await connection.close()
    await database.stop()
  })
  const storeOf = (site: string): ReturnType<typeof createPostgresStore> =>
    createPostgresStore({ execute: connection.execute, site })

  // Each check has sites of its own, and most of a slow one is waiting.
  for (const check of storeContract(storeOf)) it.concurrent(`${check.name} [PG-12]`, check.run)
  for (const check of storeContract((site) => withLatency(storeOf(site))))
    it.concurrent(`${check.name}, over a slow network [PG-12]`, check.run)

  let sites = 0
  for (const check of idempotencyContract(() =>
    createPostgresIdempotency({ execute: connection.execute, site: `keys ${++sites}` }),
  ))
    it(`${check.name} [PG-12]`, check.run)

  it('keeps attempts to connect [PG-12]', async () => {
    const attempts = createPostgresAttempts({ execute: connection.execute, site: 'attempts' })
    expect(await attempts.find('none')).toBe(null)
    expect(await attempts.purge({ before: 1, limit: 1 })).toBe(0)
    expect(await attempts.erase(['nobody'])).toBe(0)
  })

  it.each(Object.entries(FAILING))('recognizes %s [PG-13]', async (code, sql) => {
    const fault = await connection.execute(sql, []).catch((thrown: unknown) => thrown)
    expect(sqlStateOf(fault)).toBe(code)
  })

  it.each([true, false])(
    'writes in a transaction of the host, whose failure is %s [PG-15]',
    async (isFailing) => {
      const site = `shared ${isFailing}`
      const grantId = site
      const one = redemption()
      const ended = connection.together(site, async (execute) => {
        const store = createPostgresStore({ execute, site })
        const code = codeSample({ grantId })
        const issued = await store.issueCode({ code, pendingIdHash: null, consentKey: null }, [
          eventSample(),
        ])
        const redeemed = await store.redeemCode({
          ...one,
          grant: { ...one.grant, grantId },
          accessToken: { ...one.accessToken, grantId },
          refreshToken: { ...one.refreshToken, grantId },
        })
        expect([issued, redeemed]).toEqual(['issued', 'redeemed'])
        if (isFailing) throw new Error('the host changed its mind')
      })
      await (isFailing ? expect(ended).rejects.toThrow('changed its mind') : ended)
      const sql = `select (select count(*) from host_row where id = $1) as host_rows,
        (select count(*) from hallpass_outbox where site = $1) as events`
      const result = await connection.execute(sql, [site])
      const [row] = ('rows' in result ? result.rows : result) as Record<string, unknown>[]
      const found = await storeOf(site).findAccessToken(one.accessToken.tokenHash)
      const count = isFailing ? 0 : 1
      expect([Number(row!['host_rows']), Number(row!['events'])]).toEqual([count, count])
      expect(found?.grant.grantId).toBe(isFailing ? undefined : grantId)
    },
  )
})

describe('the recipes', () => {
  it('compile', async () => {
    const tsc = `${ROOT}node_modules/.bin/tsc`
    await promisify(execFile)(tsc, ['-p', 'test/query-builders'], { cwd: ROOT })
  })

  it('were run in the versions that the guide names', () => {
    const guide = readSource('docs/do/store.md')
    const { packages } = JSON.parse(readSource('test/query-builders/package-lock.json')) as {
      packages: Readonly<Record<string, { version: string }>>
    }
    const { dependencies } = JSON.parse(readSource('test/query-builders/package.json')) as {
      dependencies: object
    }
    const versions = Object.keys(dependencies).map(
      (name) => packages[`node_modules/${name}`]!.version,
    )
    expect(versions.filter((version) => !guide.includes(` ${version} `))).toEqual([])
  })

  it('refuse a builder that renames columns [PG-14]', async () => {
    const database = await startPostgres()
    const connection = await camelCase!(database.url)
    const { execute } = connection
    await expect(migratePostgres({ execute })).rejects.toThrow('it resolved to [{"aBigint":')
    await connection.close()
    await database.stop()
  })
})
