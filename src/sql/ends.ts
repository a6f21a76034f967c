import { sha256Base64url } from '../encoding/hash.js'
import { letOthersIn } from '../store/deadline.js'
import { type Database, type Lost, query, turnOf } from './batch.js'
import type { StoredEvent } from '../store/records.js'
import { type Change, type Chosen, fromChosen, orderBy, type Turn } from './dialect.js'
import { keeping, withoutPerson } from './events.js'
import { DAY_SECONDS, marks, type Verb } from './rows.js'
import {
  ALWAYS,
  comparedWith,
  type Guard,
  guard,
  insertion,
  type Statement,
  type Step,
  type Value,
} from './statement.js'

// Every batch locks in one order, so that no two wait for each other: turn, pending request, consent, code, grant, token.

/** A part of a batch. The last step of one with a name has the rows that are counted by it. */
type Part<Kind> = readonly [counted: Kind | null, steps: readonly Step[]]

/** How often codes are ended that others redeem at the same time. */
const ROUNDS = 20

/**
 * Runs a batch that changes as many rows as there are, and counts those of some of its parts.
 *
 * @throws the failure of a lost attempt, if that may have changed what is not found any more
 */
async function count<Kind extends string>(
  database: Database,
  parts: readonly Part<Kind>[],
): Promise<Record<Kind, number>> {
  const counts = {} as Record<Kind, number>
  const add = (kind: Kind, rows: number): void => {
    counts[kind] = (counts[kind] ?? 0) + rows
  }
  const { single } = database
  let lost: Lost
  if (single === null) {
    const answer = await database.run(parts.flatMap(([, steps]) => steps))
    let end = 0
    for (const [kind, steps] of parts) {
      end += steps.length
      if (kind !== null) add(kind, answer.results[end - 1]!.length)
    }
    lost = answer.lost
  } else {
    const answer = await single(database.run).count(
      parts.flatMap(([kind, steps]) => steps.map((step) => [kind, step as Statement] as const)),
    )
    for (const [kind, rows] of answer.counts) add(kind as Kind, rows)
    lost = answer.lost
  }
  if (lost !== null && Object.values(counts).every((one) => one === 0)) throw lost.fault
  return counts
}

/**
 * Ends the codes that are open. If one is being redeemed, this waits for it, and a later statement finds its grant.
 *
 * @returns how many
 */
async function endOpenCodes(database: Database, codes: Chosen): Promise<number> {
  let ended = 0
  for (let round = 0; round < ROUNDS; round++) {
    const open = await query(
      database,
      `select 1 as one from hallpass_code where ${codes.where} and redeemed_at is null limit 1`,
      ...codes.parameters,
    )
    if (open.length === 0) return ended
    const { results } = await database.run(database.dialect.changing(codes, null))
    ended += results.at(-1)!.length
  }
  throw new Error(`others redeemed codes ${ROUNDS} times`)
}

/**
 * Ends codes with what belongs to them, in the order of a batch. Where a batch is not one transaction, what comes first and
 * last is committed apart, a turn is not needed, and codes that are open end before the others.
 *
 * @returns how many rows of each kind, and how many codes ended before
 */
async function end<Kind extends string>(
  database: Database,
  {
    turn,
    first = [],
    codes,
    parts,
    last = [],
  }: {
    readonly turn: Turn
    readonly first?: readonly Statement[]
    readonly codes: Chosen
    readonly parts: readonly Part<Kind>[]
    readonly last?: readonly Statement[]
  },
): Promise<readonly [counts: Record<Kind, number>, before: number]> {
  if (database.single === null) {
    const all = [[null, [...turnOf(database, turn), ...first]], ...parts, [null, last]] as const
    return [await count<Kind>(database, all), 0]
  }
  for (const one of first) await database.run([one])
  const before = await endOpenCodes(database, codes)
  const counts = await count(database, parts)
  for (const one of last) await database.run([one])
  return [counts, before]
}

/** The rows of a kind that a change is for, as the source of another query of it. */
const sourceOf = ({ single }: Database, kind: string, rows: Chosen): Guard =>
  single === null ? fromChosen(rows) : guard(kind)

/** The number of grants that a change is for, with those that were changed before, as an expression. */
function numberOfGrants(database: Database, grants: Chosen, before = 0): Guard {
  const { from, parameters } = sourceOf(database, 'grants', grants)
  return guard(`(select ${before} + count(*) from ${from})`, ...parameters)
}

/** How many rows one step of a long change has, and how many steps there are at most. */
const STEP = 200
const STEPS = 100_000

/** Changes rows in steps, until no more than one step is left. Returns how many were changed. */
async function changeMost(
  database: Database,
  { index, order, ...rows }: Chosen & { readonly index: string; readonly order: string },
  change: Change,
): Promise<number> {
  const by = database.dialect.by(`${rows.table}_${index}`)
  const isMore = `select 1 as one from ${rows.table}${by} where ${rows.where}${orderBy(order)} limit 1 offset ${STEP}`
  let changed = 0
  for (let step = 0; step < STEPS; step++) {
    if ((await query(database, isMore, ...rows.parameters)).length === 0) return changed
    const { results } = await database.run(
      database.dialect.changing({ ...rows, first: { by, order, limit: STEP } }, change),
    )
    changed += results.at(-1)!.length
    await letOthersIn()
  }
  throw new Error(`others wrote further rows in each of ${STEPS} steps`)
}

/** Names rows of a table by its key, those of whose columns some have a value each. */
const rowsWith = (
  site: string,
  [table, key]: readonly [table: string, key: string],
  columns: Readonly<Record<string, Value>>,
  also = '',
): Chosen => ({
  table,
  key,
  where: comparedWith({ site, ...columns }).join(' and ') + also,
  parameters: [site, ...Object.values(columns)],
})

const CONSENT = ['hallpass_consent', 'consent_key'] as const
const CODE = ['hallpass_code', 'code_hash'] as const
const GRANT = ['hallpass_grant', 'grant_id'] as const
const PENDING = ['hallpass_pending', 'id_hash'] as const
const TOKENS = [
  ['hallpass_access_token', 'token_hash'],
  ['hallpass_refresh_token', 'token_hash'],
] as const

const revoking = (revokedAt: number, revokedReason: string): Change => ({
  sets: 'revoked_at = ?, revoked_reason = ?',
  parameters: [revokedAt, revokedReason],
})

export const revokeGrants: Verb<'revokeGrants'> = (
  database,
  { clientId, subject, ...ended },
  events,
) =>
  revokeThose(
    database,
    { holder: { client_id: clientId, subject }, turn: { person: subject }, ...ended },
    events,
  )

export const revokeGrantsOfClient: Verb<'revokeGrantsOfClient'> = (
  database,
  { clientId, ...ended },
  events,
) =>
  revokeThose(
    database,
    { holder: { client_id: clientId }, turn: { persons: 'all' }, ...ended },
    events,
  )

async function revokeThose(
  database: Database,
  {
    holder,
    turn,
    revokedAt,
    revokedReason,
  }: {
    readonly holder: Readonly<Record<string, string>>
    readonly turn: Turn
    readonly revokedAt: number
    readonly revokedReason: string
  },
  events?: readonly StoredEvent[],
): Promise<number> {
  const { site, dialect } = database
  const areMany = !('subject' in holder)
  // Without the sign, SQLite reads all grants of a client for one person, in an index that knows which are revoked.
  const alive = rowsWith(site, GRANT, holder, ` and ${areMany ? '' : '+'}revoked_at is null`)
  const codes = rowsWith(site, CODE, holder, ' and redeemed_at is null')
  const consents = rowsWith(site, CONSENT, holder)
  const revoked = revoking(revokedAt, revokedReason)
  // A person has few. Of many, those of a client, the last step is as atomic as of a few.
  // PostgreSQL is led to the index by its order, which MySQL does not know of a long text: it would sort all rows.
  const order = database.single === null ? '' : 'subject'
  if (areMany)
    for (const rows of [consents, codes])
      await changeMost(database, { ...rows, index: 'holder', order }, null)
  const before = areMany
    ? await changeMost(database, { ...alive, index: 'client', order: 'created_at' }, revoked)
    : 0
  const [{ grants }] = await end(database, {
    // A code is issued within the turn of its person.
    turn,
    codes,
    parts: [
      [null, dialect.changing(consents, null)],
      // A redemption holds its code, so it is waited for here, and its grant is found below.
      [null, dialect.changing(codes, null)],
      [null, events === undefined ? [] : dialect.locking(alive)],
      [null, keeping(database, events, ALWAYS, numberOfGrants(database, alive, before))],
      ['grants', dialect.changing(alive, revoked)],
    ],
  })
  return before + grants
}

export const revokeAllGrants: Verb<'revokeAllGrants'> = async (
  database,
  { issuedBefore, revokedAt, revokedReason, limit },
  events,
) => {
  const { site, dialect } = database
  const chosen = (
    [table, key]: readonly [table: string, key: string],
    order: string,
    where: string,
  ): Chosen => ({
    table,
    key,
    where: `site = ? and ${where}`,
    parameters: [site, issuedBefore],
    first: { order, limit },
  })
  const kinds = [
    ['pending', chosen(PENDING, 'hint', 'created_at < ?'), null],
    // A remembered consent has no time. SQLite would sort all of them by their key.
    [
      'consents',
      chosen(CONSENT, dialect.turn === null ? 'subject' : 'consent_key', '? is not null'),
      null,
    ],
    ['codes', chosen(CODE, 'issued_at', 'redeemed_at is null and issued_at < ?'), null],
    [
      'grants',
      chosen(GRANT, 'created_at', 'revoked_at is null and created_at < ?'),
      revoking(revokedAt, revokedReason),
    ],
  ] as const
  const sources = kinds.map(([kind, rows]) => sourceOf(database, kind, rows))
  const done = guard(
    [ALWAYS.from, ...sources.map(({ from }) => `not exists (select 1 from ${from})`)].join(' and '),
    ...sources.flatMap(({ parameters }) => parameters),
  )
  return count(database, [
    [null, keeping(database, events, done)],
    ...kinds.map(([kind, rows, change]) => [kind, dialect.changing(rows, change)] as const),
  ])
}

export const erasePerson: Verb<'erasePerson'> = async (
  database,
  { subject, loginHints, erasedAt },
  events,
) => {
  const { site, dialect } = database
  const grants = { ...rowsWith(site, GRANT, { subject }), parts: TOKENS }
  const hints = [...new Set(loginHints.map((hint) => hint.toLowerCase()))]
  const [table, key] = PENDING
  const where = `site = ? and hint in (${marks(hints)})`
  const pending: Chosen = { table, key, where, parameters: [site, ...hints] }
  const erasure = insertion(
    'hallpass_erasure',
    { site, subject_hash: sha256Base64url(subject), due_at: erasedAt + DAY_SECONDS },
    ALWAYS,
    'replace',
  )
  const codes = rowsWith(site, CODE, { subject })
  const [counts, before] = await end(database, {
    turn: { person: subject },
    first: [erasure],
    codes,
    parts: [
      ...(hints.length === 0 ? [] : [['pending', dialect.changing(pending, null)] as const]),
      ['consents', dialect.changing(rowsWith(site, CONSENT, { subject }), null)],
      // Codes before grants: a redemption holds its code.
      ['codes', dialect.changing(codes, null)],
      [null, events === undefined ? [] : dialect.locking(grants)],
      [null, keeping(database, events, ALWAYS, numberOfGrants(database, grants))],
      ['grants', dialect.changing(grants, null)],
    ],
    // Each change before waits for those whose events name the person.
    last: withoutPerson(database, subject),
  })
  return { ...counts, codes: counts.codes + before, pending: counts.pending ?? 0 }
}
