import { randomUUID } from 'node:crypto'
import { createMemoryStore } from 'hallpass/store'
import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'

/** Returns a store on the PostgreSQL of `DATABASE_URL`, as a school has it; without one, in memory. */
export async function openStore() {
  const { DATABASE_URL: connectionString } = process.env
  if (connectionString === undefined) return createMemoryStore()
  const pool = new pg.Pool({ connectionString })
  const execute = (text, values, name) => pool.query({ name, text, values })
  await migratePostgres({ execute })
  return createPostgresStore({ execute, site: randomUUID() })
}
