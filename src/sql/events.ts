import { sha256Base64url } from '../encoding/hash.js'
import { EVENT_SECONDS, type StoredEvent } from '../store/records.js'
import { type Database, decide, query } from './batch.js'
import { marks, parse, parts, type Verb } from './rows.js'
import { type Guard, statement, type Statement } from './statement.js'

/** The members of an event that may name a person. They are columns and not in the record, so an erasure reaches them. */
const NAMES = ['subject', 'actor'] as const

/** JSON, so that `null`, a text and an absent member differ, and no driver cuts it at a NUL. */
const nameText = (name: unknown): string => JSON.stringify(name)

/**
 * Keeps events if a guard has a row.
 *
 * @param count - an expression for their member `grants`. Default: they have none
 */
export const keeping = (
  { dialect, site }: Database,
  events: readonly StoredEvent[] | undefined,
  { from, parameters }: Guard,
  count?: Guard,
): readonly Statement[] =>
  (events ?? []).map((event, index) => {
    const [begin, end] = dialect.skip
    const { subject: _subject, actor: _actor, ...record } = event
    const number = dialect.sequenceOf(index)
    const into = `${begin} into hallpass_outbox (site, event_hash, due_at, subject, actor, record, grants${number && ', seq'})
      select ?, ?, ?, ?, ?, ?, ${count?.from ?? 'null'}${number}`
    const values = [
      site,
      sha256Base64url(event.id),
      event.at + EVENT_SECONDS,
      ...NAMES.map((name) => (name in event ? nameText(event[name]) : null)),
      JSON.stringify(record),
      ...(count?.parameters ?? []),
      ...(number ? [site] : []),
    ]
    return {
      ...statement(`${into} from ${from}${end}`, ...values, ...parameters),
      decided: statement(`${into} where 1 = 1${end}`, ...values),
    }
  })

/** Takes the name of a person out of the events that are kept. */
export const withoutPerson = ({ site }: Database, person: string): readonly Statement[] =>
  NAMES.map((name) =>
    statement(
      `update hallpass_outbox set ${name} = ? where site = ? and ${name} = ?`,
      nameText(null),
      site,
      nameText(person),
    ),
  )

export const listEvents: Verb<'listEvents'> = async (database, { limit }) => {
  const rows = await query(
    database,
    'select record, subject, actor, grants from hallpass_outbox where site = ? order by seq limit ?',
    database.site,
    limit,
  )
  return rows.map((row) => ({
    ...(parse(row['record']) as StoredEvent),
    ...Object.fromEntries(
      NAMES.filter((name) => row[name] !== null).map((name) => [name, parse(row[name])]),
    ),
    ...(row['grants'] !== null && { grants: Number(row['grants']) }),
  }))
}

export const deleteEvents: Verb<'deleteEvents'> = async (database, ids) => {
  for (const some of parts(ids))
    await database.run(
      database.dialect.changing(
        {
          table: 'hallpass_outbox',
          key: 'seq',
          where: `site = ? and event_hash in (${marks(some)})`,
          parameters: [database.site, ...some.map(sha256Base64url)],
        },
        null,
      ),
    )
}

/**
 * Changes a row for exactly one caller, with events, if there is one that meets a condition. Afterwards none does.
 *
 * @param outcomes - that of this caller, and that of every other
 */
export const decideByRow = <Won extends string, Lost extends string>(
  database: Database,
  row: Guard,
  {
    outcomes: [won, lost],
    events,
    change,
    before = [],
    own,
  }: {
    readonly outcomes: readonly [Won, Lost]
    readonly events: readonly StoredEvent[] | undefined
    readonly change: Statement
    /** Further changes, under the same condition. Default: none */
    readonly before?: readonly Statement[]
    /** Finds what only this caller can have written: see {@link decide}. */
    readonly own?: Statement
  },
): Promise<Won | Lost> =>
  decide<Won | Lost>(database, {
    look: statement(`select 1 as one from ${row.from}${database.dialect.lock}`, ...row.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? won : lost),
    won,
    writes: [...keeping(database, events, row), ...before, change],
    ...(own !== undefined && { own }),
  })
