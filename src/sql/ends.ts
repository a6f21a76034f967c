import { sha256Base64url } from '../encoding/hash.js'
import { type Database, turnOf } from './batch.js'
import { keeping, withoutPerson } from './events.js'
import { DAY_SECONDS, firstOf, type Verb } from './rows.js'
import { ALWAYS, type Guard, guard, insertion, statement, type Statement } from './statement.js'

/**
 * Runs a batch that changes as many rows as there are, and counts those of some of its statements.
 *
 * @param counted - the statements to count, by their name
 * @throws the failure of a lost attempt, if that may have changed what is not found any more
 */
async function count<Kind extends string>(
  database: Database,
  {
    before = [],
    counted,
    behind: last = [],
  }: {
    before?: readonly Statement[]
    counted: readonly (readonly [Kind, Statement])[]
    behind?: readonly Statement[]
  },
): Promise<Record<Kind, number>> {
  const { results, lost } = await database.run([
    ...before,
    ...counted.map(([, one]) => one),
    ...last,
  ])
  const counts = Object.fromEntries(counted.map(([kind]) => [kind, 0])) as Record<Kind, number>
  for (const [index, [kind]] of counted.entries())
    counts[kind] += results[before.length + index]!.length
  if (lost !== null && Object.values(counts).every((one) => one === 0)) throw lost.fault
  return counts
}

/** The number of rows of a guard, as an expression. */
const numberOfRows = ({ from, parameters }: Guard): Guard =>
  guard(`(select count(*) from ${from})`, ...parameters)

export const revokeGrants: Verb<'revokeGrants'> = async (
  database,
  { clientId, subject, revokedAt, revokedReason },
  events,
) => {
  const holder = `site = ? and client_id = ?${subject === null ? '' : ' and subject = ?'}`
  const key = [database.site, clientId, ...(subject === null ? [] : [subject])]
  const alive = guard(`hallpass_grant where ${holder} and revoked_at is null`, ...key)
  const { grants } = await count(database, {
    before: [
      // A redemption holds its code, so it is waited for here, and its grant is found below.
      statement(`delete from hallpass_code where ${holder} and redeemed_at is null`, ...key),
      statement(`delete from hallpass_consent where ${holder}`, ...key),
    ],
    counted: [
      ['grants', statement(`select 1 as one from ${alive.from}${database.dialect.lock}`, ...key)],
    ],
    behind: [
      ...keeping(database, events, ALWAYS, numberOfRows(alive)),
      statement(
        `update hallpass_grant set revoked_at = ?, revoked_reason = ?
         where ${holder} and revoked_at is null`,
        revokedAt,
        revokedReason,
        ...key,
      ),
    ],
  })
  return grants
}

export const revokeAllGrants: Verb<'revokeAllGrants'> = async (
  database,
  { issuedBefore, revokedAt, revokedReason, limit },
  events,
) => {
  const { site, dialect } = database
  const kinds = [
    ['grants', 'hallpass_grant', 'grant_id', 'created_at', 'revoked_at is null and created_at < ?'],
    ['codes', 'hallpass_code', 'code_hash', 'issued_at', 'redeemed_at is null and issued_at < ?'],
    // A remembered consent has no time.
    ['consents', 'hallpass_consent', 'consent_key', 'consent_key', '? is not null'],
    ['pending', 'hallpass_pending', 'id_hash', 'due_at', 'created_at < ?'],
  ] as const
  const nothing = guard(
    `${ALWAYS.from} where ${kinds
      .map(
        ([, table, , , where]) => `not exists (select 1 from ${table} where site = ? and ${where})`,
      )
      .join(' and ')}`,
    ...kinds.flatMap(() => [site, issuedBefore]),
  )
  return count(database, {
    before: keeping(database, events, nothing),
    counted: kinds.map(([kind, table, key, order, where]) => {
      const first = firstOf(table, { key, where: `site = ? and ${where}`, order })
      const [change, values] =
        kind === 'grants'
          ? [
              'update hallpass_grant set revoked_at = ?, revoked_reason = ?',
              [revokedAt, revokedReason],
            ]
          : [`delete from ${table}`, []]
      return [
        kind,
        statement(
          `${change} where site = ? and ${first}${dialect.returning}`,
          ...(values as readonly (string | number)[]),
          site,
          site,
          issuedBefore,
          limit,
        ),
      ] as const
    }),
  })
}

export const erasePerson: Verb<'erasePerson'> = async (
  database,
  { subject, loginHints, erasedAt },
  events,
) => {
  const { site, dialect } = database
  const theirs = guard('hallpass_grant where site = ? and subject = ?', site, subject)
  const hints = [...new Set(loginHints.map((hint) => hint.toLowerCase()))]
  const tokensOf = (table: string): Statement =>
    statement(
      `delete from ${table} where site = ? and grant_id in (select grant_id from ${theirs.from})`,
      site,
      ...theirs.parameters,
    )
  const deletion = (table: string): Statement =>
    statement(
      `delete from ${table} where site = ? and subject = ?${dialect.returning}`,
      site,
      subject,
    )
  return count(database, {
    before: [
      ...turnOf(database, subject),
      insertion(
        'hallpass_erasure',
        { site, subject_hash: sha256Base64url(subject), due_at: erasedAt + DAY_SECONDS },
        ALWAYS,
        'replace',
      ),
      tokensOf('hallpass_access_token'),
      tokensOf('hallpass_refresh_token'),
      ...withoutPerson(database, subject),
      ...keeping(database, events, ALWAYS, numberOfRows(theirs)),
    ],
    counted: [
      // Codes before grants: a redemption holds its code.
      ['codes', deletion('hallpass_code')],
      ['grants', deletion('hallpass_grant')],
      ['consents', deletion('hallpass_consent')],
      ...hints.map(
        (hint) =>
          [
            'pending',
            statement(
              `delete from hallpass_pending where site = ? and hint = ?${dialect.returning}`,
              site,
              hint,
            ),
          ] as const,
      ),
    ],
  }).then((counts) => ({ ...counts, pending: counts.pending ?? 0 }))
}
