import { readFile } from 'node:fs/promises'
import { createPostgresAttempts, createPostgresIdempotency, createPostgresStore, type Execute, postgresMigrations } from 'hallpass/postgres' // prettier-ignore
import { storeContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { everyCall, LATER } from '../support/databases/every-call.js'
import { withoutSite } from '../support/databases/names-site.js'
import { EXPANDING } from '../support/databases/next-migration.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { ROOT } from '../support/source/root.js'

const PARTS = 16
const sqlError = (code: string): Error => Object.assign(new Error(code), { code })

let database: TestDatabase
let pool: pg.Pool
/** Each text that the storages sent, with values that it had. */
const sent = new Map<string, unknown[]>()
const recording: Execute = (text, values) => {
  sent.set(text, values)
  return pool.query(text, values)
}
const run = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
  (await pool.query<Row>(sql)).rows

beforeAll(async () => {
  database = await startPostgres()
  pool = new pg.Pool({ connectionString: database.url, max: 8 })
  const execute: Execute = (text, values) => pool.query(text, values)
  // Later migrations find the parts of an earlier version.
  await applyMigrations(postgresMigrations.slice(0, 1), { execute })
  await pool.query(await readFile(`${ROOT}docs/operations/partitions.sql`, 'utf8'))
  await applyMigrations([...postgresMigrations, EXPANDING], { execute })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

describe('on tables that are spread by site', () => {
  const contract = storeContract(
    (site, through) => createPostgresStore({ execute: through(recording), site, chance: () => 0 }),
    { faults: { conflict: () => sqlError('40001'), lost: () => sqlError('08006') } },
  )
  for (const check of contract) it(check.name, check.run)
})
