import { StorageFailure } from '../store/guard.js'
import { errorsIn } from '../store/wrapped-errors.js'
import type { Statement } from './statement.js'

/** The differences between databases. */
export interface Dialect {
  /** The clock of the database, in epoch seconds. */
  readonly now: string
  /** Behind a query whose rows decide, so that no other batch changes them. */
  readonly lock: string
  /** Behind a change whose rows are counted. */
  readonly returning: string
  /** Begins an insertion that skips a row whose key is taken. */
  readonly skip: string
  /** Takes a turn by a name, which orders what rows that do not exist yet decide; `null` if no other batch runs. */
  readonly turn: ((site: string, name: string) => Statement) | null
  /** The function that creates the tables, for the operator. */
  readonly migrate: string
  /** Whether the batch was rolled back for sure, because of others. */
  readonly isConflict: (fault: unknown) => boolean
  /** Whether the answer was lost, so that the batch may have been committed. */
  readonly isLost: (fault: unknown) => boolean
  /** Whether a table or a column is missing. */
  readonly isMissing: (fault: unknown) => boolean
}

/** Thrown if the database lacks a table or a column. Its message is for the operator. */
export class SchemaFailure extends StorageFailure {
  constructor(migrate: string, fault: unknown) {
    super(fault)
    this.message = `the storage failed: the database lacks a table or a column of this version of hallpass: call ${migrate} before the first request`
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED, to which a driver may have added 256 times something. */
const BUSY = [5, 6]
const PRIMARY_CODES = 256
const LOCKED = /SQLITE_BUSY|SQLITE_LOCKED|database (?:table |schema )?is locked/
/** Texts of D1, libSQL and Node.js. A time limit is not among them: a second wait would outlast the request. */
const LOST =
  /network connection lost|object to be reset|code was updated|D1_ERROR: internal error|ECONNRESET|EPIPE|socket hang up|fetch failed|HRANA_WEBSOCKET_ERROR|HRANA_CLOSED_ERROR/i
const MISSING = /no such (?:table|column)|has no column named/

const says =
  (pattern: RegExp) =>
  (fault: unknown): boolean =>
    errorsIn(fault).some(({ code, message }) => pattern.test(`${String(code)} ${String(message)}`))

export const SQLITE: Dialect = {
  now: 'unixepoch()',
  lock: '',
  returning: ' returning 1 as one',
  skip: 'insert or ignore',
  turn: null,
  migrate: 'migrateSqlite',
  isConflict: (fault) =>
    says(LOCKED)(fault) ||
    errorsIn(fault).some(({ errcode }) => BUSY.includes(Number(errcode) % PRIMARY_CODES)),
  isLost: says(LOST),
  isMissing: says(MISSING),
}
