import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { migratePostgres } from 'hallpass/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkExecute } from '../../src/postgres/check-execute.js'
import type { Execute, QueryResult } from '../../src/postgres/execute.js'

let database: PGlite
beforeAll(async () => {
  database = await PGlite.create({ loadDataDir: await emptyCluster() })
})
afterAll(() => database.close())

type Row = Readonly<Record<string, unknown>>
const query = async (sql: string, parameters: unknown[]): Promise<Row[]> =>
  (await database.query<Row>(sql, parameters)).rows
const RECIPE = ': docs/do/store.md has a recipe for each driver and query builder'
const WANTED =
  'execute must resolve to [{"a_bigint":1795165200,"a_text":"007","no_text":null,"a_jsonb":{"aB":1,"a_b":[null]}}]'
const camel = (text: string): string =>
  text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
/** Renames each column, and each member below it, as `CamelCasePlugin` of Kysely does. */
const renamed = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(renamed)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [camel(name), renamed(one)]))
      : value
const each =
  (change: (row: Row) => unknown): Execute<QueryResult> =>
  async (sql, parameters) =>
    (await query(sql, parameters)).map(change)

/** Each way in which an executor may be wrong, and what is said of it. */
const BROKEN: Readonly<Record<string, [Execute<QueryResult>, string]>> = {
  'jsonb comes as text': [
    each((row) => ('a_jsonb' in row ? { ...row, a_jsonb: JSON.stringify(row['a_jsonb']) } : row)),
    `${WANTED}; it resolved to [{"a_bigint":1795165200,"a_text":"007","no_text":null,"a_jsonb":"{\\"aB\\":1,\\"a_b\\":[null]}"}]`,
  ],
  'a bigint comes rounded': [
    each((row) => ('a_bigint' in row ? { ...row, a_bigint: Math.fround(1_795_165_201) } : row)),
    `${WANTED}; it resolved to [{"a_bigint":1795165184,`,
  ],
  'columns are renamed': [
    each((row) => renamed(row)),
    `${WANTED}; it resolved to [{"aBigint":1795165200,"aText":"007","noText":null,"aJsonb":{"aB":1,"aB":[null]}}]`.replace(
      '"aB":1,"aB":[null]',
      '"aB":[null]',
    ),
  ],
  'parameters are sent in the order of the text': [
    (sql, parameters) => {
      let at = 0
      const order: unknown[] = []
      const text = sql.replace(/\$(\d+)/g, () => {
        order.push(parameters[at++] ?? null)
        return `$${order.length}`
      })
      return query(text, order)
    },
    `${WANTED}; it resolved to [{"a_bigint":`,
  ],
  'rows without columns are lost': [
    async (sql, parameters) =>
      (await query(sql, parameters)).filter((row) => Object.keys(row).length > 0),
    'execute must resolve to [{},{}]; it resolved to []',
  ],
  'only the first row comes': [
    async (sql, parameters) => (await query(sql, parameters)).slice(0, 1),
    'execute must resolve to [{},{}]; it resolved to [{}]',
  ],
  'the rows come with their number': [
    async (sql, parameters) => {
      const rows = await query(sql, parameters)
      return [rows, rows.length]
    },
    'it resolved to rows of which one is an array',
  ],
  'only the number of rows comes': [
    async (sql, parameters) => (await query(sql, parameters)).length as never,
    'it resolved to number',
  ],
  'a failing statement resolves': [
    (sql, parameters) => query(sql, parameters).catch(() => []),
    'execute must reject if the statement fails; it resolved',
  ],
  'the code of an error is lost': [
    (sql, parameters) =>
      query(sql, parameters).catch((fault: Error) => {
        throw new Error(fault.message)
      }),
    'execute must reject with the SQLSTATE; it has none',
  ],
  'a statement that changes rows goes to a replica': [
    (sql, parameters) =>
      /^with .*delete/s.test(sql)
        ? Promise.reject(Object.assign(new Error('read-only'), { code: '25006' }))
        : query(sql, parameters),
    'read-only',
  ],
  'a statement that changes rows counts them': [
    async (sql, parameters) => {
      const rows = await query(sql, parameters)
      return /^with .*delete/s.test(sql) ? [{ count: rows.length }] : rows
    },
    'execute must resolve to []; it resolved to [{"count":0}]',
  ],
}

describe('migratePostgres', () => {
  it.each(Object.entries(BROKEN))('refuses a connection where %s [PG-14]', async (_, broken) => {
    const [execute, said] = broken
    const fault = await migratePostgres({ execute }).catch((thrown: Error) => thrown)
    expect(fault?.message).toContain(said)
    if (/^execute must (?:re|resolve to \[)/.test(said)) expect(fault?.message).toContain(RECIPE)
  })

  it('keeps the error whose code was not found as the cause [PG-14]', async () => {
    const [execute] = BROKEN['the code of an error is lost']!
    await expect(migratePostgres({ execute })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('hallpass asks for this error') as string },
    })
  })

  it('passes on another error than the one that it asks for [PG-14]', async () => {
    const aborted = Object.assign(new Error('terminated'), { code: '57P01' })
    const execute: Execute<QueryResult> = (sql, parameters) =>
      sql.includes('asks for') ? Promise.reject(aborted) : query(sql, parameters)
    await expect(migratePostgres({ execute })).rejects.toBe(aborted)
  })

  it.each([
    ['text', String],
    ['a BigInt', BigInt],
    ['a number', Number],
  ])('takes a bigint that comes as %s [PG-14]', async (_, of) => {
    await checkExecute(
      each((row) => ('a_bigint' in row ? { ...row, a_bigint: of(Number(row['a_bigint'])) } : row)),
    )
  })

  it.each([0, 1, 2])(
    'waits for half a minute at most for a connection that does not respond to statement %d [PG-14]',
    async (number) => {
      const real = [await query('select 1795165200 as a_bigint', []), [{}, {}]] as const
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        let calls = 0
        const [row] = real[0]
        const execute: Execute<QueryResult> = () =>
          calls === number
            ? new Promise(() => {})
            : Promise.resolve(
                calls++ === 0
                  ? [{ ...row, a_text: '007', no_text: null, a_jsonb: { aB: 1, a_b: [null] } }]
                  : real[1],
              )
        const ended = migratePostgres({ execute }).catch((fault: Error) => fault.message)
        await vi.advanceTimersByTimeAsync(29_999)
        expect(vi.getTimerCount()).toBe(1)
        await vi.advanceTimersByTimeAsync(1)
        expect(await ended).toBe(`execute must respond within 30 seconds${RECIPE}`)
        expect(vi.getTimerCount()).toBe(0)
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('asks the same of each connection, and leaves nothing behind [PG-14]', async () => {
    await migratePostgres({ execute: query })
    await migratePostgres({ execute: query })
    const { rows } = await database.query('select from hallpass_migration where version < 1')
    expect(rows).toEqual([])
  })
})
