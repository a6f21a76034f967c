// The school of one process: where it is and what it keeps its rows in come from the environment. Nothing is awaited
// before `start`, because a CommonJS application cannot. Each mount imports it as `school.js`.
import { routesOf } from 'hallpass/authorization-server'
import { createMysqlStore, fromPool, migrateMysql } from 'hallpass/mysql'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import { createMemoryStore } from 'hallpass/store'
import pg from 'pg'
import { createSchool, type Serve } from './school.js'

const { PORT = '', PASSWORD = '', SEALING_SECRET = '' } = process.env
// At most one of them is set.
const { DATABASE_URL, DATABASE_FILE, DATABASE_SOCKET } = process.env
export const port = Number(PORT)
export const origin = `http://127.0.0.1:${PORT}`
export const sealingSecret = SEALING_SECRET

const pool = DATABASE_URL === undefined ? null : new pg.Pool({ connectionString: DATABASE_URL })
const execute: Execute = (text, values, name) => pool!.query({ name, text, values })
const file = DATABASE_FILE === undefined ? null : openSqlite(DATABASE_FILE)
const mariadb = DATABASE_SOCKET === undefined ? null : openMariadb(DATABASE_SOCKET)
const key = `school-of-${PORT}`
const store =
  file !== null
    ? createSqliteStore({ batch: file, site: key })
    : mariadb !== null
      ? createMysqlStore({ batch: mariadb, site: key })
      : pool !== null
        ? createPostgresStore({ execute, site: key })
        : createMemoryStore()

/** Opens a pool of mysql2, which only this folder has. */
function openMariadb(socketPath: string): ReturnType<typeof fromPool> {
  type Pool = Parameters<typeof fromPool>[0]
  const driver = 'mysql2/promise'
  const opened = (
    import(driver) as Promise<{ readonly createPool: (options: object) => Pool }>
  ).then(({ createPool }) => createPool({ socketPath, user: 'root', database: 'school' }))
  return fromPool({ getConnection: async () => (await opened).getConnection() })
}

/** Opens a file by the SQLite of the runtime: that of Bun, or `node:sqlite`, which Deno has as well. */
function openSqlite(file: string): ReturnType<typeof fromSync> {
  type Driver = { readonly [Name in string]: new (file: string) => Parameters<typeof fromSync>[0] }
  const load = (name: string): Driver | undefined =>
    process.getBuiltinModule(name as 'fs') as unknown as Driver | undefined
  const Database = load('bun:sqlite')?.['Database'] ?? load('node:sqlite')!['DatabaseSync']!
  return fromSync(new Database(file))
}

export const school = createSchool({ issuer: origin, password: PASSWORD, sealingSecret, store })
export const { resource, site } = school
/** Every path of hallpass and of the sign-in, and what serves it. */
export const routes: readonly (readonly [path: string, serve: Serve])[] = [
  ...routesOf(school.server),
  ...school.own,
]

/** Prepares the school for its first request. */
export async function start(): Promise<void> {
  if (pool !== null) await migratePostgres({ execute })
  if (file !== null) await migrateSqlite({ batch: file })
  if (mariadb !== null) await migrateMysql({ batch: mariadb })
  await school.begin()
}
