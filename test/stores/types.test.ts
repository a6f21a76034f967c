import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/source/root.js'

/** The newest TypeScript, and the oldest that is supported, which infers the types of generic methods by other rules. */
const NEWEST = '@typescript/native/bin/tsc'
const OLDEST = 'typescript-5.4/lib/tsc.js'

/** What stands before the line of a driver, and the types that its runtime needs. */
interface Place {
  readonly types: readonly string[]
  /** Its own declarations are checked too, unless they name types of other runtimes. */
  readonly skipLibCheck?: boolean
  readonly before: string
}

const SQLITE: Readonly<Record<string, Place>> = {
  '`node:sqlite`, Node 22.13 and up': {
    types: ['node'],
    before: `import { DatabaseSync } from 'node:sqlite'`,
  },
  'better-sqlite3': { types: ['node'], before: `import Database from 'better-sqlite3'` },
  'Bun, `bun:sqlite`': { types: ['bun'], before: `import { Database } from 'bun:sqlite'` },
  'libSQL, a file': { types: ['node'], before: `import { createClient } from '@libsql/client'` },
  Turso: {
    types: ['node'],
    before: `import { createClient } from '@libsql/client'
      declare const [url, authToken]: [string, string]`,
  },
  'Cloudflare D1': {
    types: ['@cloudflare/workers-types', 'node'],
    skipLibCheck: true,
    before: `declare const env: { DB: D1Database }`,
  },
  'Cloudflare Durable Object': {
    types: ['@cloudflare/workers-types', 'node'],
    skipLibCheck: true,
    before: `declare const ctx: DurableObjectState`,
  },
}

const POSTGRES: Readonly<Record<string, Place>> = {
  pg: { types: ['node'], before: `import pg from 'pg'\nconst pool = new pg.Pool()` },
  'PGlite, Drizzle on PGlite': {
    types: ['node'],
    skipLibCheck: true,
    before: `import { PGlite } from '@electric-sql/pglite'\nconst database = new PGlite()`,
  },
}

/** The first code of each row of a table: the name in its first column, then the first code behind it. */
function rowsOf(page: string, heading: string): ReadonlyMap<string, string> {
  const text = readFileSync(`${ROOT}docs/do/${page}`, 'utf8')
  const [, rows = ''] = new RegExp(
    `^\\| ${heading} [^\\n]*\\n\\|[- |:]+\\n((?:\\|.*\\n)+)`,
    'm',
  ).exec(text)!
  const cells = rows
    .trimEnd()
    .split('\n')
    .map((row) => row.split(' | '))
  return new Map(
    cells.map((row) => [
      row[0]!.replace(/^\| /, '').trim(),
      /^`(.+)`\s*$/.exec(row.find((cell, index) => index > 0 && cell.startsWith('`')) ?? '')?.[1] ??
        '',
    ]),
  )
}

const output = (cwd: string, compiler: string, ...flags: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const args = [`${ROOT}node_modules/${compiler}`, '-p', '.', '--pretty', 'false', ...flags]
    execFile(process.execPath, args, { cwd }, (_, stdout) => resolve(stdout))
  })

/** What the compilers say of a file under `strict`, beside the packages of this folder, in which it also checks. */
async function faultsOf(
  code: string,
  { types, skipLibCheck = false }: Omit<Place, 'before'>,
): Promise<string> {
  const folder = mkdtempSync(`${ROOT}test/stores/.tmp-types-`)
  const paths = { 'hallpass/*': [`${ROOT}src/*.ts`] }
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck,
    types,
    paths,
    rootDir: ROOT,
  }
  try {
    writeFileSync(`${folder}/school.ts`, `${code}\n`)
    writeFileSync(
      `${folder}/tsconfig.json`,
      JSON.stringify({ compilerOptions, files: ['school.ts'] }),
    )
    // Drivers declare their types in words that are newer than the oldest compiler.
    const skip = ['--skipLibCheck']
    return (await output(folder, NEWEST)) + (await output(folder, OLDEST, ...skip))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the line of docs/do/sqlite.md', () => {
  const rows = rowsOf('sqlite.md', 'database')
  it('is known here for each driver', () => {
    expect([...rows.keys()]).toEqual(Object.keys(SQLITE))
  })
  it.each(Object.entries(SQLITE))('compiles with the types of %s', async (name, place) => {
    const imports = `import { fromSync, fromD1, fromDurableObject, fromLibsql, createSqliteStore } from 'hallpass/sqlite'`
    const code = `${imports}\n${place.before}\nexport const store = createSqliteStore({ batch: ${rows.get(name)}, site: 'school' })`
    expect(await faultsOf(code, place)).toBe('')
  })
})

describe('the line of docs/do/store.md', () => {
  const rows = rowsOf('store.md', 'connection')
  it.each(Object.entries(POSTGRES))('compiles with the types of %s', async (name, place) => {
    const imports = `import { createPostgresStore, type Execute } from 'hallpass/postgres'`
    const code = `${imports}\n${place.before}\nexport const store = createPostgresStore({ execute: ${rows.get(name)}, site: 'school' })`
    expect(await faultsOf(code, place)).toBe('')
  })
})

describe('the program of docs/do/mysql.md', () => {
  const [, first = '', shared = ''] = /```js\n([^]*?)```[^]*?```js\n([^]*?)```/.exec(
    readFileSync(`${ROOT}docs/do/mysql.md`, 'utf8'),
  )!
  it('compiles with the types of mysql2', async () => {
    expect(first).toContain('fromPool(createPool(')
    expect(await faultsOf(first, { types: ['node'] })).toBe('')
  })
  it('shares a transaction of mysql2', async () => {
    const typed = shared.replace(
      'enrol(pool, work)',
      `enrol<Result>(pool: import('mysql2/promise').Pool, work: (connection: unknown, store: unknown) => Promise<Result>)`,
    )
    expect(typed).not.toBe(shared)
    expect(await faultsOf(typed, { types: ['node'] })).toBe('')
  })
})
