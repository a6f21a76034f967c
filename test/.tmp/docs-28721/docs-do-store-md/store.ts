// store.ts
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  // So that a database that hangs ends a request: see "Deploy".
  connectionTimeoutMillis: 1000,
  query_timeout: 2000,
  statement_timeout: 1400,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
  keepAlive: true,
})
const execute: Execute = (text, values, name) => pool.query({ name, text, values })

await migratePostgres({ execute })
export const store = createPostgresStore({ execute, site: 'my-school' })
