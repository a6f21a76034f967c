import { readFile } from 'node:fs/promises'
import { createPostgresAttempts, createPostgresIdempotency, createPostgresStorage, createPostgresStore, type Execute, postgresMigrations } from 'hallpass/postgres' // prettier-ignore
import { storageContract, storeContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/postgres/dialect.js'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { tablesOf } from '../../src/sql/tables.js'
import { everyAttemptCall, everyCall, LATER } from '../support/databases/every-call.js'
import { withoutSite } from '../support/databases/names-site.js'
import { EXPANDING } from '../support/databases/next-migration.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { ROOT } from '../support/source/root.js'

const PARTS = 16
const sqlError = (code: string): Error => Object.assign(new Error(code), { code })

let database: TestDatabase
let pool: pg.Pool
/** Each text that the storages sent, with values that it had. */
const sent = new Map<string, unknown[]>()
const execute: Execute = (text, values) => pool.query(text, values)
const recording: Execute = (text, values) => {
  sent.set(text, values)
  return execute(text, values)
}
const run = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
  (await pool.query<Row>(sql)).rows

beforeAll(async () => {
  database = await startPostgres()
  pool = new pg.Pool({ connectionString: database.url, max: 8 })
  // Later migrations find the parts of an earlier version.
  await applyMigrations(postgresMigrations.slice(0, 1), { execute })
  await pool.query(await readFile(`${ROOT}docs/operations/partitions.sql`, 'utf8'))
  await applyMigrations([...postgresMigrations, EXPANDING], { execute })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

describe('on tables that are spread by site', () => {
  const contract = storeContract(
    (site, through) => createPostgresStore({ execute: through(recording), site, chance: () => 0 }),
    { faults: { conflict: () => sqlError('40001'), lost: () => sqlError('08006') } },
  )
  for (const check of contract) it(check.name, check.run)
  // What is done to all sites is not recorded: its statements name none.
  for (const check of storageContract(() => createPostgresStorage({ execute })))
    it(check.name, check.run)

  it('attempts and keys of requests are kept as well, and each form of a call is made', async () => {
    const options = { execute: recording, site: 'spread' }
    const keys = createPostgresIdempotency(options)
    const begun = { keyHash: 'key', requestHash: 'r', now: 1, expiresAt: 2 }
    expect(await keys.begin(begun)).toEqual({ state: 'new' })
    await keys.finish({ keyHash: 'key', answer: { status: 200, headers: [], body: '' } })
    await keys.abandon('key')
    expect(await keys.begin({ ...begun, now: 3, expiresAt: 4 })).toEqual({ state: 'new' })
    await everyAttemptCall(createPostgresAttempts(options))
    const store = createPostgresStore({ ...options, now: () => LATER, chance: () => 0 })
    for (const call of Object.values(everyCall(store)).flat()) await call()
    const { exportSite, eraseSite, importSite } = createPostgresStorage({ execute: recording })
    const lines: string[] = []
    for await (const line of exportSite('spread')) lines.push(line)
    expect((await eraseSite('spread')).rows).toBe(lines.length - 2)
    await importSite(lines)
  })
})

describe('each statement of a request', () => {
  it('names the site of every table that it reads or writes', () => {
    expect(sent.size).toBeGreaterThan(80)
    const texts = [...sent.keys()]
    expect(texts.filter((sql) => withoutSite(sql).length > 0)).toEqual([])
    // Each condition is needed for that.
    const shorter = texts.flatMap((sql) =>
      Array.from(
        sql.matchAll(/(?:\w+\.)?site = (?:\$\d+::text|\w+\.site)/g),
        ({ 0: found, index }) => `${sql.slice(0, index)}1 = 1${sql.slice(index + found.length)}`,
      ),
    )
    expect(shorter.length).toBeGreaterThan(400)
    expect(shorter.filter((sql) => withoutSite(sql).length === 0)).toEqual([])
  })

  it('touches one part of a table', async () => {
    const wide: string[] = []
    const seen = new Set<string>()
    for (const [sql, values] of sent) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, values)
      const parts = rows.flatMap(
        (row) => row['QUERY PLAN'].match(/hallpass_\w+_part\d+(?= |$)/g) ?? [],
      )
      const tables = [...new Set(parts)].map((part) => part.replace(/_part\d+$/, ''))
      for (const table of tables) seen.add(table)
      if (new Set(tables).size < tables.length) wide.push(`${tables.join()}: ${sql}`)
    }
    expect(wide).toEqual([])
    expect([...seen].toSorted()).toEqual(
      tablesOf(MIGRATIONS)
        .map(({ name }) => name)
        .toSorted(),
    )
  })
})

describe('the parts', () => {
  it('have the room for updates that the tables had, and every later column and index', async () => {
    const rooms = await run<{ name: string }>(
      `select relname as name from pg_class where reloptions @> '{fillfactor=70}' and relkind = 'r' order by 1`,
    )
    const wanted = ['code', 'refresh_token'].flatMap((table) =>
      Array.from({ length: PARTS }, (_, part) => `hallpass_${table}_part${part}`),
    )
    expect(rooms.map(({ name }) => name)).toEqual(wanted.toSorted())
    const plain = await startPostgres()
    const its = new pg.Pool({ connectionString: plain.url, max: 1 })
    await applyMigrations([...postgresMigrations, EXPANDING], {
      execute: (text, values) => its.query(text, values),
    })
    const definitions = `select indexdef as it from pg_indexes
        where schemaname = 'public' and tablename not like '%\\_part%' and tablename <> 'hallpass_migration'
      union all select concat(conrelid::regclass, ' ', pg_get_constraintdef(oid)) from pg_constraint
        where contype in ('p', 'u', 'f') and conparentid = 0 and conrelid::regclass::text like 'hallpass%'
      union all select concat(table_name, ' ', column_name, ' ', data_type, collation_name, is_nullable) from information_schema.columns
        where table_schema = 'public' and table_name not like '%\\_part%'
      order by 1`
    const [spread, whole] = [await run(definitions), (await its.query(definitions)).rows]
    const text = (rows: readonly unknown[]) =>
      rows.map((row) => JSON.stringify(row).replace('ON ONLY', 'ON'))
    expect(text(spread)).toEqual(text(whole))
    await its.end()
    await plain.stop()
  })

  it('are found by a unique key that has the site, in every table', async () => {
    const keys = await run<{ name: string }>(
      `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
       where i.indisunique and c.relname like 'hallpass\\_%' and c.relname <> 'hallpass_migration'
         and not exists (
           select from pg_attribute a where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname = 'site')`,
    )
    // A partitioned table refuses any other.
    expect(keys).toEqual([])
  })
})
