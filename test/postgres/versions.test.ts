import {
  createPostgresIdempotency,
  createPostgresStore,
  type Execute,
  isPostgresMigrated,
  migratePostgres,
  postgresMigrations,
} from 'hallpass/postgres'
import { storeContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { idempotencyContract } from '../admin/idempotency-contract.js'
import { DEADLINE_MILLISECONDS } from '../../src/store/deadline.js'
import { EXPANDING } from '../support/databases/next-migration.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const versions = (migrations: readonly { version: number }[]): object[] =>
  migrations.map(({ version }) => ({ version }))
let sites = 0

describe('a process of this version, beside one of a later version that migrated', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    await migratePostgres({ execute })
    await applyMigrations([...postgresMigrations, EXPANDING], { execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  for (const check of storeContract((site) => createPostgresStore({ execute, site })))
    it(`${check.name} [PG-03]`, check.run)

  for (const check of idempotencyContract(() =>
    createPostgresIdempotency({ execute, site: `later ${sites++}` }),
  ))
    it(`${check.name} [PG-03]`, check.run)

  it('starts, because the later migration says that it may [PG-03]', async () => {
    await migratePostgres({ execute })
    const { rows } = await pool.query('select version from hallpass_migration order by version')
    expect(rows).toEqual(versions([...postgresMigrations, EXPANDING]))
  })

  it.each([
    ['says nothing', null],
    ['names itself', EXPANDING.version],
  ])('does not start if the later migration %s [PG-03]', async (_, compatibleFrom) => {
    const set = (to: unknown): Promise<unknown> =>
      pool.query('update hallpass_migration set compatible_from = $1 where version = $2', [
        to,
        EXPANDING.version,
      ])
    await set(compatibleFrom)
    await expect(migratePostgres({ execute })).rejects.toThrow(
      `the database has migration ${EXPANDING.version}, but this version of hallpass knows migrations up to ${EXPANDING.version - 1}: update hallpass`,
    )
    await set(EXPANDING.compatibleFrom)
    await migratePostgres({ execute })
  })
})

describe('a migration', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
  const chance = (): number => 0

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  it('finds which are applied in a table that an earlier version created [PG-03]', async () => {
    const [first] = postgresMigrations
    await pool.query(`${first!.sql};
      create table hallpass_migration (
        version integer primary key, applied_at timestamptz not null default now()
      );
      insert into hallpass_migration (version) values (1)`)
    await migratePostgres({ execute, chance })
    const { rows } = await pool.query('select version from hallpass_migration order by version')
    expect(rows).toEqual(versions(postgresMigrations))
  })

  it('refuses the tables of a version before 0.1.0, which are not ready, and says what converts them [PG-03]', async () => {
    await pool.query(`create schema old;
      create table old.hallpass_client (client_id text, redirect_uris jsonb);
      create table old.hallpass_migration (version integer primary key, compatible_from integer);
      insert into old.hallpass_migration values (1, 1), (2, 1), (3, 1), (14, 14)`)
    const old = new pg.Pool({ connectionString: database.url, options: '-c search_path=old' })
    onTestFinished(() => old.end())
    const onOld: Execute = (sql, parameters) => old.query(sql, parameters)
    expect(await isPostgresMigrated({ execute: onOld })).toBe(false)
    const refused =
      'the tables are of a version before 0.1.0: convert them, as docs/operations/stores.md says'
    await expect(migratePostgres({ execute: onOld })).rejects.toThrow(refused)
  })

  it('gives up a lock that it waits for, and tries again, so that others go on [PG-03]', async () => {
    const reader = await pool.connect()
    await reader.query('begin; select from hallpass_grant')
    const codes: unknown[] = []
    const watched: Execute = async (sql, parameters) => {
      try {
        return await pool.query(sql, parameters)
      } catch (fault) {
        const { code } = fault as { code?: string }
        codes.push(code)
        // Whoever came later and waited behind the migration has been served by now.
        await pool.query('select from hallpass_grant')
        if (codes.length === 3) {
          await reader.query('commit')
          reader.release()
        }
        throw fault
      }
    }
    const lockTimeoutMilliseconds = 20
    await applyMigrations([...postgresMigrations, EXPANDING], {
      execute: watched,
      chance,
      lockTimeoutMilliseconds,
    })
    expect(codes).toEqual(['55P03', '55P03', '55P03'])
    const { rows } = await pool.query('select later_counted from hallpass_grant')
    expect(rows).toEqual([])
  })

  it('waits for the same one of another process, whatever lock_timeout is [PG-03, F-35]', async () => {
    await pool.query('create schema waiting')
    const options = '-c search_path=waiting'
    const url = { connectionString: database.url, options, max: 1 }
    const [other, impatient] = [new pg.Pool(url), new pg.Pool({ ...url, lock_timeout: 1 })]
    await other.query('create table hallpass_migration (version integer primary key)')
    const holder = await other.connect()
    await holder.query('begin; insert into hallpass_migration values (1)')
    const failures: string[] = []
    const migrated = applyMigrations(postgresMigrations, {
      execute: (sql, parameters) =>
        impatient.query(sql, parameters).catch((fault: Error) => {
          failures.push(fault.message)
          throw fault
        }),
      chance,
    }).then(() => 'migrated', String)
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    for (let look = 0; look < 500 && (await pool.query(waiting)).rows.length === 0; look++);
    await pool.query('select pg_sleep(0.05)')
    await holder.query('rollback')
    holder.release()
    expect(await migrated).toBe('migrated')
    expect(failures).toEqual([])
    const { rows } = await other.query('select version from hallpass_migration order by version')
    expect(rows).toEqual(versions(postgresMigrations))
    await Promise.all([other.end(), impatient.end()])
  })

  it.each(['23505', '42P07', '42710'])(
    'finds its table while another process creates it, which %s says [PG-03]',
    async (code) => {
      const failures = ['42P01', code]
      const execute: Execute = async () => {
        const failing = failures.shift()
        if (failing !== undefined) throw Object.assign(new Error(failing), { code: failing })
        return { rows: [] }
      }
      await applyMigrations(postgresMigrations, { execute, chance })
      expect(failures).toEqual([])
    },
  )

  it('is tried a bounded number of times [PG-03]', async () => {
    let tries = 0
    const held: Execute = async (sql) => {
      if (!sql.startsWith('do ')) return { rows: [] }
      tries++
      throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    }
    await expect(applyMigrations(postgresMigrations, { execute: held, chance })).rejects.toThrow(
      'lock timeout',
    )
    expect(tries).toBe(60)
  })

  it('waits for a lock for less than a verb of the store has, and than a deadlock takes [PG-03]', async () => {
    const timeouts = new Set<number>()
    const execute: Execute = async (sql) => {
      const [, timeout] = /'lock_timeout', '(\d+)'/.exec(sql) ?? []
      if (timeout !== undefined) timeouts.add(Number(timeout))
      return { rows: [] }
    }
    await applyMigrations(postgresMigrations, { execute, chance })
    const DEADLOCK_MILLISECONDS = 1000
    for (const timeout of timeouts)
      expect(timeout).toBeLessThan(Math.min(DEADLINE_MILLISECONDS, DEADLOCK_MILLISECONDS))
    expect(timeouts.size).toBe(1)
  })

  it('is whole or not there [PG-03]', async () => {
    const broken = {
      version: EXPANDING.version + 1,
      name: 'broken',
      sql: 'create table t (a int); select 1/0;',
    }
    const all = [...postgresMigrations, EXPANDING, broken]
    await expect(applyMigrations(all, { execute, chance })).rejects.toThrow()
    const { rows } = await pool.query("select to_regclass('t') as t")
    expect(rows).toEqual([{ t: null }])
    const { rows: applied } = await pool.query(
      'select max(version) as version from hallpass_migration',
    )
    expect(applied).toEqual([{ version: EXPANDING.version }])
  })
})
