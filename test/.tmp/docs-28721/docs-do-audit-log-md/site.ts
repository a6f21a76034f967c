// site.ts
import { defineSite } from 'hallpass'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 1000,
  query_timeout: 2000,
  statement_timeout: 1400,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
  keepAlive: true,
})
export const execute: Execute = (text, values, name) => pool.query({ name, text, values })
await migratePostgres({ execute })

export const site = defineSite({
  issuer: 'https://school.example',
  name: 'My School',
  store: createPostgresStore({ execute, site: 'my-school' }),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null, // look the person up in your own tables
  outbox: true,
})
