import { DatabaseSync } from 'node:sqlite'
import { createMysqlStore, fromPool } from 'hallpass/mysql'
import { createSqliteStore, fromSync } from 'hallpass/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { MYSQL_MIGRATIONS } from '../../src/mysql/dialect.js'
import { migrateBy } from '../../src/mysql/migrate.js'
import { mysqlOf } from '../../src/mysql/options.js'
import { applyMigrations } from '../../src/sql/migrate.js'
import { type SqlMigration, SQLITE_MIGRATIONS } from '../../src/sql/schema.js'
import { sqliteOf } from '../../src/sqlite/options.js'
import { codeSample, hash, redemption, rotation } from '../../src/store-contract/samples.js'
import { startMariadb } from '../support/databases/mariadb-server.js'
import { waitFor } from '../support/processes/wait.js'
import { openPool } from './mysql-pool.js'

const TABLES = ['client', 'code', 'grant', 'access_token', 'refresh_token', 'use', 'outbox']
/** The steps, and one that a later version could bring: it only adds. */
const later = (steps: readonly SqlMigration[], type: string): readonly SqlMigration[] => [
  ...steps,
  {
    version: steps.length + 1,
    compatibleFrom: 1,
    name: 'what a later version adds',
    statements: TABLES.flatMap((table) => [
      `alter table hallpass_${table} add column later ${type}`,
      `create index hallpass_${table}_later on hallpass_${table} (site, later)`,
    ]),
  },
]

it.each([
  [
    'MariaDB',
    async () => {
      const server = await startMariadb()
      onTestFinished(server.stop)
      const pool = openPool(server.socketPath)
      onTestFinished(() => pool.end())
      const batch = fromPool(pool)
      return {
        store: createMysqlStore({ batch, site: 'upgrade' }),
        all: later(MYSQL_MIGRATIONS, 'varbinary(255)'),
        migrate: (steps: readonly SqlMigration[]) => migrateBy(mysqlOf({ batch }), steps),
      }
    },
  ],
  [
    'SQLite',
    async () => {
      const database = new DatabaseSync(':memory:')
      onTestFinished(() => database.close())
      const batch = fromSync(database)
      return {
        store: createSqliteStore({ batch, site: 'upgrade' }),
        all: later(SQLITE_MIGRATIONS, 'text'),
        migrate: (steps: readonly SqlMigration[]) => applyMigrations(sqliteOf({ batch }), steps),
      }
    },
  ],
])(
  '%s serves while a later version migrates, and an older process starts afterwards',
  async (_, open) => {
    const { store, all, migrate } = await open()
    // From the first step whose processes serve what this version serves.
    await migrate(all.slice(0, 3))
    const names: string[] = []
    const load = { isRunning: true }
    const work = async (worker: number): Promise<void> => {
      for (let turn = 0; load.isRunning; turn++) {
        // Others begin between two calls of a synchronous driver.
        await new Promise((resolve) => setImmediate(resolve))
        const id = `${worker} ${turn}`
        const [grantId, codeHash] = [`grant ${id}`, hash(`code ${id}`)]
        await store.issueCode({ code: codeSample({ codeHash, grantId }), pendingIdHash: null, consentKey: null }) // prettier-ignore
        const one = redemption(id, { codeHash })
        const [accessToken, refreshToken] = [{ ...one.accessToken, grantId }, { ...one.refreshToken, grantId }] // prettier-ignore
        expect(await store.redeemCode({ ...one, grant: { ...one.grant, grantId }, accessToken, refreshToken })).toBe('redeemed') // prettier-ignore
        const next = rotation(id, `next ${id}`)
        expect(await store.rotateRefreshToken({ ...next, accessToken: { ...next.accessToken, grantId }, successor: { ...next.successor, grantId } })).toBe('rotated') // prettier-ignore
        names.push(id, `next ${id}`)
      }
    }
    const done = Promise.all([1, 2, 3, 4, 5, 6].map(work))
    const more = async (): Promise<void> => {
      const target = names.length + 100
      await Promise.race([waitFor(() => names.length >= target), done])
    }
    await more()
    await migrate(all)
    await more()
    await migrate(all.slice(0, 3))
    await more()
    load.isRunning = false
    await done
    for (const name of names) {
      expect(await store.findAccessToken(hash(`access ${name}`))).not.toBeNull()
      const found = (await store.findRefreshToken(hash(`refresh ${name}`)))!
      expect(found.refreshToken.rotation === null).toBe(name.startsWith('next'))
    }
  },
)
