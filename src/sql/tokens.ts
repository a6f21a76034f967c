import { type Database, decide, query } from './batch.js'
import { decideByRow, keeping } from './events.js'
import {
  accessTokenOf,
  accessTokenRow,
  CLIENT_COLUMNS,
  clientOf,
  DAY_SECONDS,
  GRANT_COLUMNS,
  grantOf,
  joinClientOf,
  marks,
  refreshTokenOf,
  refreshTokenRow,
  rotationText,
  type Verb,
} from './rows.js'
import { guard, insertion, type Row, statement } from './statement.js'

const FIND_REFRESH_TOKEN = `select t.issued_at, t.expires_at, t.rotation, t.successor_hash,
    successor.salt as successor_salt, successor.rotation is not null as successor_used,
    ${GRANT_COLUMNS}, ${CLIENT_COLUMNS}
  from hallpass_refresh_token t
  join hallpass_grant g on g.site = t.site and g.grant_id = t.grant_id
  left join hallpass_refresh_token successor
    on successor.site = t.site and successor.token_hash = t.successor_hash
  ${joinClientOf('g')} where t.site = ? and t.token_hash = ?`

export const findRefreshToken: Verb<'findRefreshToken'> = async (database, tokenHash) => {
  const [row] = await query(database, FIND_REFRESH_TOKEN, database.site, tokenHash)
  if (row === undefined) return null
  const grant = grantOf(row)
  return {
    refreshToken: refreshTokenOf(row, { tokenHash, grantId: grant.grantId }),
    grant,
    successorUsed: Number(row['successor_used']) === 1,
    client: clientOf(row),
  }
}

type Rotated = 'rotated' | 'spent' | 'revoked' | 'missing'

const rotated = ([token]: readonly Row[]): Rotated => {
  if (token === undefined) return 'missing'
  if (token['revoked_at'] !== null) return 'revoked'
  return token['successor_hash'] === null ? 'rotated' : 'spent'
}

/** The used token `t` and its grant `g`. Parameters: the site and the hash. */
const BOTH = `hallpass_refresh_token t join hallpass_grant g
  on g.site = t.site and g.grant_id = t.grant_id where t.site = ? and t.token_hash = ?`
/** Both, as long as the token is current. */
const CURRENT = `${BOTH} and t.rotation is null and g.revoked_at is null`
/**
 * Deletes the salts of earlier rotations by the day. MySQL needs the derived table, and the `distinct`, so that it stays one.
 *
 * The parameters are the site, the grant, the hash, and twice how long before the use salts are deleted. Then come those of
 * `used`, and the first second of the day until which salts are deleted.
 *
 * @param used - names the token that is used
 */
const forget = (
  { dialect: { day } }: Database,
  used: string,
): string => `update hallpass_refresh_token set salt = null
  where site = ? and grant_id = ? and token_hash <> ? and salt is not null and ${day('issued_at')} >= (
    select ${day('since')} from (
      select distinct (t.issued_at - ?) - (t.issued_at - ?) % ${DAY_SECONDS} as since from ${used}
    ) used
  ) and ${day('issued_at')} < ${day('?')}`
const USED = 'hallpass_refresh_token t where t.site = ? and t.token_hash = ?'

export const rotateRefreshToken: Verb<'rotateRefreshToken'> = async (
  database,
  { tokenHash, rotation, successor, accessToken, forgetSaltsUntil },
  events,
) => {
  const { site, dialect } = database
  const key = [site, tokenHash]
  const current = guard(CURRENT, ...key)
  const age = rotation.rotatedAt - forgetSaltsUntil
  const { grantId } = successor
  const firstSecond = forgetSaltsUntil - (forgetSaltsUntil % DAY_SECONDS)
  const forgotten = [site, grantId, tokenHash, age, age, ...key, firstSecond]
  const next = refreshTokenRow(site, successor, rotation.salt)
  const columns = Object.keys(next)
  // The successor is due with its grant.
  const into = `insert into hallpass_refresh_token (${columns.join(', ')}, due_at)
    select ${marks(columns)}, g.due_at`
  const used = `update hallpass_refresh_token set rotation = ?, successor_hash = ?, due_at = expires_at,
      salt = case when issued_at > ? then salt else null end
    where site = ? and token_hash = ? and rotation is null`
  const change = [rotationText(rotation), rotation.successorHash, forgetSaltsUntil, ...key]
  return decide<Rotated>(database, {
    grantId,
    look: statement(`select g.revoked_at, t.successor_hash from ${BOTH}${dialect.lock}`, ...key),
    outcomeOf: rotated,
    won: 'rotated',
    writes: [
      {
        ...statement(forget(database, CURRENT), ...forgotten),
        decided: statement(forget(database, USED), ...forgotten),
      },
      {
        ...statement(`${into} from ${CURRENT}`, ...Object.values(next), ...key),
        decided: statement(
          `${into} from hallpass_grant g where g.site = ? and g.grant_id = ?`,
          ...Object.values(next),
          site,
          grantId,
        ),
      },
      insertion('hallpass_access_token', accessTokenRow(site, accessToken), current),
      ...keeping(database, events, current),
      {
        ...statement(
          `${used} and exists (
             select 1 from hallpass_grant g
             where g.site = ? and g.grant_id = hallpass_refresh_token.grant_id and g.revoked_at is null)`,
          ...change,
          site,
        ),
        // The grant is held.
        decided: statement(used, ...change),
      },
    ],
    own: statement(
      'select 1 as one from hallpass_refresh_token where site = ? and token_hash = ?',
      site,
      successor.tokenHash,
    ),
  })
}

const FIND_ACCESS_TOKEN = `select t.scopes, t.issued_at, t.due_at, t.revoked_at, t.bound_to, ${GRANT_COLUMNS}, ${CLIENT_COLUMNS}
  from hallpass_access_token t
  join hallpass_grant g on g.site = t.site and g.grant_id = t.grant_id
  ${joinClientOf('g')} where t.site = ? and t.token_hash = ?`

export const findAccessToken: Verb<'findAccessToken'> = async (database, tokenHash) => {
  const [row] = await query(database, FIND_ACCESS_TOKEN, database.site, tokenHash)
  if (row === undefined) return null
  const grant = grantOf(row)
  return {
    accessToken: accessTokenOf(row, { tokenHash, grantId: grant.grantId }),
    grant,
    client: clientOf(row),
  }
}

export const revokeAccessToken: Verb<'revokeAccessToken'> = async (
  database,
  { tokenHash, revokedAt },
  events,
) => {
  const where = 'site = ? and token_hash = ? and revoked_at is null'
  const key = [database.site, tokenHash]
  return decideByRow(database, guard(`hallpass_access_token where ${where}`, ...key), {
    outcomes: ['revoked', 'missing'],
    events,
    change: statement(
      `update hallpass_access_token set revoked_at = ? where ${where}`,
      revokedAt,
      ...key,
    ),
  })
}
