import { createPostgresStorage, type Execute } from 'hallpass/postgres'
import { storeContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, it } from 'vitest'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

let database: TestDatabase
let pool: pg.Pool
const execute: Execute = (text, values, name) =>
  pool.query({ text, values, ...(name !== undefined && { name }) })
beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url, max: 8 })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

const error = (code: string) => (): Error => Object.assign(new Error(code), { code })
const checks = storeContract(
  (site, through) =>
    createPostgresStorage({ execute: through(execute), chance: () => 0 }).storeOf(site),
  { faults: { conflict: error('40001'), lost: error('08006') } },
)
for (const check of checks) it(`${check.name}, in a store of a storage`, check.run)
