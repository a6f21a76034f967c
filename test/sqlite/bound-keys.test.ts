import { type Batch, createSqliteStore } from 'hallpass/sqlite'
import { storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { STORE_ARGUMENTS } from '../../src/store/arguments.js'
import { SQLITE_MIGRATIONS } from '../../src/sql/schema.js'

let database: TestSqlite
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

/** The columns of the schema that hold a number, and the words before one. */
const NUMBERS = new Set([
  'limit',
  ...SQLITE_MIGRATIONS.flatMap(({ statements }) =>
    statements.flatMap((sql) => [...sql.matchAll(/(\w+) integer/g)].map(([, name]) => name!)),
  ),
])

/** Returns the column of each parameter of a statement; `undefined` for one that is compared with none. */
function columnsOf(sql: string): readonly (string | undefined)[] {
  const [, list = ''] = /into \w+ \(([^)]*)\) select \?/.exec(sql) ?? []
  const inserted = list === '' ? [] : list.split(', ')
  let last: string | undefined
  const named = [...sql.matchAll(/(?:(\w+) (?:[<>=]+|in \()\s*|(, ))?\?/g)].map(
    ([, column, comma]) => (last = comma === undefined ? column : last),
  )
  return named.map((column, index) => inserted[index] ?? column)
}

it('binds a text to each column that is not of numbers, in every method of the store [ST-15]', async () => {
  const bound = new Map<string, Set<string>>()
  const called = new Set<string>()
  const batch: Batch = (statements, isOver) => {
    for (const { sql, parameters } of statements)
      for (const [index, column] of columnsOf(sql).entries())
        if (column !== undefined)
          bound.set(column, (bound.get(column) ?? new Set()).add(typeof parameters[index]))
    return database.batch(statements, isOver)
  }
  const checks = storeContract((site) => {
    const store = createSqliteStore({ batch, site })
    return new Proxy(store, {
      get(target, name) {
        called.add(String(name))
        return target[name as keyof typeof target]
      },
    })
  })
  for (const { run } of checks) await run()
  expect([...called]).toEqual(expect.arrayContaining(Object.keys(STORE_ARGUMENTS)))
  const keys = [...bound].filter(([column]) => !NUMBERS.has(column))
  expect(keys.map(([column]) => column)).toEqual(
    expect.arrayContaining(['site', 'subject', 'client_id', 'grant_id', 'token_hash', 'kid']),
  )
  expect(keys.filter(([, types]) => types.has('number'))).toEqual([])
  const numbers = [...bound].filter(([column]) => NUMBERS.has(column))
  expect(numbers.filter(([, types]) => types.has('string'))).toEqual([])
})
