import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { createPostgresStorage, type Execute, migratePostgres } from 'hallpass/postgres'
import { storageContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

describe('the storage on PGlite', () => {
  let database: PGlite
  const execute: Execute = (sql, parameters) => database.query(sql, parameters)
  beforeAll(async () => {
    database = await PGlite.create({ loadDataDir: await emptyCluster() })
    await migratePostgres({ execute })
  })
  afterAll(() => database.close())

  for (const check of storageContract(() => createPostgresStorage({ execute })))
    it(check.name, check.run)
})

describe('the storage on a PostgreSQL server, through eight connections', () => {
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

  for (const check of storageContract(() => createPostgresStorage({ execute })))
    it(check.name, check.run)
})
