import { createPostgresStore } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { createMemoryStore, type Store } from 'hallpass/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { openTestDatabase } from '../support/databases/templates.js'
import { T } from '../support/school/school.js'
import { createSigningSchool, form } from '../support/school/signing-client.js'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let sqlite: TestSqlite
beforeAll(async () => {
  sqlite = await openSqlite()
  database = await openTestDatabase({ connections: 8 })
})
afterAll(async () => {
  sqlite.close()
  await database.close()
})

const STORES: readonly (readonly [string, () => Store])[] = [
  ['memory', () => createMemoryStore()],
  [
    'PostgreSQL',
    () =>
      createPostgresStore({ execute: database.execute, site: crypto.randomUUID(), now: () => T }),
  ],
  [
    'SQLite',
    () => createSqliteStore({ batch: sqlite.batch, site: crypto.randomUUID(), now: () => T }),
  ],
]

describe('a client with private_key_jwt', () => {
  it.each(STORES)('redeems, once for each assertion: %s [BLK-01]', async (_, makeStore) => {
    const { sign, redeem, issue } = await createSigningSchool({ store: makeStore() })
    await Promise.all(['a', 'b'].map((name) => issue(name)))
    const assertion = await sign()
    expect(await redeem('a', form(assertion))).toEqual([200, null])
    expect(await redeem('b', form(assertion))).toEqual([401, 'assertion_used_before'])
    expect(await redeem('b', form(await sign()))).toEqual([200, null])
  })

  it.each(STORES)('is one of fifty with one assertion: %s [BLK-01]', async (_, makeStore) => {
    const { sign, redeem, issue, refusals } = await createSigningSchool({ store: makeStore() })
    const names = Array.from({ length: 50 }, (_unused, index) => `code_${index}`)
    await Promise.all(names.map((name) => issue(name)))
    const assertion = await sign()
    const all = await Promise.all(names.map((name) => redeem(name, form(assertion))))
    expect(all.filter(([status]) => status === 200)).toHaveLength(1)
    expect(all.filter(([status]) => status === 401)).toHaveLength(49)
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(
      new Set(['assertion_used_before']),
    )
  })
})
