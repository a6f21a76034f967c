import { sha256Base64url } from '../encoding/hash.js'
import { endOfWait, isTooLate } from '../store/deadline.js'
import { StorageFailure, withoutChange } from '../store/guard.js'
import { type Execute, type QueryResult, rowsOf } from './execute.js'
import { saysTimeout, sqlStateOf } from './sqlstate.js'

/** How often a statement is tried that PostgreSQL rolled back because of others. */
const CONFLICTS = 12
/** How often a statement is asked again after its connection was lost. */
const LOSSES = 2
const LONGEST_PAUSE_MILLISECONDS = 64
/** How much of the hash of a statement its name has: 96 bits. */
const HASH_CHARACTERS = 16

/**
 * Rolled back for sure, because of a concurrent transaction: serialization failure, deadlock, a row that another one has
 * inserted since.
 */
const CONFLICT = /^(?:40001|40P01|23505)$/
/** The connection or the server ended, so that the statement may have been committed. */
const LOST = /^(?:08...|57P0[123]|40003)$/
/**
 * The connection has no such plan, or one that no longer fits: a migration changed the result of the statement, or
 * a pooler between both gave the connection to others. The statement was not run.
 */
const UNPREPARED = /^(?:0A000|26000|42P05)$/
/**
 * The statement was refused or rolled back for sure. Others, such as a fault of the disk or one of a proxy, say nothing
 * about the commit.
 */
const UNCHANGED = /^(?:2[2358]...|40001|40P01|42...|53...|55...|57014)$/
/** An earlier statement of the transaction failed, which the host application began. */
const ENDED_TRANSACTION = '25P02'
/** A table or a column is missing. */
const MISSING = /^(?:42P01|42703)$/

/** The rows of a statement, and what is known about its earlier attempts. */
interface Answer<Row> {
  readonly rows: readonly Row[]
  /** Why it is unknown whether an earlier attempt was committed; `null` if there is no such attempt. */
  readonly lost: Failure | null
}

interface Failure {
  readonly fault: unknown
}

/** A statement that is run again and again. */
interface Statement {
  /** The method that runs it, with which its name begins: at most 40 characters. */
  readonly verb: string
  readonly sql: string
}

/** Runs one statement. */
export type Ask = <Row>(statement: Statement, parameters: unknown[]) => Promise<Answer<Row>>

/** Thrown if the database lacks a table or a column. Its message is for the host application. */
class SchemaFailure extends StorageFailure {
  constructor(fault: unknown) {
    super(fault)
    this.message =
      'the storage failed: the database lacks a table or a column of this version of hallpass: call migratePostgres before the first request'
  }
}

/**
 * Returns a function that runs a statement until its outcome is known, with a bound on the attempts.
 *
 * A statement that was rolled back because of a concurrent transaction is run again. So is one whose
 * connection was lost; then `lost` tells the caller that the rows may be those of a second run. An error
 * that names a time limit is thrown, because a second wait would outlast the request.
 *
 * In a transaction of the host application nothing can be run again: the failure that ended it is thrown.
 *
 * A statement is sent with its name, under which the driver can keep its plan. It is run again without a name if
 * the plan no longer fits.
 *
 * @param options - `chance`: a random number of at least 0 and less than 1. The pause between two attempts
 *   is made of it, so that those who collided do not collide again
 */
export function createAsk({
  execute,
  chance,
}: {
  execute: Execute<QueryResult>
  chance: () => number
}): Ask {
  const names = new Map<string, string>()
  const nameOf = ({ verb, sql }: Statement): string => {
    const known = names.get(sql)
    if (known !== undefined) return known
    const name = `hp_${verb}_${sha256Base64url(sql).slice(0, HASH_CHARACTERS)}`
    names.set(sql, name)
    return name
  }

  return async <Row>(statement: Statement, parameters: unknown[]): Promise<Answer<Row>> => {
    const { sql } = statement
    let name: string | undefined = nameOf(statement)
    let lost: Failure | null = null
    let losses = 0
    let earlier: Failure | null = null
    const until = endOfWait()
    for (let attempt = 1; ; attempt++) {
      let result: QueryResult
      try {
        result = await execute(sql, parameters, name)
      } catch (fault) {
        const code = sqlStateOf(fault)
        if (code !== null && UNCHANGED.test(code)) withoutChange(fault)
        if (code === ENDED_TRANSACTION && earlier !== null) throw earlier.fault
        earlier = { fault }
        if (name !== undefined && code !== null && UNPREPARED.test(code)) {
          name = undefined
          continue
        }
        const isConflict = code !== null && CONFLICT.test(code)
        if (!isConflict && mayBeCommitted(code, fault)) {
          lost ??= { fault }
          losses++
        } else if (!isConflict) throw lost === null ? explained(code, fault) : lost.fault
        const failed = lost === null ? fault : lost.fault
        if (attempt >= CONFLICTS || losses > LOSSES) throw failed
        await pause(chance() * Math.min(2 ** attempt, LONGEST_PAUSE_MILLISECONDS))
        if (isTooLate(until)) throw failed
        continue
      }
      return { rows: rowsOf(result) as readonly Row[], lost }
    }
  }
}

// Drivers report a lost connection by an error of Node.js, or by one of their own without SQLSTATE.
function mayBeCommitted(code: string | null, fault: unknown): boolean {
  return code === null ? !saysTimeout(fault) : LOST.test(code)
}

const explained = (code: string | null, fault: unknown): unknown =>
  code !== null && MISSING.test(code) ? new SchemaFailure(fault) : fault

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
