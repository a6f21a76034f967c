import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'

/** Without each of these, some way in which PostgreSQL hangs keeps a request or a connection for ever. */
const LIMITS = [
  'connectionTimeoutMillis',
  'query_timeout',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'keepAlive',
]

const files = ['examples', 'docs', 'packages'].flatMap((folder) =>
  readdirSync(ROOT + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|md)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
    .filter((path) => !/node_modules|\/dist\/|\/\.next/.test(path)),
)

/** The files that open a pool, with the text of the block or the file that does. */
const pools = files.flatMap((path) =>
  (path.endsWith('.md')
    ? [...readSource(path).matchAll(/```ts[^]*?```/g)].map(([block]) => block)
    : [readSource(path)]
  )
    .filter((text) => text.includes('pg.Pool('))
    .map((text) => ({ path, text })),
)

describe('every pool of an example or a guide', () => {
  it('is found', () => {
    expect(pools.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'examples/school/src/platform/database.ts',
        'examples/store/postgres.ts',
        'docs/do/deploy.md',
        'docs/do/existing-backend.md',
        'docs/do/store.md',
      ]),
    )
  })

  it.each(pools)('of $path has every time limit [F-35]', ({ text }) => {
    expect(LIMITS.filter((name) => !new RegExp(`\\b${name}: (?:\\d|true)`).test(text))).toEqual([])
    const value = (name: string): number =>
      Number(new RegExp(`\\b${name}: ([\\d_]+)`).exec(text)![1]!.replace('_', ''))
    // The server gives up before the driver, and before hallpass does.
    expect(value('lock_timeout')).toBeLessThan(value('statement_timeout'))
    expect(value('statement_timeout')).toBeLessThan(value('query_timeout'))
    expect(value('statement_timeout')).toBeLessThan(1500)
  })

  it('is opened by pg, of which the limits are', () => {
    const others = files.filter((path) =>
      /new Pool\(|^import postgres from 'postgres'/m.test(readSource(path)),
    )
    expect(others).toEqual([])
  })
})
