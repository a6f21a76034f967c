import {
  createPostgresIdempotency,
  createPostgresStore,
  type Execute,
  isPostgresMigrated,
  postgresMigrations,
} from 'hallpass/postgres'
import { describe, expect, it } from 'vitest'
import type { QueryResult } from '../../src/postgres/execute.js'
import { applyMigrations } from '../../src/postgres/migrate.js'

const latest = { version: postgresMigrations.at(-1)!.version }

/** A driver that resolves every statement to the same. */
const driver =
  (result: unknown): Execute<QueryResult> =>
  async () =>
    result as QueryResult

describe('a driver', () => {
  it.each([
    ['an object with the rows', { rows: [latest], rowCount: 1 }],
    ['the rows themselves', [latest]],
  ])('may resolve to %s', async (_, result) => {
    await applyMigrations(postgresMigrations, { execute: driver(result) })
    const nothing = driver('rows' in result ? { rows: [] } : [])
    const store = createPostgresStore({ execute: nothing, site: 'a' })
    expect(await store.findClient('x')).toBe(null)
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['select 1', 'string'],
    [{}, 'an object with nothing in it'],
    [{ rowCount: 1, rows: 1, secret: 'hunter2' }, 'an object with rowCount, rows, secret'],
    // TypeORM, for a DELETE of nothing; mysql2 and Sequelize; rows as arrays.
    [[[], 0], 'rows of which one is an array, as with rowMode of pg'],
    [[[{ version: 1 }], {}], 'rows of which one is an array, as with rowMode of pg'],
    [{ rows: [[1]] }, 'rows of which one is an array, as with rowMode of pg'],
    [[{ version: 1 }, null], 'rows of which one is null'],
    [{ rows: [1] }, 'rows of which one is number'],
  ])('that resolves to %j is told what it should resolve to [PG-12]', async (result, said) => {
    const execute = driver(result)
    const message = new TypeError(
      `execute must resolve to { rows } or to the rows, each an object, such as (sql, parameters) => pool.query(sql, parameters); it resolved to ${said}`,
    )
    await expect(applyMigrations(postgresMigrations, { execute })).rejects.toThrow(message)
    const store = createPostgresStore({ execute, site: 'a' })
    await expect(store.findClient('x')).rejects.toThrow(message)
    const keys = createPostgresIdempotency({ execute, site: 'a' })
    const entry = { keyHash: 'k', requestHash: 'r', now: 1, expiresAt: 2 }
    await expect(keys.begin(entry)).rejects.toThrow(message)
  })
})

describe('isPostgresMigrated', () => {
  it.each([
    [-1, false],
    [0, true],
    [1, true],
  ])('where the latest migration is %d after that of this version: %s', async (more, expected) => {
    const execute = driver([{ version: latest.version + more }])
    expect(await isPostgresMigrated({ execute })).toBe(expected)
  })

  it('is false before the first migration, and rejects without the table', async () => {
    expect(await isPostgresMigrated({ execute: driver([{ version: null }]) })).toBe(false)
    const execute = async (): Promise<never> => Promise.reject(new Error('no such table'))
    await expect(isPostgresMigrated({ execute })).rejects.toThrow('no such table')
  })
})
