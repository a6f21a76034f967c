import { inTime } from '../store/deadline.js'
import { isConflict, isFull, isOneOf } from './dialect.js'

/**
 * Runs work within one transaction: begins it, calls `work`, and commits if that resolves, or rolls back if that rejects.
 * Resolves to what `work` resolved to, and rejects with its error or with that of the driver. You write it around a
 * driver for which there is no function here.
 *
 * `work` receives a function that runs one SQL statement with the parameters `?` within the transaction, and resolves to
 * its rows. `isSingle` says that it runs one statement, which needs no transaction.
 *
 * @group Driver
 */
export type MysqlBatch = <Result>(
  work: (
    run: (sql: string, parameters: readonly (string | number | null)[]) => Promise<unknown>,
  ) => Promise<Result>,
  isSingle: boolean,
) => Promise<Result>

/**
 * A connection of mysql2, or of a driver like it.
 *
 * @inline
 */
type Connection = Parameters<typeof fromTransaction>[0]
type PoolConnection = Awaited<ReturnType<Parameters<typeof fromPool>[0]['getConnection']>>

/** How long a pool may take for a connection, and a server for the answer to a statement. */
const ANSWER_MILLISECONDS = 5000
/** The same for a statement that changes the schema. */
const SCHEMA_MILLISECONDS = 600_000
const CHANGES_SCHEMA = /^\s*(?:create|alter|drop)\s/

/** Hosts and servers differ in these. The last one is for a cluster of MariaDB, whose nodes would read old rows. */
const SESSION = [
  'set session transaction isolation level read committed, read write',
  `set session autocommit = 1, unique_checks = 1, sql_safe_updates = 0, sql_select_limit = 18446744073709551615,
     innodb_lock_wait_timeout = 1, lock_wait_timeout = 2, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'`,
]
const CLUSTER_SESSION = 'set session wsrep_sync_wait = 1'
const isUnknownVariable = isOneOf([1193])

const answerOf = <Result>(
  work: Promise<Result>,
  milliseconds: number = ANSWER_MILLISECONDS,
): Promise<Result> =>
  inTime(
    work,
    milliseconds,
    () => new Error(`MySQL did not respond within ${milliseconds} milliseconds`),
  )

const send = (connection: Connection, sql: string): Promise<unknown> =>
  answerOf(connection.query(sql))

/** Runs a statement. Options of the connection may give rows another shape. */
const runOn =
  (connection: Connection) =>
  async (sql: string, values: readonly (string | number | null)[]): Promise<unknown> => {
    const result = await answerOf(
      connection.execute({
        sql,
        values: [...values],
        rowsAsArray: false,
        nestTables: false,
        typeCast: true,
      }),
      CHANGES_SCHEMA.test(sql) ? SCHEMA_MILLISECONDS : ANSWER_MILLISECONDS,
    )
    return (result as readonly unknown[])[0]
  }

/**
 * Runs each batch on a connection of a pool of `mysql2/promise`, as a transaction. Give hallpass a pool of its own,
 * because each connection gets settings for its session: `read committed`, a strict `sql_mode`, a wait of one second for
 * a lock. A connection that failed is closed.
 *
 * It waits 5 seconds at most for a connection and for each answer, and 10 minutes for a change of the schema. Then it
 * closes the connection, and rejects.
 *
 * @param pool - what `createPool` of `mysql2/promise` returned, without `resetOnRelease`, which would undo the settings
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createMysqlStore, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool: createPool('mysql://school@localhost/school') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * const store = createMysqlStore({ batch: fromPool(pool), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromPool(pool: {
  getConnection(): Promise<
    Connection & {
      release(): void
      destroy(): void
      /** The connection itself, of which this is a view. */
      readonly connection?: object
    }
  >
}): MysqlBatch {
  const ready = new WeakSet<object>()
  let inUse = 0
  /** Calls that wait for a connection which is in use, because the server gives no further one. The first came first. */
  const waiting = new Set<() => void>()
  function wakeNext(): void {
    const [next] = waiting
    if (next === undefined) return
    waiting.delete(next)
    next()
  }
  /** Waits until a connection is given back. One that no longer waits passes its turn on. */
  async function untilGivenBack(milliseconds: number, lateOf: () => Error): Promise<void> {
    let wake = (): void => {}
    const woken = new Promise<void>((resolve) => (wake = resolve))
    waiting.add(wake)
    try {
      await inTime(woken, milliseconds, lateOf)
    } catch (fault) {
      if (!waiting.delete(wake)) wakeNext()
      throw fault
    }
  }
  function giveBack(how: () => void): void {
    inUse--
    how()
    wakeNext()
  }
  async function setUp(connection: PoolConnection): Promise<void> {
    const session = connection.connection ?? connection
    if (ready.has(session)) return
    for (const sql of SESSION) await send(connection, sql)
    await send(connection, CLUSTER_SESSION).catch((fault: unknown) => {
      if (!isUnknownVariable(fault)) throw fault
    })
    ready.add(session)
  }
  async function connect(): Promise<PoolConnection> {
    for (const from = performance.now(); ;) {
      const asked = pool.getConnection()
      try {
        const connection = await answerOf(asked)
        inUse++
        return connection
      } catch (fault) {
        // One that comes later is not kept from others.
        asked.then((connection) => connection.release()).catch(() => {})
        const left = ANSWER_MILLISECONDS - (performance.now() - from)
        if (inUse === 0 || left <= 0 || !isFull(fault)) {
          // Nothing else would wake the next.
          wakeNext()
          throw fault
        }
        await untilGivenBack(left, () => fault as Error)
      }
    }
  }
  return async (work, isSingle) => {
    const connection = await connect()
    try {
      await setUp(connection)
      if (!isSingle) await send(connection, 'start transaction')
      const result = await work(runOn(connection))
      if (!isSingle) await send(connection, 'commit')
      giveBack(() => connection.release())
      return result
    } catch (fault) {
      const isUsable = await canContinue(connection, { fault })
      giveBack(() => (isUsable ? connection.release() : connection.destroy()))
      throw fault
    }
  }
}

/** Ends a transaction that failed. Only after a conflict is it known what state the connection is in. */
async function canContinue(
  connection: PoolConnection,
  { fault }: { readonly fault: unknown },
): Promise<boolean> {
  if (!isConflict(fault)) return false
  return send(connection, 'rollback').then(
    () => true,
    () => false,
  )
}

/** Servers have one of both names of the isolation level. */
export const SETTINGS = `show variables
  where variable_name in ('sql_mode', 'tx_isolation', 'transaction_isolation', 'wsrep_on', 'wsrep_sync_wait')`

/** Returns what has to be set, by the rows of {@link SETTINGS}. */
export function mistakeIn(rows: unknown): string | null {
  const pairs = (rows as readonly object[]).map((row) => Object.values(row).map(String))
  const settings = new Map(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]))
  const isolation = settings.get('transaction_isolation') ?? settings.get('tx_isolation') ?? ''
  if (!/STRICT_/.test(settings.get('sql_mode') ?? ''))
    return `set session sql_mode = 'STRICT_ALL_TABLES': the connection cuts what is too long`
  if (settings.get('wsrep_on') === 'ON' && settings.get('wsrep_sync_wait') === '0')
    return 'set session wsrep_sync_wait = 1: the connection reads old rows of the cluster'
  if (!/^(?:READ-COMMITTED|SERIALIZABLE)$/.test(isolation))
    return 'set session transaction isolation level read committed: the connection reads old rows'
  return null
}

const isNoSavepoint = isOneOf([1305])

/**
 * Runs each batch within a transaction that the host application began, on its connection of `mysql2/promise`. So what
 * hallpass stores is committed or rolled back with writes of the host. Create a store for each transaction.
 *
 * A batch that fails changes nothing: it is rolled back to a savepoint. A deadlock ends the whole transaction; then this
 * batch and each later one rejects. Repeat the transaction from its beginning.
 *
 * @param connection - a connection after its `beginTransaction`, whose session has a strict `sql_mode`, and the isolation
 *   level `read committed` or `serializable`, on a cluster also `wsrep_sync_wait = 1`. Otherwise the first change rejects and nothing is changed
 * @returns the option `batch` of each storage
 * @example
 * ```ts
 * import { createMysqlStore, fromTransaction } from 'hallpass/mysql'
 *
 * // In place of a connection: await pool.getConnection(), then await connection.beginTransaction()
 * const connection = { query: async () => [], execute: async () => [[]] }
 *
 * const store = createMysqlStore({ batch: fromTransaction(connection), site: 'school' })
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Driver
 */
export function fromTransaction(connection: {
  query(sql: string): Promise<unknown>
  execute(statement: {
    sql: string
    values: (string | number | null)[]
    rowsAsArray: boolean
    nestTables: boolean
    typeCast: boolean
  }): Promise<unknown>
}): MysqlBatch {
  const run = runOn(connection)
  let isChecked = false
  let ended: { readonly fault: unknown } | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function begin(): Promise<void> {
    if (!isChecked) {
      const mistake = mistakeIn(await run(SETTINGS, []))
      if (mistake !== null) throw new Error(`fromTransaction: before beginTransaction, ${mistake}`)
      isChecked = true
    }
    await send(connection, 'savepoint hallpass')
    // Without a transaction, the savepoint has ended already.
    await back().catch((fault: unknown) => {
      throw isNoSavepoint(fault)
        ? new Error(
            'fromTransaction: the connection has no transaction: call beginTransaction first',
          )
        : fault
    })
  }
  const back = (): Promise<unknown> => send(connection, 'rollback to savepoint hallpass')

  return (work, isSingle) => {
    // Batches of one connection would otherwise mix.
    const result = last.then(async () => {
      // Without the error itself, which would be taken for a conflict that a repetition may end.
      if (ended !== null)
        throw new Error(
          `the database has ended the transaction: repeat it (${String(ended.fault)})`,
        )
      if (isSingle) return work(run)
      await begin()
      try {
        return await work(run)
      } catch (fault) {
        await back().catch(() => (ended = { fault }))
        throw fault
      }
    })
    last = result.catch(() => {})
    return result
  }
}
