import { createHealthEndpoints, maintain } from 'hallpass/operations'
import { type Site } from 'hallpass'
import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import { testSite, withLatency } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const ROUNDS = 36

interface Process {
  readonly site: Site
  readonly keys: KeyRing
}

describe('processes that start together on a new site, each with its own connection', () => {
  let database: TestDatabase
  let pools: pg.Pool[]
  const now = (): number => Math.floor(Date.now() / 1000)
  beforeAll(async () => {
    database = await startPostgres()
    pools = Array.from({ length: 6 }, () => new pg.Pool({ connectionString: database.url, max: 1 }))
    const [first] = pools
    await migratePostgres({ execute: (sql, parameters) => first!.query(sql, parameters) })
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await database.stop()
  })

  const start = (name: string, seed: number, count: number): readonly Process[] =>
    pools.slice(0, count).map((pool, index) => {
      const store = createPostgresStore({
        execute: (sql, parameters) => pool.query(sql, parameters),
        site: name,
      })
      const slow = withLatency(store, { maxMilliseconds: 4, seed: seed * 10 + index })
      const { site } = testSite({ store: slow, now })
      return {
        site,
        keys: createKeyRing(site, { sealingSecret: 'a sealing secret of thirty-two characters' }),
      }
    })

  it.each([2, 3, 4, 5, 6])(`%i of them sign at once with one key, ${ROUNDS} times`, async (count) => {
    for (let round = 0; round < ROUNDS; round++) {
      const processes = start(`new ${count} ${round}`, round + 1, count)
      await Promise.all(processes.map(({ site, keys }) => maintain(site, { keys })))
      const signers = await Promise.all(processes.map(async ({ keys }) => (await keys.signer())?.kid))
      expect(new Set(signers).size).toBe(1)
      expect(signers[0]).toEqual(expect.any(String))
      for (const { site, keys } of processes) {
        const { readyz } = createHealthEndpoints(site, { keys })
        expect((await readyz(new Request(`${site.issuer}/readyz`))).status).toBe(200)
      }
    }
  }) // prettier-ignore
})
