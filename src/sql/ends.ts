import { sha256Base64url } from '../encoding/hash.js'
import { type Database, type Lost, query, turnOf } from './batch.js'
import type { StoredEvent } from '../store/records.js'
import type { Change, Chosen, Turn } from './dialect.js'
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
 * Ends the codes that are open, where a batch is not one transaction. If one is being redeemed, this waits for it, and a
 * later statement finds its grant.
 *
 * @returns how many
 */
async function endOpenCodes(database: Database, codes: Chosen): Promise<number> {
  if (database.single === null) return 0
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

/** The number of rows, as an expression: of those of a kind, where all is one statement. */
const numberOf = (
  { single }: Database,
  kind: string,
  { table, where, parameters }: Chosen,
): Guard =>
  single === null
    ? guard(`(select count(*) from ${table} where ${where})`, ...parameters)
    : guard(`(select count(*) from ${kind})`)

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
  const alive = rowsWith(site, GRANT, holder, ' and revoked_at is null')
  const codes = rowsWith(site, CODE, holder, ' and redeemed_at is null')
  await endOpenCodes(database, codes)
  const { grants } = await count(database, [
    // A code is issued within the turn of its person.
    [null, database.single === null ? turnOf(database, turn) : []],
    [null, dialect.changing(rowsWith(site, CONSENT, holder), null)],
    // A redemption holds its code, so it is waited for here, and its grant is found below.
    [null, dialect.changing(codes, null)],
    [null, events === undefined ? [] : dialect.locking(alive)],
    [null, keeping(database, events, ALWAYS, numberOf(database, 'grants', alive))],
    ['grants', dialect.changing(alive, revoking(revokedAt, revokedReason))],
  ])
  return grants
}

export const revokeAllGrants: Verb<'revokeAllGrants'> = async (
  database,
  { issuedBefore, revokedAt, revokedReason, limit },
  events,
) => {
  const { site, dialect } = database
  const kinds = [
    ['pending', PENDING, 'due_at', 'created_at < ?'],
    // A remembered consent has no time.
    ['consents', CONSENT, 'consent_key', '? is not null'],
    ['codes', CODE, 'issued_at', 'redeemed_at is null and issued_at < ?'],
    ['grants', GRANT, 'created_at', 'revoked_at is null and created_at < ?'],
  ] as const
  const nothing =
    database.single === null
      ? kinds.map(([, [table], , where]) =>
          guard(`${table} where site = ? and ${where}`, site, issuedBefore),
        )
      : kinds.map(([kind]) => guard(kind))
  const done = guard(
    [ALWAYS.from, ...nothing.map(({ from }) => `not exists (select 1 from ${from})`)].join(' and '),
    ...nothing.flatMap(({ parameters }) => parameters),
  )
  return count(database, [
    [null, keeping(database, events, done)],
    ...kinds.map(
      ([kind, [table, key], order, where]) =>
        [
          kind,
          dialect.changing(
            {
              table,
              key,
              where: `site = ? and ${where}`,
              parameters: [site, issuedBefore],
              first: { order, limit },
            },
            kind === 'grants' ? revoking(revokedAt, revokedReason) : null,
          ),
        ] as const,
    ),
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
  const nameless = withoutPerson(database, subject)
  const isSingle = database.single !== null
  if (isSingle) await database.run([erasure])
  const ended = await endOpenCodes(database, codes)
  const counts = await count(database, [
    [null, isSingle ? [] : [...turnOf(database, { person: subject }), erasure]],
    ...(hints.length === 0 ? [] : [['pending', dialect.changing(pending, null)] as const]),
    ['consents', dialect.changing(rowsWith(site, CONSENT, { subject }), null)],
    // Codes before grants: a redemption holds its code.
    ['codes', dialect.changing(codes, null)],
    [null, events === undefined ? [] : dialect.locking(grants)],
    [null, keeping(database, events, ALWAYS, numberOf(database, 'grants', grants))],
    ['grants', dialect.changing(grants, null)],
    // At last, because each change before waits for those whose events name the person.
    [null, isSingle ? [] : nameless],
  ])
  if (isSingle) for (const one of nameless) await database.run([one])
  return { ...counts, codes: counts.codes + ended, pending: counts.pending ?? 0 }
}
