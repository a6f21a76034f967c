import type { Rules } from '../options/check.js'
import type { Batching, Database } from '../sql/batch.js'
import { databaseOf, sqlRules } from '../sql/options.js'
import type { Row, Statement } from '../sql/statement.js'
import { MYSQL } from './dialect.js'
import type { MysqlBatch } from './execute.js'
import { endOfWait, isTooLate, TOO_LATE } from '../store/deadline.js'
import { withoutChange } from '../store/guard.js'

/**
 * The options of a storage on MySQL or MariaDB.
 *
 * @inline
 */
export interface MysqlOptions {
  /** Runs a transaction: what {@link fromPool} or {@link fromTransaction} returned, or a function of yours. */
  readonly batch: MysqlBatch
  /**
   * The value of the `site` column of every row that it reads and writes, so that several sites can share a
   * database. Not blank, and 255 bytes at most.
   */
  readonly site: string
  /**
   * Returns a random number of at least 0 and less than 1, from which the pause before another run of a
   * batch is made. Default: the generator of the platform
   */
  readonly chance?: () => number
}

/** The rule of each option of a storage on MySQL. */
export const MYSQL_RULES: Rules<MysqlOptions> = sqlRules('fromPool(createPool(url))')

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes become text: the columns have no character set. */
function textOf(row: unknown): Row {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw new TypeError(
      'batch must give work a function that resolves to the rows of a statement, each an object without rowsAsArray of mysql2: docs/do/mysql.md has the recipe',
    )
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decoder.decode(value) : (value as unknown),
    ]),
  )
}

/** Runs the steps of a batch one after the other. */
const stepsOn =
  (batch: MysqlBatch): Batching =>
  (steps, isOver) => {
    const [first] = steps
    const until = endOfWait()
    const isSingle = steps.length === 1 && typeof first !== 'function'
    // A batch may have waited for its connection or for locks. Before it is committed, it can still be rolled back.
    const checkTime = (): void => {
      if (isTooLate(until)) throw withoutChange(new Error(TOO_LATE))
    }
    return batch(async (send) => {
      const run = async ({ sql, parameters }: Statement): Promise<readonly Row[]> => {
        const rows = await send(sql, parameters)
        return Array.isArray(rows) ? rows.map(textOf) : []
      }
      const results: (readonly Row[])[] = []
      for (const step of steps) {
        checkTime()
        const rows = await (typeof step === 'function' ? step(run) : run(step))
        results.push(rows)
        if (isOver?.(rows, results.length - 1) === true) break
      }
      if (!isSingle) checkTime()
      return results
    }, isSingle)
  }

/** Returns where the rows of a storage are, by its options. */
export const mysqlOf = ({
  batch,
  ...options
}: Partial<MysqlOptions> & {
  readonly batch: MysqlBatch
  readonly now?: (() => number) | null
}): Database => databaseOf(MYSQL, { batch: stepsOn(batch), ...options })
