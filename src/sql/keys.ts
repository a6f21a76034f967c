import type { ClockMark, KeyRecord } from '../store/records.js'
import { type Database, decide, query } from './batch.js'
import { keeping } from './events.js'
import { parse, type Verb } from './rows.js'
import { type Guard, guard, insertion, statement, setsOf, unless, type Value } from './statement.js'

const keyRow = (key: KeyRecord): Readonly<Record<string, Value>> => ({
  state: key.state,
  active: key.state === 'active' ? 1 : null,
  sealed: key.sealedPrivateKey,
  created_at: key.createdAt,
  record: JSON.stringify(key),
})

export const listKeys: Verb<'listKeys'> = async (database) => {
  const rows = await query(
    database,
    'select record from hallpass_key where site = ? order by created_at, kid',
    database.site,
  )
  return rows.map((row) => parse(row['record']) as KeyRecord)
}

export const insertKey: Verb<'insertKey'> = async (database, key) => {
  const { site, dialect } = database
  const taken = guard('hallpass_key where site = ? and kid = ?', site, key.kid)
  const row = keyRow(key)
  return decide<'inserted' | 'exists'>(database, {
    turn: 'keys',
    look: statement(`select 1 as one from ${taken.from}${dialect.lock}`, ...taken.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? 'exists' : 'inserted'),
    won: 'inserted',
    writes: [insertion('hallpass_key', { site, kid: key.kid, ...row }, unless(taken))],
    own: statement(
      `select 1 as one from ${taken.from} and record = ?`,
      ...taken.parameters,
      row['record']!,
    ),
  })
}

/** Names no key if another one is active. MySQL needs the derived table. */
const ALONE = `and not exists (
  select 1 from (select distinct kid from hallpass_key where site = ? and active = 1 and kid <> ?) other)`

export const moveKey: Verb<'moveKey'> = async (database, { key, from, sealed = null }, events) => {
  const { site, dialect } = database
  const isActivated = key.state === 'active'
  const where = `site = ? and kid = ? and state = ?
    ${sealed === null ? '' : 'and sealed = ?'} ${isActivated ? ALONE : ''}`
  const parameters = [
    site,
    key.kid,
    from,
    ...(sealed === null ? [] : [sealed]),
    ...(isActivated ? [site, key.kid] : []),
  ]
  const row = keyRow(key)
  return decide<'moved' | 'conflict'>(database, {
    turn: 'keys',
    look: statement(
      `select 1 as one from hallpass_key where ${where}${dialect.lock}`,
      ...parameters,
    ),
    outcomeOf: (rows) => (rows.length > 0 ? 'moved' : 'conflict'),
    won: 'moved',
    writes: [
      ...keeping(database, events, guard(`hallpass_key where ${where}`, ...parameters)),
      statement(
        `update hallpass_key set ${setsOf(row)} where ${where}`,
        ...Object.values(row),
        ...parameters,
      ),
    ],
  })
}

/** The time by the clock of the database, in epoch seconds. */
export const timeOf = async (database: Database): Promise<number> => {
  if (database.now !== null) return database.now()
  const [row] = await query(database, `select ${database.dialect.now} as now`)
  return Number(row!['now'])
}

const leapText = ({ leap }: ClockMark): string | null =>
  leap === null ? null : JSON.stringify([leap.from, leap.to, leap.steadySeconds])

function leapOf(text: unknown): ClockMark['leap'] {
  if (text === null) return null
  const [from, to, steadySeconds] = parse(text) as [number, number, number]
  return { from, to, steadySeconds }
}

export const findClock: Verb<'findClock'> = async (database) => {
  const [row] = await query(
    database,
    `select ${database.dialect.now} as now, trusted_at, leap
     from (select 1 as one) base left join hallpass_clock on site = ?`,
    database.site,
  )
  const { now, trusted_at: trustedAt, leap } = row!
  return {
    now: database.now?.() ?? Number(now),
    mark: trustedAt === null ? null : { trustedAt: Number(trustedAt), leap: leapOf(leap) },
  }
}

export const moveClock: Verb<'moveClock'> = async (database, { from, to }, events) => {
  const { site, dialect } = database
  const row = { trusted_at: to.trustedAt, leap: leapText(to) }
  const leap = from === null ? null : leapText(from)
  const where = `site = ? and trusted_at = ? and ${leap === null ? 'leap is null' : 'leap = ?'}`
  const key = [site, from?.trustedAt ?? null, ...(leap === null ? [] : [leap])]
  const mayBe = (lock: string): Guard =>
    from === null
      ? unless(guard(`hallpass_clock where site = ?${lock}`, site))
      : guard(`hallpass_clock where ${where}${lock}`, ...key)
  const [may, locked] = [mayBe(''), mayBe(dialect.lock)]
  return decide<'moved' | 'conflict'>(database, {
    turn: 'clock',
    look: statement(`select 1 as one from ${locked.from}`, ...locked.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? 'moved' : 'conflict'),
    won: 'moved',
    writes: [
      ...keeping(database, events, may),
      from === null
        ? insertion('hallpass_clock', { site, ...row }, may)
        : statement(
            `update hallpass_clock set ${setsOf(row)} where ${where}`,
            ...Object.values(row),
            ...key,
          ),
    ],
  })
}

export const useOnce: Verb<'useOnce'> = async (database, { key, until, claim = null }) => {
  const { site, dialect } = database
  const used = guard('hallpass_use where site = ? and use_key = ?', site, key)
  return decide<'first' | 'again'>(database, {
    turn: key,
    look: statement(`select 1 as one from ${used.from}${dialect.lock}`, ...used.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? 'again' : 'first'),
    won: 'first',
    writes: [insertion('hallpass_use', { site, use_key: key, due_at: until, claim }, unless(used))],
    ...(claim !== null && {
      own: statement(`select 1 as one from ${used.from} and claim = ?`, site, key, claim),
    }),
  })
}

export const giveBack: Verb<'giveBack'> = async (database, { key, claim }) => {
  await query(
    database,
    'delete from hallpass_use where site = ? and use_key = ? and claim = ?',
    database.site,
    key,
    claim,
  )
}
