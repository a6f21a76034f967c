import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { storeContract } from 'hallpass/store-contract'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestDatabase } from '../support/postgres.js'

describe.each(['repeatable read', 'serializable'])('at the isolation level %s', (level) => {
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

  for (const check of storeContract((site) => createPostgresStore({ execute, site })))
    it(`${check.name} [PG-01]`, check.run)
})
