import { endOfWait, isTooLate, TOO_LATE, whileWaiting } from '../store/deadline.js'
import { withoutChange } from '../store/guard.js'
import type { Store } from '../store/store.js'
import { type BatchDialect, type Dialect, SchemaFailure, type Turn } from './dialect.js'
import { type Row, statement, type Statement, type Step, type Value } from './statement.js'

/** How often a batch is tried that the database refused because of others: with the pauses, about a second. */
const TRIES = 240
/** The part of the time for which a caller waits in which a batch is begun. The rest is for its answer. */
const PART_TO_BEGIN = 0.75
/** How often a batch is run again after its answer was lost. */
const LOSSES = 2
const LONGEST_PAUSE_MILLISECONDS = 8
/** How often a change is decided that found its row as it had to be, and others changed it first. */
const LOOKS = 20

/**
 * Runs SQL statements with the parameters `?`, in order, as one serializable transaction: all of them or none. Returns
 * the rows of each statement, or a promise of them. You write it around a driver for which there is no function here.
 *
 * A single statement needs no transaction of its own. `isOver` is called with the rows of the first one: if it returns
 * `true`, the batch may end there, because the others would change nothing.
 *
 * On failure it must reject with the driver's error. The storage repeats a batch that failed because the database was
 * locked, so it neither waits nor repeats by itself.
 *
 * @group Driver
 */
export interface Batch {
  (
    statements: readonly {
      readonly sql: string
      readonly parameters: readonly (string | number | null)[]
    }[],
    isOver?: (rows: readonly Readonly<Record<string, unknown>>[]) => boolean,
  ): Promise<readonly (readonly unknown[])[]> | readonly (readonly unknown[])[]
  /**
   * The promises of the driver, which become those of the store. Default: `survives the process`, `latest`, `process` and
   * `one computer`. For a function of yours: `Object.assign(batch, { guarantees })`.
   */
  readonly guarantees?: Store['guarantees']
}

/** The rows of each statement of a batch, and what is known about its earlier attempts. */
interface Answer {
  readonly results: readonly (readonly Row[])[]
  readonly lost: Lost
}

/** Runs the steps of a batch. `isOver` may receive the number of the step, which is 0 by default. */
export type Batching = (
  steps: readonly Step[],
  isOver?: (rows: readonly Row[], step?: number) => boolean,
) => ReturnType<Batch>

/** Runs a batch until its outcome is known, with a bound on the attempts. */
export type Run = (...batch: Parameters<Batching>) => Promise<Answer>

/** The rows of one site, and how they are reached. */
export interface Database {
  readonly run: Run
  readonly dialect: Dialect
  /** Runs a change as one statement, where the statements of a batch may be committed apart; `null` elsewhere. */
  readonly single: ((run: Run) => Single) | null
  readonly site: string
  /** The time in epoch seconds, in place of that of the database; `null` outside of tests. */
  readonly now: (() => number) | null
}

/**
 * Returns a function that runs a batch again if the database was locked, after a pause in which other requests continue:
 * SQLite itself would wait by blocking the process. A batch whose answer was lost is run again too; then `lost` tells
 * the caller that the rows may be those of a second run.
 *
 * @param options - `chance`: a random number of at least 0 and less than 1. Each pause is made of it, so that those who
 *   collided do not collide again
 */
export function createRun({
  batch,
  dialect,
  chance,
}: {
  batch: Batching
  dialect: BatchDialect
  chance: () => number
}): Run {
  return async (steps, isOver) => {
    const begin = performance.now()
    const until = endOfWait()
    if (isTooLate(until)) throw new Error(TOO_LATE)
    const patience = Math.min(
      dialect.patienceMilliseconds,
      until === null ? Infinity : PART_TO_BEGIN * (until - begin),
    )
    let lost: Lost = null
    let losses = 0
    for (let attempt = 1; ; attempt++) {
      let fault: unknown
      try {
        return { results: checked(await whileWaiting(until, () => batch(steps, isOver))), lost }
      } catch (thrown) {
        fault = thrown
        if (dialect.isConflict(fault)) withoutChange(fault)
        else if (dialect.isLost(fault)) {
          lost ??= { fault }
          losses++
        } else throw lost === null ? explained(dialect, fault) : lost.fault
      }
      const milliseconds = chance() * Math.min(2 ** attempt, LONGEST_PAUSE_MILLISECONDS)
      const isLast = attempt >= TRIES || losses > LOSSES
      if (!isLast) await new Promise((resolve) => setTimeout(resolve, milliseconds))
      // Behind the pause, which is longer on a busy machine.
      const waited = performance.now() - begin
      if (isLast || waited > patience) throw lost === null ? fault : lost.fault
    }
  }
}

const explained = (dialect: BatchDialect, fault: unknown): unknown =>
  dialect.isMissing(fault) ? new SchemaFailure(dialect.migrate, fault) : fault

// The host application may supply the batch, so the result may be anything.
function checked(results: unknown): readonly (readonly Row[])[] {
  if (Array.isArray(results) && results.every((rows) => Array.isArray(rows)))
    return results as readonly (readonly Row[])[]
  throw new TypeError('batch must resolve to the rows of each statement, as an array of arrays')
}

/** Runs changes as one statement. All its parts see the same rows, those before the change. */
export interface Single {
  /** The last write decides, unless a gate is closed: then the others happen too. `look` says what there was before. */
  readonly decide: (change: {
    readonly gates: readonly Statement[]
    readonly look: Statement
    readonly writes: readonly Statement[]
  }) => Promise<{ readonly looked: readonly Row[]; readonly isWon: boolean; readonly lost: Lost }>
  /** Changes rows, and counts those of each kind. The others can refer to the rows of a kind by its name. */
  readonly count: (
    parts: readonly (readonly [kind: string | null, change: Statement])[],
  ) => Promise<{
    readonly counts: readonly (readonly [kind: string, rows: number])[]
    readonly lost: Lost
  }>
}

/** Why it is unknown whether an earlier attempt was committed; `null` if there is no such attempt. */
export type Lost = { readonly fault: unknown } | null

/** Runs one query. */
export const query = async (
  { run }: Database,
  sql: string,
  ...parameters: readonly Value[]
): Promise<readonly Row[]> => (await run([statement(sql, ...parameters)])).results[0]!

/** A change with one winner. */
interface Decision<Outcome> {
  /** Orders what rows that do not exist yet decide. Default: a row that exists decides. */
  readonly turn?: Turn
  /** The grant that is held before, so that all lock in one order: turn, pending request, consent, code, grant, token. */
  readonly grantId?: string
  /** The query whose rows say the outcome, before anything is changed. */
  readonly look: Statement
  readonly outcomeOf: (rows: readonly Row[]) => Outcome
  readonly won: Outcome
  /** Removes what is in the way of the changes, and says nothing any more. Default: nothing is. */
  readonly clearing?: Statement
  /** The changes if the outcome is `won`. Each has the condition of the query in itself, and the last one ends it. */
  readonly writes: readonly Statement[]
  /** Finds what only this caller can have written, after a lost answer. Default: then the outcome is unknown. */
  readonly own?: Statement
}

/**
 * Looks, and changes something for exactly one caller, in one batch.
 *
 * @throws the failure of the lost attempt, if the outcome is unknown
 */
export async function decide<Outcome>(
  database: Database,
  { turn, grantId, look, outcomeOf, won, clearing, writes, own }: Decision<Outcome>,
): Promise<Outcome> {
  const before = [...turnOf(database, turn), ...holdOf(database, grantId)]
  /** The outcome, where someone else may have changed what was looked at. */
  async function settled({ isWon, lost }: { isWon: boolean; lost: Lost }): Promise<boolean> {
    if (isWon || lost === null) return isWon
    if (own === undefined) throw lost.fault
    const found = await query(database, own.sql, ...own.parameters).catch(() => {
      throw lost.fault
    })
    return found.length > 0
  }
  if (database.single === null) {
    const { results, lost } = await database.run(
      [...before, look, ...(clearing === undefined ? [] : [clearing]), ...writes],
      (rows, step = 0) => step === before.length && outcomeOf(rows) !== won,
    )
    const outcome = outcomeOf(results[before.length]!)
    return (await settled({ isWon: outcome === won, lost })) ? won : outcome
  }
  const single = database.single(database.run)
  for (let round = 0; round < LOOKS; round++) {
    const { looked, ...done } = await single.decide({ gates: before, look, writes })
    if (await settled(done)) return won
    const outcome = outcomeOf(looked)
    // Otherwise someone else was first, since that look.
    if (outcome !== won) return outcome
    if (clearing !== undefined) await database.run([clearing])
  }
  throw new Error(`others were first ${LOOKS} times`)
}

/** Takes a turn by its name, that of a person, or those of all persons of the site. */
export function turnOf({ dialect, site }: Database, turn: Turn | undefined): readonly Statement[] {
  const taken = turn === undefined || dialect.turn === null ? null : dialect.turn(site, turn)
  return taken === null ? [] : [taken]
}

const holdOf = ({ dialect, site }: Database, grantId: string | undefined): readonly Statement[] =>
  grantId === undefined || dialect.hold === null ? [] : [dialect.hold(site, grantId)]
