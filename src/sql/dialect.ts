import { StorageFailure } from '../store/guard.js'
import { errorsIn } from '../store/wrapped-errors.js'
import {
  type Guard,
  insertions,
  statement,
  type Statement,
  type Step,
  type Value,
} from './statement.js'

/** Rows of a table that a change is for. */
export interface Chosen {
  readonly table: string
  /** The column that, with the site, names a row. */
  readonly key: string
  /** The condition; its first parameter is the site. */
  readonly where: string
  readonly parameters: readonly [site: string, ...others: Value[]]
  /** Only so many of them, in the order of a column, or, if it is empty, of the index `by` of {@link Dialect.by}. Default: all */
  readonly first?: { readonly by?: string; readonly order: string; readonly limit: number }
  /** The tables whose rows belong to them by the same column. Default: none */
  readonly parts?: readonly (readonly [table: string, key: string])[]
}

/** The columns of an update, each with a parameter; `null` deletes the rows, with their parts. */
export type Change = { readonly sets: string; readonly parameters: readonly Value[] } | null

/** The name of a turn. Those of persons are apart, so that taking all of them holds up nothing else. */
export type Turn = string | { readonly person: string } | { readonly persons: 'all' }

/** The differences between databases. */
export interface Dialect {
  /** The clock of the database, in epoch seconds. */
  readonly now: string
  /** Behind a query whose rows decide, so that no other batch changes them. */
  readonly lock: string
  /** Behind a table, the index by which a list is read; empty where the planner finds it. */
  readonly by: (index: string) => string
  /** Begins and ends an insertion into the outbox that skips a row whose key is taken. */
  readonly skip: readonly [begin: string, end: string]
  /** Ends the values of an event with its number, by its place in its change and the site; empty if the database numbers rows. */
  readonly sequenceOf: (index: number) => string
  /**
   * Takes a turn, which orders what rows that do not exist yet decide, or the turns of all persons; `null` if no other
   * batch runs, or a key decides. Part of a single statement, it is a gate: `is_closed` of its row is 1 if nothing may happen.
   */
  readonly turn: ((site: string, turn: Turn) => Statement | null) | null
  /** Holds a grant while its tokens change; `null` if no other batch runs. It is a gate too. */
  readonly hold: ((site: string, grantId: string) => Statement) | null
  /**
   * Orders seconds as an index of tokens does: by the day on PostgreSQL, which stores what is equal once, and every hour
   * would make an entry of its own.
   */
  readonly day: (seconds: string) => string
  /** Locks rows for a change that follows later. */
  readonly locking: (rows: Chosen) => readonly Step[]
  /** Changes rows. The last step has as many rows as were changed. */
  readonly changing: (rows: Chosen, change: Change) => readonly Step[]
  /** Inserts rows, each with a value for every column. */
  readonly inserting: typeof insertions
  /** Behind the statement that creates a table. */
  readonly engine: string
}

/** The differences between databases that run batches. */
export interface BatchDialect extends Dialect {
  /** For how long a batch is tried again, where each try may itself wait for others. */
  readonly patienceMilliseconds: number
  /** The function that creates the tables, for that message. */
  readonly migrate: string
  /** Whether the batch was rolled back for sure, because of others. */
  readonly isConflict: (fault: unknown) => boolean
  /** Whether the answer was lost, so that the batch may have been committed. */
  readonly isLost: (fault: unknown) => boolean
  /** Whether a table or a column is missing. */
  readonly isMissing: (fault: unknown) => boolean
}

/** Thrown if the database lacks a table or a column. Its message is for the host application. */
export class SchemaFailure extends StorageFailure {
  constructor(migrate: string, fault: unknown) {
    super(fault)
    this.message = `the storage failed: the database lacks a table or a column of this version of hallpass: call ${migrate} before the first request`
  }
}

export const orderBy = (column: string): string => column && ` order by ${column}`

/** The rows that are chosen, for a query of one column. */
export const fromChosen = ({ table, where, parameters, first }: Chosen): Guard => ({
  from: `${table}${first?.by ?? ''} where ${where}${first === undefined ? '' : `${orderBy(first.order)} limit ?`}`,
  parameters: first === undefined ? parameters : [...parameters, first.limit],
})

/** SQLITE_BUSY and SQLITE_LOCKED, to which a driver may have added 256 times something. */
const BUSY = [5, 6]
const PRIMARY_CODES = 256
const LOCKED = /SQLITE_BUSY|SQLITE_LOCKED|database (?:table |schema )?is locked/
/** Texts of D1, libSQL and Node.js. A time limit is not among them: a second wait would outlast the request. */
const LOST =
  /network connection lost|object to be reset|code was updated|D1_ERROR: internal error|ECONNRESET|EPIPE|socket hang up|fetch failed|HRANA_WEBSOCKET_ERROR|HRANA_CLOSED_ERROR/i
const MISSING = /no such (?:table|column)|has no column named/

export const says =
  (pattern: RegExp) =>
  (fault: unknown): boolean =>
    errorsIn(fault).some(({ code, message }) => pattern.test(`${String(code)} ${String(message)}`))

function changing(rows: Chosen, change: Change): readonly Step[] {
  const { table, key, parameters, parts = [] } = rows
  const { from, parameters: all } = fromChosen(rows)
  const deletions = change === null ? parts : []
  const [verb, sets] =
    change === null
      ? [`delete from ${table}`, []]
      : [`update ${table} set ${change.sets}`, change.parameters]
  return [
    ...deletions.map(([part]) =>
      statement(
        `delete from ${part} where site = ? and ${key} in (select ${key} from ${from})`,
        parameters[0],
        ...all,
      ),
    ),
    rows.first === undefined
      ? statement(`${verb} where ${rows.where} returning 1 as one`, ...sets, ...parameters)
      : statement(
          `${verb} where site = ? and ${key} in (select ${key} from ${from}) returning 1 as one`,
          ...sets,
          parameters[0],
          ...all,
        ),
  ]
}

export const SQLITE: BatchDialect = {
  now: 'unixepoch()',
  lock: '',
  by: (index) => ` indexed by ${index}`,
  skip: ['insert or ignore', ''],
  sequenceOf: () => '',
  turn: null,
  hold: null,
  day: (seconds) => seconds,
  locking: () => [],
  changing,
  inserting: insertions,
  patienceMilliseconds: Infinity,
  engine: '',
  migrate: 'migrateSqlite',
  isConflict: (fault) =>
    says(LOCKED)(fault) ||
    errorsIn(fault).some(({ errcode }) => BUSY.includes(Number(errcode) % PRIMARY_CODES)),
  isLost: says(LOST),
  isMissing: says(MISSING),
}
