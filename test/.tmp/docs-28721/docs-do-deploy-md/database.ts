// database.ts
import pg from 'pg'

export const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 1000,
  query_timeout: 2000,
  statement_timeout: 1400,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
  keepAlive: true,
})
