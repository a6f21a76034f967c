import { EVENT_SECONDS } from '../store/records.js'

/** In place of the time of an erasure, for a person who was not erased. */
export const NEVER = 0
export const DATABASE_NOW = 'floor(extract(epoch from statement_timestamp()))::bigint'
/**
 * The time by which rows are deleted: that of the caller, `$2`, or a minute before that of the database if
 * that is earlier. So a process with a wrong clock deletes nothing that is live for others.
 */
const DUE = `least($2::bigint, coalesce($4::bigint, ${DATABASE_NOW}) - 60)`
const DAY_SECONDS = 86_400
/** The day of a refresh token, by which an index finds the oldest and the newest of a grant. */
export const ISSUED_DAY = 'issued_at / 86400'

/** One kind of row that `purge` deletes. */
interface Kind {
  readonly table: string
  readonly key: string
  /** The expression of the index: a row is due `after` seconds later. */
  readonly time: string
  /** Default: 0. */
  readonly after?: number
  /** A further condition. Default: none. */
  readonly where?: string
}

/** Returns the statement that deletes the rows of a kind that have been due for longest, at most `$3`. */
const purgeOf = ({ table, key, time, after = 0, where = 'true' }: Kind): string =>
  purgeBy({
    table,
    key,
    time: `${time} + ${after}`,
    oldest: `select ${key} from ${table}
      where site = $1 and ${time} <= ${DUE} - ${after} and ${where}
      order by ${time} limit $3 for update skip locked`,
  })

/**
 * Returns a statement that deletes the rows of some keys. Its result is their number, and the time of the last one
 * if more may be left.
 *
 * An array of keys is looked up by the primary key, where a join could read the whole table. Selections skip rows
 * that another process deletes, so that neither waits, and limit what they read in each table.
 */
const purgeBy = ({
  table,
  key,
  time,
  oldest,
  rows = 'count(*)',
}: {
  table: string
  key: string
  /** When a deleted row became due. */
  time: string
  /** Selects the keys. */
  oldest: string
  /** Counts the rows. */
  rows?: string
}): string =>
  `with deleted as (
     delete from ${table} where site = $1 and ${key} = any(array(${oldest}))
     returning ${time} as due_at
   )
   select ${rows} as rows, case when count(*) >= $3 then max(due_at) end as due_since from deleted`

/** The oldest grants that have expired. */
const EXPIRED_GRANTS = `select grant_id, expires_at from hallpass_grant
  where site = $1 and expires_at <= ${DUE} order by expires_at limit $3`

/** How many refresh tokens are looked at for each access token that is deleted: every refresh made one of each. */
const OLDEST_TOKENS = 10

/**
 * Deletes access tokens, and of their grants the oldest refresh tokens that were rotated and have expired. So no
 * index has to name when a refresh token expires or whether it was rotated, and a rotation changes no index.
 */
const PURGE_TOKENS = `with deleted as (
    delete from hallpass_access_token where site = $1 and token_hash = any(array(
      select token_hash from hallpass_access_token
      where site = $1 and expires_at <= ${DUE} order by expires_at limit $3 for update skip locked
    )) returning grant_id, expires_at as due_at
  ), rotated as (
    delete from hallpass_refresh_token where site = $1 and token_hash = any(array(
      select token_hash from hallpass_refresh_token
      where site = $1 and token_hash = any(array(
        select oldest.token_hash from (select distinct grant_id from deleted) used
        cross join lateral (
          select token_hash, expires_at, rotation from hallpass_refresh_token
          where site = $1 and grant_id = used.grant_id order by ${ISSUED_DAY} limit ${OLDEST_TOKENS}
        ) oldest
        where oldest.rotation is not null and oldest.expires_at <= ${DUE} limit $3
      )) for update skip locked
    )) returning 1
  )
  select (select count(*) from deleted) + (select count(*) from rotated) as rows,
    (select case when count(*) >= $3 then max(due_at) end from deleted) as due_since`

/** The statements of `purge`. `$2` is the time of the caller, and `$4` one in place of the database's, or null. */
export const PURGES: readonly string[] = [
  // Rows that only ordered codes and erasures say nothing, so that they are not counted.
  purgeBy({
    table: 'hallpass_erasure',
    key: 'subject_hash',
    time: '$2',
    oldest: `select subject_hash from hallpass_erasure
      where site = $1 and erased_at = ${NEVER} and ${DUE} > 0 limit $3 for update skip locked`,
    rows: '0',
  }),
  purgeOf({
    table: 'hallpass_erasure',
    key: 'subject_hash',
    time: 'erased_at',
    after: DAY_SECONDS,
    where: `erased_at > ${NEVER}`,
  }),
  purgeOf({ table: 'hallpass_pending', key: 'id_hash', time: 'expires_at' }),
  PURGE_TOKENS,
  purgeOf({ table: 'hallpass_idempotency', key: 'key_hash', time: 'expires_at' }),
  purgeOf({ table: 'hallpass_use', key: 'key', time: 'expires_at' }),
  purgeOf({ table: 'hallpass_outbox', key: 'event_id', time: 'at', after: EVENT_SECONDS }),
  purgeOf({ table: 'hallpass_code', key: 'code_hash', time: 'expires_at', after: DAY_SECONDS }),
  // A grant may have thousands of tokens, so they are deleted before it and not with it.
  purgeBy({
    table: 'hallpass_refresh_token',
    key: 'token_hash',
    time: `(
      select expires_at from hallpass_grant g
      where g.site = $1 and g.grant_id = hallpass_refresh_token.grant_id
    )`,
    oldest: `select token.token_hash from (${EXPIRED_GRANTS}) expired
      cross join lateral (
        select token_hash from hallpass_refresh_token
        where site = $1 and grant_id = expired.grant_id limit $3 for update skip locked
      ) token
      order by expired.expires_at limit $3`,
  }),
  purgeBy({
    table: 'hallpass_grant',
    key: 'grant_id',
    time: 'expires_at',
    oldest: `select grant_id from (${EXPIRED_GRANTS} for update skip locked) expired
      where (
        select token_hash from hallpass_refresh_token
        where site = $1 and grant_id = expired.grant_id limit 1
      ) is null`,
  }),
  purgeOf({
    table: 'hallpass_client',
    key: 'client_id',
    time: 'created_at',
    after: 7 * DAY_SECONDS,
    where: `kind = 'loopback' and used_at is null and deleted_at is null`,
  }),
  purgeOf({
    table: 'hallpass_client',
    key: 'client_id',
    time: `(document ->> 'fetchedAt')::bigint`,
    after: 7 * DAY_SECONDS,
    where: `kind = 'document' and used_at is null and scopes is null and not disabled
      and deleted_at is null`,
  }),
]
