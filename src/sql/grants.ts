import { decide, query } from './batch.js'
import { decideByRow, keeping } from './events.js'
import {
  behind,
  CLIENT_COLUMNS,
  clientOf,
  GRANT_COLUMNS,
  grantOf,
  isLive,
  joinClientOf,
  lastIssuedAt,
  numberOf,
  parse,
  type Verb,
} from './rows.js'
import { comparedWith, guard, statement } from './statement.js'

/** How often a grant is read again because others widened it. */
const ROUNDS = 20
const IS_ALIVE = 'site = ? and grant_id = ? and revoked_at is null'

export const revokeGrant: Verb<'revokeGrant'> = async (
  database,
  { grantId, revokedAt, revokedReason },
  events,
) => {
  const key = [database.site, grantId]
  return decideByRow(database, guard(`hallpass_grant where ${IS_ALIVE}`, ...key), {
    outcomes: ['revoked', 'missing'],
    events,
    change: statement(
      `update hallpass_grant set revoked_at = ?, revoked_reason = ? where ${IS_ALIVE}`,
      revokedAt,
      revokedReason,
      ...key,
    ),
  })
}

export const findGrant: Verb<'findGrant'> = async (database, grantId) => {
  const [row] = await query(
    database,
    `select ${GRANT_COLUMNS}, ${CLIENT_COLUMNS} from hallpass_grant g ${joinClientOf('g')}
     where g.site = ? and g.grant_id = ?`,
    database.site,
    grantId,
  )
  return row === undefined ? null : { grant: grantOf(row), client: clientOf(row) }
}

/** The scopes that are stored must still be those that were read, so that none of another caller is lost. */
export const widenGrant: Verb<'widenGrant'> = async (database, { grantId, scopes }, events) => {
  const key = [database.site, grantId]
  const widened = (held: string): string =>
    JSON.stringify([...new Set([...(parse(held) as readonly string[]), ...scopes])])
  for (let round = 0; round < ROUNDS; round++) {
    const { results } = await database.run([
      statement(`select scopes from hallpass_grant where ${IS_ALIVE}`, ...key),
      statement(`select distinct scopes from hallpass_access_token where ${IS_ALIVE}`, ...key),
    ])
    const [grants, tokens] = results
    const [grant] = grants!
    if (grant === undefined) return 'gone'
    const held = grant['scopes'] as string
    const unchanged = guard(`hallpass_grant where ${IS_ALIVE} and scopes = ?`, ...key, held)
    const isWidened = await decide(database, {
      look: statement(
        `select 1 as one from ${unchanged.from}${database.dialect.lock}`,
        ...unchanged.parameters,
      ),
      outcomeOf: (rows) => rows.length > 0,
      won: true,
      writes: [
        ...keeping(database, events, unchanged),
        ...tokens!.map(({ scopes: own }) =>
          statement(
            `update hallpass_access_token set scopes = ? where ${IS_ALIVE} and scopes = ?
               and exists (select 1 from ${unchanged.from})`,
            widened(own as string),
            ...key,
            own as string,
            ...unchanged.parameters,
          ),
        ),
        statement(
          `update hallpass_grant set scopes = ? where ${IS_ALIVE} and scopes = ?`,
          widened(held),
          ...key,
          held,
        ),
      ],
      // Or the same of another caller.
      own: statement(
        `select 1 as one from hallpass_grant where ${IS_ALIVE} and scopes = ?`,
        ...key,
        widened(held),
      ),
    })
    if (isWidened) return 'widened'
  }
  throw new Error(`a grant was widened by others ${ROUNDS} times`)
}

export const listGrants: Verb<'listGrants'> = async (database, { of, after, limit, now }) => {
  const holder = {
    ...(of !== 'everyone' && 'clientId' in of && { client_id: of.clientId }),
    ...(of !== 'everyone' && 'subject' in of && { subject: of.subject }),
  }
  const from = behind(after && { createdAt: after.createdAt, id: after.grantId }, 'grant_id')
  const kind = 'subject' in holder ? 'subject' : 'client_id' in holder ? 'client' : 'newest'
  const index = database.dialect.by(`hallpass_grant_${kind}`)
  const rows = await query(
    database,
    `select ${GRANT_COLUMNS}, ${lastIssuedAt(database)} as issued_at
     from hallpass_grant g${index}
     where ${[isLive('g'), ...comparedWith(holder)].join(' and ')} ${from.sql}
     order by created_at desc, grant_id limit ?`,
    database.site,
    database.site,
    now,
    ...Object.values(holder),
    ...from.parameters,
    limit,
  )
  return rows.map((row) => {
    const grant = grantOf(row)
    return { grant, lastIssuedAt: Math.max(grant.createdAt, numberOf(row['issued_at']) ?? 0) }
  })
}
