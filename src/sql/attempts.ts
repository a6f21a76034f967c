import {
  ANONYMOUS_SHARE,
  appended,
  type Attempt,
  ATTEMPT_VERBS,
  type AttemptNote,
  type AttemptOutcome,
  type AttemptStore,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_OF_NETWORK,
  placeOf,
  progressOf,
  replaces,
  searchTextOf,
} from '../clients/attempts/attempt.js'
import { refusingOthers } from '../store/guard.js'
import { type Database, decide, query } from './batch.js'
import type { Chosen } from './dialect.js'
import { parse } from './rows.js'
import { guard, insertion, type Row, statement, unless, type Value, setsOf } from './statement.js'

/** How often an append is tried while other processes append to the same attempt. */
const TRIES = 5
/** New attempts after which the oldest beyond the bound of the site are deleted. */
const CREATED_BETWEEN = 50
const DELETED_TOGETHER = 1000

const OUTCOME = `case when connected = 1 then 'connected' when waits_until > ? then 'waiting' else 'stopped' end`

/**
 * The oldest attempts beyond a bound: first those without a person that are more than their share, and last those that
 * have connected.
 */
const beyond = (bound: number, where: string): string => `attempt_id in (select attempt_id from (
  select attempt_id from (
    select attempt_id, connected, has_person, place,
      row_number() over (partition by has_person order by place desc) as number
    from hallpass_attempt where site = ? ${where}) ranked
  order by connected desc,
    case when has_person = 0 and number <= ${Math.ceil(bound * ANONYMOUS_SHARE)} then 1 else 0 end desc,
    has_person desc, place desc
  limit ${DELETED_TOGETHER} offset ${bound}) over_bound)`
const OF_NETWORK = beyond(MAX_ATTEMPTS_OF_NETWORK, 'and network = ? and connected = 0')
const OF_SITE = beyond(MAX_ATTEMPTS, '')

const attemptOf = (row: Row): Attempt => parse(row['attempt']) as Attempt

function attemptRow(attempt: Attempt): Readonly<Record<string, Value>> {
  const { connected, waitsUntil, hasPerson } = progressOf(attempt)
  const text = JSON.stringify(attempt)
  return {
    place: placeOf(attempt),
    last_at: attempt.lastAt,
    client_id: attempt.clientId,
    network: attempt.network,
    connected: connected ? 1 : 0,
    has_person: hasPerson ? 1 : 0,
    waits_until: waitsUntil,
    search: searchTextOf(attempt),
    // The lower case of a database is that of ASCII.
    folded: text.toLowerCase(),
    attempt: text,
  }
}

/** Stores an attempt over the revision that was read, or as a new one. Returns whether it did. */
async function write(
  database: Database,
  attempt: Attempt,
  known: Row | undefined,
): Promise<boolean> {
  const { site, dialect } = database
  const row = attemptRow(attempt)
  const stored = guard('hallpass_attempt where site = ? and attempt_id = ?', site, attempt.id)
  const revision = known === undefined ? null : Number(known['revision'])
  return decide(database, {
    turn: attempt.id,
    look: statement(`select revision from ${stored.from}${dialect.lock}`, ...stored.parameters),
    outcomeOf: ([found]) => (found === undefined ? null : Number(found['revision'])) === revision,
    won: true,
    writes: [
      revision === null
        ? insertion(
            'hallpass_attempt',
            { site, attempt_id: attempt.id, revision: 1, ...row },
            unless(stored),
          )
        : statement(
            `update hallpass_attempt set revision = revision + 1, ${setsOf(row)}
             where site = ? and attempt_id = ? and revision = ?`,
            ...Object.values(row),
            ...stored.parameters,
            revision,
          ),
    ],
    // Another process may have appended. Steps are not added twice, so the attempt is read and stored again.
    own: statement('select 1 as one from hallpass_attempt where 1 = 0'),
  })
}

async function drop(
  { run, dialect, site }: Database,
  where: string,
  parameters: readonly Value[],
  first?: Chosen['first'],
): Promise<number> {
  const { results } = await run(
    dialect.changing(
      {
        table: 'hallpass_attempt',
        key: 'attempt_id',
        where: `site = ? and ${where}`,
        parameters: [site, ...parameters],
        ...(first && { first }),
      },
      null,
    ),
  )
  return results.at(-1)!.length
}

async function append(
  database: Database,
  note: AttemptNote,
): Promise<{ isNew: boolean; attempt: Attempt }> {
  const { id, joins } = note
  for (let round = 0; round < TRIES; round++) {
    const rows = await query(
      database,
      'select attempt_id, revision, attempt from hallpass_attempt where site = ? and attempt_id in (?, ?)',
      database.site,
      id,
      joins ?? id,
    )
    const known = rows.find(({ attempt_id }) => attempt_id === id)
    const joined = joins === null ? undefined : rows.find(({ attempt_id }) => attempt_id === joins)
    const found = known ?? joined
    const attempt = appended(found === undefined ? null : attemptOf(found), note)
    // Another process appended in between, so that the attempt is read again.
    if (!(await write(database, attempt, known))) continue
    if (joined !== undefined && replaces(attemptOf(joined), attempt))
      await drop(database, 'attempt_id = ?', [joins])
    return { isNew: known === undefined, attempt }
  }
  throw new Error(`the attempt ${id} changed ${TRIES} times while a step was added`)
}

/** Creates the storage of attempts to connect. */
export function createSqlAttempts(database: Database): AttemptStore {
  const { site } = database
  let created = 0
  return refusingOthers<AttemptStore>(
    {
      async append(note) {
        const { isNew, attempt } = await append(database, note)
        if (!isNew) return
        if (attempt.network !== null) await drop(database, OF_NETWORK, [site, attempt.network])
        created++
        if (created % CREATED_BETWEEN === 0) await drop(database, OF_SITE, [site])
      },
      async find(id) {
        const [row] = await query(
          database,
          'select attempt from hallpass_attempt where site = ? and attempt_id = ?',
          site,
          id,
        )
        return row === undefined ? null : attemptOf(row)
      },
      async list({ search, clientId, outcome, before, limit, now }) {
        const where = `site = ? ${search === null ? '' : 'and instr(search, ?) > 0'}
        ${clientId === null ? '' : 'and client_id = ?'}`
        const asked = [
          site,
          ...(search === null ? [] : [search.toLowerCase()]),
          ...(clientId === null ? [] : [clientId]),
        ]
        const { results } = await database.run([
          statement(
            `select count(*) as total, outcome from (
             select ${OUTCOME} as outcome from hallpass_attempt where ${where}) its
           group by outcome`,
            now,
            ...asked,
          ),
          statement(
            `select attempt from hallpass_attempt where ${where}
             ${outcome === null ? '' : `and ${OUTCOME} = ?`} ${before === null ? '' : 'and place < ?'}
           order by place desc limit ?`,
            ...asked,
            ...(outcome === null ? [] : [now, outcome]),
            ...(before === null ? [] : [before]),
            limit + 1,
          ),
        ])
        const [sums, rows] = [results[0]!, results[1]!]
        const attempts = rows.slice(0, limit).map(attemptOf)
        const counts = { connected: 0, stopped: 0, waiting: 0 }
        for (const sum of sums) counts[sum['outcome'] as AttemptOutcome] = Number(sum['total'])
        return { attempts, next: rows.length > limit ? placeOf(attempts.at(-1)!) : null, counts }
      },
      async purge({ before, limit }) {
        return drop(database, 'last_at <= ?', [before], { order: 'last_at', limit })
      },
      async erase(texts) {
        let erased = 0
        for (const text of new Set(texts.map((one) => one.toLowerCase())))
          if (text !== '') erased += await drop(database, 'instr(folded, ?) > 0', [text])
        return erased
      },
    },
    ATTEMPT_VERBS,
  )
}
