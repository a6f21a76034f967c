import { randomFraction } from '../encoding/random.js'
import { checkOptions } from '../options/check.js'
import {
  appended,
  type Attempt,
  ATTEMPT_VERBS,
  type AttemptOutcome,
  type AttemptStore,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_OF_NETWORK,
  PLACE_DIGITS,
  placeOf,
  progressOf,
  replaces,
  searchTextOf,
  ANONYMOUS_SHARE,
} from '../clients/attempts/attempt.js'
import { refusingOthers } from '../store/guard.js'
import { createAsk } from './ask.js'
import { POSTGRES_RULES, type PostgresOptions, selected } from './execute.js'

/** How often an append is tried while other processes append to the same attempt. */
const TRIES = 5
/** New attempts after which the oldest beyond the bound of the site are deleted. */
const CREATED_BETWEEN = 50
const DELETED_TOGETHER = 1000

/** The order of a list, the newest first: {@link placeOf} in SQL. */
const PLACE = `(lpad(started_at::text, ${PLACE_DIGITS}, '0') || '.' || attempt_id) collate "C"`
const OUTCOME = `case when connected then 'connected' when waits_until > $2 then 'waiting' else 'stopped' end`
/** `$2` is the time, `$3` a text of the search, `$4` a client. Both may be null. */
const MATCHES = `site = $1 and ($3::text is null or position($3 in search) > 0)
  and ($4::text is null or client_id = $4)`
/**
 * The oldest attempts beyond a bound: first those without a person that are more than their share, and last those that
 * have connected.
 */
const beyond = (bound: number, where: string): string => `select attempt_id from (
    select attempt_id, connected, has_person, started_at,
      row_number() over (partition by has_person order by started_at desc, attempt_id) as place
    from hallpass_attempt where site = $1 ${where}) ranked
  order by connected desc, not has_person and place <= ${Math.ceil(bound * ANONYMOUS_SHARE)} desc,
    has_person desc, started_at desc, attempt_id
  offset ${bound} limit ${DELETED_TOGETHER}`
const OF_NETWORK = beyond(MAX_ATTEMPTS_OF_NETWORK, 'and network = $2 and not connected')
const OF_SITE = beyond(MAX_ATTEMPTS, '')

const INSERT = selected(
  `insert into hallpass_attempt (site, attempt_id, revision, last_at, client_id, connected,
     waits_until, search, attempt, network, has_person, started_at)
   values ($1, $2, 1, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, $11)
   on conflict do nothing returning 1`,
)
const UPDATE = selected(
  `update hallpass_attempt set revision = revision + 1, last_at = $3, client_id = $4,
     connected = $5, waits_until = $6, search = $7, attempt = $8::text::jsonb, network = $9, has_person = $10
   where site = $1 and attempt_id = $2 and revision = $11 returning 1`,
)

interface Row {
  readonly attempt_id: string
  readonly revision: number | string
  readonly attempt: Attempt
}

/**
 * Creates the storage of attempts to connect on PostgreSQL, in a table that {@link migratePostgres} creates. Its
 * bounds are those of `createMemoryAttempts` from hallpass/clients, and `maintain` deletes what is older than 30
 * days.
 *
 * @param options - see {@link PostgresOptions}
 * @returns the storage to pass to `defineSite` as `attempts`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresAttempts, type Execute } from 'hallpass/postgres'
 *
 * // In place of a database. With pg: (sql, parameters) => pool.query(sql, parameters)
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const attempts = createPostgresAttempts({ execute, site: 'school' })
 * await attempts.find('att_qTo0UaDHr9Zv7dRk') // => null
 * ```
 *
 * @group Storage
 */
export function createPostgresAttempts(options: PostgresOptions): AttemptStore {
  const {
    execute,
    site,
    chance = randomFraction,
  } = checkOptions('createPostgresAttempts', options, POSTGRES_RULES)
  const run = createAsk({ execute, chance })
  const ask = <Found>(
    verb: string,
    sql: string,
    parameters: unknown[],
  ): ReturnType<typeof run<Found>> => run<Found>({ verb, sql }, parameters)
  let created = 0

  /** Stores an attempt over the revision that was read, or as a new one. Returns whether it did. */
  async function write(attempt: Attempt, known: Row | undefined): Promise<boolean> {
    const { connected, waitsUntil, hasPerson } = progressOf(attempt)
    const { id, startedAt, lastAt, clientId, network } = attempt
    const values = [
      site,
      id,
      lastAt,
      clientId,
      connected,
      waitsUntil,
      searchTextOf(attempt),
      JSON.stringify(attempt),
      network,
      hasPerson,
    ]
    const { rows } =
      known === undefined
        ? await ask('attemptInsert', INSERT, [...values, startedAt])
        : await ask('attemptUpdate', UPDATE, [...values, known.revision])
    return rows.length > 0
  }

  const drop = (selection: string, ...parameters: unknown[]): Promise<unknown> =>
    ask(
      'attemptDrop',
      selected(
        `delete from hallpass_attempt where site = $1 and attempt_id = any(array(${selection})) returning 1`,
      ),
      [site, ...parameters],
    )

  async function makeRoom({ network }: Attempt): Promise<void> {
    if (network !== null) await drop(OF_NETWORK, network)
    created++
    if (created % CREATED_BETWEEN === 0) await drop(OF_SITE)
  }

  return refusingOthers<AttemptStore>(
    {
      async append(note) {
        const { id, joins } = note
        for (let attempt = 0; attempt < TRIES; attempt++) {
          const { rows } = await ask<Row>(
            'attemptRead',
            `select attempt_id, revision, attempt from hallpass_attempt
           where site = $1 and attempt_id in ($2, $3)`,
            [site, id, joins],
          )
          const known = rows.find(({ attempt_id }) => attempt_id === id)
          const joined = rows.find(({ attempt_id }) => attempt_id === joins)
          const next = appended((known ?? joined)?.attempt ?? null, note)
          // Another process appended in between, so that the attempt is read again.
          if (!(await write(next, known))) continue
          if (joined !== undefined && replaces(joined.attempt, next))
            await drop('select $2::text', joins)
          if (known === undefined) await makeRoom(next)
          return
        }
        throw new Error(`the attempt ${id} changed ${TRIES} times while a step was added`)
      },
      async find(id) {
        const { rows } = await ask<Row>(
          'attemptFind',
          'select attempt from hallpass_attempt where site = $1 and attempt_id = $2',
          [site, id],
        )
        return rows[0]?.attempt ?? null
      },
      async list({ search, clientId, outcome, before, limit, now }) {
        const asked = [site, now, search?.toLowerCase() ?? null, clientId]
        const { rows: sums } = await ask<{ outcome: AttemptOutcome; total: number | string }>(
          'attemptCount',
          `select count(*) as total, ${OUTCOME} as outcome from hallpass_attempt where ${MATCHES} group by 2`,
          asked,
        )
        const { rows } = await ask<Row>(
          'attemptList',
          `select attempt from hallpass_attempt
         where ${MATCHES} and ($5::text is null or ${OUTCOME} = $5) and ($6::text is null or ${PLACE} < $6)
         order by ${PLACE} desc limit $7`,
          [...asked, outcome, before, limit + 1],
        )
        const attempts = rows.slice(0, limit).map((row) => row.attempt)
        const counts = { connected: 0, stopped: 0, waiting: 0 }
        // Drivers return a bigint as text.
        for (const sum of sums) counts[sum.outcome] = Number(sum.total)
        return { attempts, next: rows.length > limit ? placeOf(attempts.at(-1)!) : null, counts }
      },
      async purge({ before, limit }) {
        const { rows } = await ask(
          'attemptPurge',
          selected(
            `delete from hallpass_attempt where site = $1 and attempt_id = any(array(
             select attempt_id from hallpass_attempt where site = $1 and last_at <= $2
             order by last_at limit $3 for update skip locked
           )) returning 1`,
          ),
          [site, before, limit],
        )
        return rows.length
      },
      async erase(texts) {
        const { rows } = await ask(
          'attemptErase',
          selected(
            `delete from hallpass_attempt where site = $1 and exists (
             select from jsonb_array_elements_text($2::text::jsonb) t(text)
             where text <> '' and position(lower(text) in lower(attempt::text)) > 0
           ) returning 1`,
          ),
          [site, JSON.stringify(texts)],
        )
        return rows.length
      },
    },
    ATTEMPT_VERBS,
  )
}
