import { createPostgresStore } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { createMemoryStore, type Store } from 'hallpass/store'
import { afterAll, beforeAll } from 'vitest'
import { T } from '../school/school.js'
import { openSqlite, type TestSqlite } from './sqlite.js'
import { openTestDatabase } from './templates.js'

type Stores = readonly (readonly [name: string, makeStore: () => Store])[]

/** The makers of stores on databases of a test file, which are open while its tests run. Each store has a site of its own. */
export function databaseStores(now = (): number => T): Stores {
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
  const onSite = () => ({ site: crypto.randomUUID(), now })
  return [
    ['PostgreSQL', () => createPostgresStore({ execute: database.execute, ...onSite() })],
    ['SQLite', () => createSqliteStore({ batch: sqlite.batch, ...onSite() })],
  ]
}

/** The same, and those in memory. */
export const everyStore = (): Stores => [['memory', () => createMemoryStore()], ...databaseStores()]
