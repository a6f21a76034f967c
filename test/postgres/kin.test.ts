import {
  createPostgresIdempotency,
  createPostgresStore,
  type Execute,
  postgresMigrations,
} from 'hallpass/postgres'
import { storeContract } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyMigrations } from '../../src/postgres/migrate.js'
import { idempotencyContract } from '../admin/idempotency-contract.js'
import { readSource } from '../support/source/compile.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

/**
 * What databases that speak the language of PostgreSQL lack, as their documentation says. Read on 2026-11-22:
 * Citus "SQL support and workarounds"; CockroachDB "PostgreSQL compatibility" and "DDL in PL/pgSQL"; YugabyteDB
 * "Explicit locking" and "Transactional DDL"; Aurora DSQL "Unsupported PostgreSQL features" and
 * "Asynchronous indexes".
 */
const CONSTRUCTS: Readonly<Record<string, RegExp>> = {
  'PL/pgSQL': /plpgsql|\bdo \$/i,
  'an advisory lock': /pg_(?:try_)?advisory/i,
  'a lock on a table': /\block table\b/i,
  'a function': /create (?:or replace )?(?:function|procedure)/i,
  'a trigger': /create (?:constraint )?trigger/i,
  'a sequence': /\b(?:serial|bigserial|sequence|generated .* as identity)\b/i,
  'a temporary table': /\btemp(?:orary)? table\b/i,
  'a savepoint': /\bsavepoint\b/i,
  truncate: /\btruncate\b/i,
  'a volatile function': /\b(?:random|clock_timestamp|gen_random_uuid|nextval)\(/i,
  'a recursive query': /\bwith recursive\b/i,
  'a foreign key': /\breferences\b/i,
  'a partial index': /create (?:unique )?index[^;]*\bwhere\b/i,
  'an index in descending order': /create (?:unique )?index[^;]*\bdesc\b/i,
  'an index that is built while writes wait': /create (?:unique )?index (?!async|concurrently)/i,
}
/** What Aurora DSQL lacks and nothing else does: its row of docs/do/store.md says so. */
const IN_MIGRATIONS = [
  'a foreign key',
  'a partial index',
  'an index in descending order',
  'an index that is built while writes wait',
]

const constructsOf = (sql: string): readonly string[] =>
  Object.entries(CONSTRUCTS)
    .filter(([, pattern]) => pattern.test(sql))
    .map(([name]) => name)

/** The migrations, with every table spread over four partitions by the hash of the site. */
const SPREAD = postgresMigrations.map((migration) => ({
  ...migration,
  sql: `${migration.sql
    .replace(/;$/, '')
    .split(';\n')
    // How full a page gets is said of each partition.
    .filter((sql) => !sql.includes('fillfactor'))
    .flatMap((sql) => {
      const [, table] = /^create table if not exists (hallpass_\w+)/.exec(sql) ?? []
      if (table === undefined) return [sql]
      const parts = [0, 1, 2, 3].map(
        (rest) =>
          `create table ${table}_part${rest} partition of ${table} for values with (modulus 4, remainder ${rest})`,
      )
      return [`${sql} partition by hash (site)`, ...parts]
    })
    .join(';\n')};`,
}))

describe('on tables that are spread over partitions by the site, as over shards', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const asked = new Map<string, unknown[]>()
  const execute: Execute = (sql, parameters) => {
    if (!asked.has(sql)) asked.set(sql, parameters)
    return pool.query(sql, parameters)
  }

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    await applyMigrations(SPREAD, {
      execute: (sql, parameters) => pool.query(sql, parameters),
    })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  const known = new Set<unknown>()
  for (const check of storeContract((site) => {
    known.add(site)
    return createPostgresStore({ execute, site })
  }))
    it(`${check.name} [PG-04]`, check.run)

  let sites = 0
  for (const check of idempotencyContract(() => {
    const site = `site ${sites++}`
    known.add(site)
    return createPostgresIdempotency({ execute, site })
  }))
    it(`${check.name} [PG-04]`, check.run)

  it('every statement needs one partition only [PG-04]', async () => {
    expect(asked.size).toBeGreaterThan(30)
    const partitions = new Set<string>()
    for (const [sql, parameters] of asked)
      for (const site of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const { rows } = await pool.query(
          `explain (format json) ${sql}`,
          parameters.map((value) => (known.has(value) ? site : value)),
        )
        const named = JSON.stringify(rows).matchAll(/"Relation Name":"hallpass_\w+?_part(\d)"/g)
        const reached = [...new Set([...named].map(([, part]) => part!))]
        expect(reached.length > 1 ? { sql, reached } : null).toBe(null)
        for (const part of reached) partitions.add(part)
      }
    // The sites are spread, so that one partition is not all there is.
    expect(partitions.size).toBeGreaterThan(1)
  })

  it('no statement of a request has what one of the databases lacks [PG-04]', () => {
    expect([...asked.keys()].flatMap(constructsOf)).toEqual([])
  })
})

describe('the migrations', () => {
  it('have only what one database lacks, which the guide names [PG-04]', () => {
    const found = new Set(postgresMigrations.flatMap(({ sql }) => constructsOf(sql)))
    expect([...found].sort()).toEqual([...IN_MIGRATIONS].sort())
    const row = /^\| Aurora DSQL .*$/m.exec(readSource('docs/do/store.md'))?.[0]
    for (const name of ['foreign keys', 'partial indexes', 'descending', 'asynchronous'])
      expect(row).toContain(name)
  })

  it('create an index on a table of an earlier one only if it was not built before [PG-03]', () => {
    const created = new Set<string>()
    const strict: string[] = []
    for (const { sql } of postgresMigrations) {
      const own = [...sql.matchAll(/create table if not exists (\w+)/g)].map(([, table]) => table!)
      for (const [text, isLenient, table] of sql.matchAll(
        /create (?:unique )?index (if not exists )?\w+ on (\w+)/g,
      ))
        if (isLenient === undefined && created.has(table!) && !own.includes(table!))
          strict.push(text)
      for (const table of own) created.add(table)
    }
    expect(strict).toEqual([])
  })

  it('create the columns that the guide promises to the statements of a host', () => {
    const guide = readSource('docs/do/store.md')
    const list = guide.slice(guide.indexOf('Your own statements may read these columns'))
    const promised = [...list.split('\n\n')[1]!.matchAll(/of `(hallpass_\w+)`: ([^;.]+)/g)]
    expect(promised.map(([, table]) => table)).toEqual([
      'hallpass_client',
      'hallpass_grant',
      'hallpass_refresh_token',
      'hallpass_consent',
    ])
    const sql = postgresMigrations.map((migration) => migration.sql).join('\n')
    for (const [, table, columns] of promised) {
      const created = new RegExp(`exists ${table} \\(([^;]+)`).exec(sql)![1]!
      const names = [...columns!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
      expect(
        names.filter((name) => !new RegExp(`\\b${name} (?:text|bigint)`).test(created)),
      ).toEqual([])
    }
  })

  it('are wrapped into PL/pgSQL by migratePostgres alone [PG-04]', async () => {
    const wrapped: string[] = []
    await applyMigrations(postgresMigrations, {
      execute: async (sql) => {
        wrapped.push(sql)
        return { rows: [] }
      },
    })
    const beyond = wrapped.flatMap(constructsOf).filter((name) => !IN_MIGRATIONS.includes(name))
    expect([...new Set(beyond)]).toEqual(['PL/pgSQL'])
  })
})
