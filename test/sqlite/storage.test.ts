import { createSqliteStorage } from 'hallpass/sqlite'
import { storageContract, storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { busy, cut, openSqlite, type TestSqlite } from '../support/databases/sqlite.js'

let database: TestSqlite
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

describe('the storage on SQLite', () => {
  for (const check of storageContract(() => createSqliteStorage({ batch: database.batch })))
    it(check.name, check.run)

  const checks = storeContract(
    (site, through) =>
      createSqliteStorage({ batch: through(database.batch), chance: () => 0 }).storeOf(site),
    { faults: { conflict: busy, lost: cut } },
  )
  for (const check of checks) it(`${check.name}, in a store of a storage`, check.run)
})
