import type { Batch } from '../sql/batch.js'
import type { Row } from '../sql/statement.js'
import { watchFile } from './opened-file.js'

type Guarantees = NonNullable<Batch['guarantees']>

/** The least that a driver of SQLite promises whose rows are in a file. */
export const FILE: Guarantees = {
  acknowledged: 'survives the process',
  reads: 'latest',
  clock: 'process',
  processes: 'one computer',
}
/** A service on other computers. */
const REMOTE: Guarantees = {
  acknowledged: 'survives the computer',
  reads: 'latest',
  clock: 'own',
  processes: 'many',
}

const promising = (batch: Batch, guarantees: Guarantees): Batch =>
  Object.assign(batch, { guarantees })

type Statements = Parameters<Batch>[0]
type IsOver = Parameters<Batch>[1]
type Parameter = string | number | null
interface SyncStatement {
  all(...parameters: readonly Parameter[]): unknown[]
  run(...parameters: readonly Parameter[]): unknown
  readonly reader?: boolean
}

/**
 * Runs each batch on a synchronous driver: `DatabaseSync` of `node:sqlite`, `Database` of `better-sqlite3` or of
 * `bun:sqlite`. Give it a connection of its own, because a transaction of yours would hold what others write.
 *
 * Before the first batch, a file gets a write-ahead log, the level of `synchronous`, and a `busy_timeout` of 0: SQLite
 * would wait by blocking the process. While another process writes, a storage tries again instead, for about a second.
 *
 * Each batch fails if the file or its log was replaced, moved or deleted since. SQLite itself would write on into a file
 * without a name.
 *
 * @param database - an open database
 * @param options - `synchronous`: what SQLite waits for before a change is acknowledged. `full`: that the disk has it.
 *   `normal`: less, so that a power failure can undo the last changes, such as a revocation, but the end of a process
 *   cannot. Default: `full`
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createSqliteStore, fromSync } from 'hallpass/sqlite'
 *
 * // In place of a database. With Node.js 24: new DatabaseSync('school.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => {} }) }
 *
 * const store = createSqliteStore({ batch: fromSync(database), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromSync(
  database: {
    exec(sql: string): unknown
    prepare(sql: string): {
      // Drivers type their parameters in ways of their own; each takes a text, a number and null.
      all(...parameters: never[]): unknown[]
      run(...parameters: never[]): unknown
      /** `false` for a statement without rows, which better-sqlite3 only runs. */
      readonly reader?: boolean
    }
  },
  { synchronous = 'full' }: { readonly synchronous?: 'full' | 'normal' } = {},
): Batch {
  /** Throws if the database is no longer at its path. `null` before the first batch. */
  let checkFile: (() => void) | null = null
  // There are a few hundred texts at most. None is given up: on Node 24, better-sqlite3 12 may abort the process then.
  const prepared = new Map<string, SyncStatement>()
  function run({ sql, parameters }: Statements[number]): readonly Row[] {
    let statement = prepared.get(sql)
    if (statement === undefined) prepared.set(sql, (statement = database.prepare(sql)))
    if (statement.reader !== false) return statement.all(...parameters) as Row[]
    statement.run(...parameters)
    return []
  }
  function setUp(): () => void {
    database.exec('pragma busy_timeout = 0')
    database.exec('pragma journal_mode = wal')
    // To so many bytes the log is cut after a long reader: more than SQLite writes into it before it begins anew.
    database.exec('pragma journal_size_limit = 4194304')
    // The commit that fills so many pages copies them back, which stops the process: by default a thousand.
    database.exec('pragma wal_autocheckpoint = 250')
    database.exec(`pragma synchronous = ${synchronous}`)
    return watchFile(fileOf())
  }
  /** The path of the file: empty for a database in memory, and `null` if the driver names none. */
  function fileOf(): string | null {
    const rows = run({ sql: 'pragma database_list', parameters: [] })
    const file = rows.find(({ name }) => name === 'main')?.['file']
    return typeof file === 'string' ? file : null
  }
  const batch: Batch = (statements, isOver) => {
    checkFile ??= setUp()
    checkFile()
    const results = transact(statements, isOver)
    // A change of a file that was replaced in between is lost with it, so it is not acknowledged.
    checkFile()
    return results
  }
  function transact(statements: Statements, isOver: IsOver): readonly (readonly Row[])[] {
    const [first] = statements
    if (statements.length === 1) return [run(first!)]
    // Who has lost already waits for no turn to write.
    if (isOver !== undefined) {
      const rows = run(first!)
      if (isOver(rows)) return [rows]
    }
    // One that reads first and writes later fails while another process writes, however long it waits.
    database.exec('begin immediate')
    try {
      const results = inTurn(statements, run, isOver)
      database.exec('commit')
      return results
    } catch (fault) {
      rollBack(database)
      throw fault
    }
  }
  return Object.defineProperty(batch, 'guarantees', {
    // Read when a store is created: a driver runs nothing before.
    get: (): Guarantees =>
      fileOf() === ''
        ? { ...FILE, acknowledged: 'lost with the process', processes: 'one' }
        : { ...FILE, acknowledged: ACKNOWLEDGED[synchronous] },
  })
}

const ACKNOWLEDGED = { full: 'survives a power failure', normal: 'survives the process' } as const

function inTurn(
  statements: Statements,
  run: (statement: Statements[number]) => readonly Row[],
  isOver: IsOver,
): readonly (readonly Row[])[] {
  const results: (readonly Row[])[] = []
  for (const statement of statements) {
    results.push(run(statement))
    if (results.length === 1 && isOver?.(results[0]!) === true) break
  }
  return results
}

function rollBack(database: { exec(sql: string): unknown }): void {
  try {
    database.exec('rollback')
  } catch {
    // SQLite has rolled it back by itself, as it does when the disk is full.
  }
}

/**
 * Runs each batch on Cloudflare D1, by its `batch`.
 *
 * @param database - the binding, or its `withSession('first-primary')`. Never `first-unconstrained`, whose reads may be
 *   older than what was written
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createSqliteStore, fromD1 } from 'hallpass/sqlite'
 *
 * // In place of the binding of a worker: env.DB
 * const prepared = { bind: () => prepared }
 * const binding = { prepare: () => prepared, batch: async () => [{ results: [] }] }
 *
 * const store = createSqliteStore({ batch: fromD1(binding), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromD1<Prepared>(database: {
  prepare(sql: string): { bind(...parameters: (string | number | null)[]): Prepared }
  batch(statements: Prepared[]): Promise<{ results: unknown[] }[]>
}): Batch {
  return promising(async (statements) => {
    const prepared = statements.map(({ sql, parameters }) =>
      database.prepare(sql).bind(...parameters),
    )
    return (await database.batch(prepared)).map(({ results }) => results)
  }, REMOTE)
}

/**
 * Runs each batch on the storage of a Cloudflare Durable Object with SQLite, by its `transactionSync`. Create the site
 * inside of the object, so that no response leaves it before its changes are stored.
 *
 * @param storage - `ctx.storage` of the object
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createSqliteStore, fromDurableObject } from 'hallpass/sqlite'
 *
 * // In place of the storage of an object: ctx.storage
 * const storage = {
 *   sql: { exec: () => ({ toArray: () => [] }) },
 *   transactionSync: <Result>(work: () => Result): Result => work(),
 * }
 *
 * const store = createSqliteStore({ batch: fromDurableObject(storage), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromDurableObject(storage: {
  readonly sql: {
    exec(sql: string, ...parameters: (string | number | null)[]): { toArray(): unknown[] }
  }
  transactionSync<Result>(work: () => Result): Result
}): Batch {
  const run = ({ sql, parameters }: Statements[number]): readonly Row[] =>
    storage.sql.exec(sql, ...parameters).toArray() as Row[]
  return promising(
    (statements, isOver) => storage.transactionSync(() => inTurn(statements, run, isOver)),
    { ...REMOTE, clock: 'process', processes: 'one' },
  )
}

/**
 * Runs each batch on libSQL or Turso, by `batch` of `@libsql/client`.
 *
 * @param client - what `createClient` returned. Not for an embedded replica, whose reads may be older than what was
 *   written
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createSqliteStore, fromLibsql } from 'hallpass/sqlite'
 *
 * // In place of a client: createClient({ url: 'file:school.db' }) of @libsql/client
 * const client = { batch: async () => [{ rows: [] }] }
 *
 * const store = createSqliteStore({ batch: fromLibsql(client), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromLibsql(client: {
  /** `file` for a database of this computer. */
  readonly protocol?: string
  batch(
    statements: { sql: string; args: (string | number | null)[] }[],
    mode: 'write',
  ): Promise<readonly { readonly rows: readonly unknown[] }[]>
}): Batch {
  // libSQL decides by itself how far it waits for the disk.
  const guarantees =
    client.protocol === 'file' ? FILE : { ...REMOTE, acknowledged: ACKNOWLEDGED.full }
  return promising(async (statements) => {
    const sent = statements.map(({ sql, parameters }) => ({
      sql,
      args: [...parameters] as Parameter[],
    }))
    return (await client.batch(sent, 'write')).map(({ rows }) => rows)
  }, guarantees)
}
