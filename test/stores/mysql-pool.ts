import { createRequire } from 'node:module'
import {
  createMysqlAttempts,
  createMysqlIdempotency,
  createMysqlStorage,
  createMysqlStore,
  fromPool,
  isMysqlMigrated,
  migrateMysql,
  type MysqlBatch,
} from 'hallpass/mysql'
import type { Storages } from './checks.js'

type HallpassPool = Parameters<typeof fromPool>[0]
/** What the tests use of mysql2, which only this folder has. */
export interface Pool extends HallpassPool {
  query(sql: string, values?: readonly unknown[]): Promise<[rows: readonly Row[], fields: unknown]>
  getConnection(): Promise<Connection>
  end(): Promise<void>
}
type Row = Readonly<Record<string, unknown>>
type Connection = Awaited<ReturnType<HallpassPool['getConnection']>> & {
  beginTransaction(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Opens a pool of mysql2 to the database `school`. */
export function openPool(socketPath: string, options: object = {}): Pool {
  const { createPool } = createRequire(import.meta.url)('mysql2/promise') as {
    createPool: (options: object) => Pool
  }
  return createPool({ socketPath, user: 'root', database: 'school', ...options })
}

const same = <Executor>(executor: Executor): Executor => executor

export const mysqlOn = (batch: () => MysqlBatch): Storages => ({
  store: (site, through = same) => createMysqlStore({ batch: through(batch()), site }),
  idempotency: (site) => createMysqlIdempotency({ batch: batch(), site }),
  attempts: (site) => createMysqlAttempts({ batch: batch(), site }),
  storage: () => createMysqlStorage({ batch: batch() }),
  migrate: () => migrateMysql({ batch: batch() }),
  isMigrated: () => isMysqlMigrated({ batch: batch() }),
  faults: {
    conflict: () => Object.assign(new Error('a deadlock'), { errno: 1213 }),
    lost: () => Object.assign(new Error('the connection is lost'), { code: 'ECONNRESET' }),
  },
})
