import { query } from '../sql/batch.js'
import { DUE_TABLES, dueBy, purgeEach } from '../sql/purge.js'
import { DAY_SECONDS, numberOf, type Verb } from '../sql/rows.js'
import { NEVER } from './dialect.js'

// In these statements, `:site`, `:due` and `:limit` are the site, the time until which rows are deleted, and how many at
// most. Each names the site, so that a database that is spread by it asks one part only.

/**
 * Returns a statement that deletes the rows of some keys. Its result is their number, and the time of the last one
 * if more may be left.
 *
 * An array of keys is looked up by the primary key, where a join could read the whole table. Selections skip rows
 * that another process deletes, so that neither waits, and limit what they read in each table.
 *
 * @param oldest - selects the keys
 * @param dueAt - when a deleted row became due. Default: its column
 */
const purgeOf = (table: string, key: string, oldest: string, dueAt = 'due_at'): string =>
  `with deleted as (
     delete from ${table} where site = :site and ${key} = any(array(${oldest})) returning ${dueAt} as due_at
   )
   select count(*) as rows, case when count(*) >= :limit then max(due_at) end as due_since from deleted`

const oldestOf = (table: string, key: string, also = ''): string =>
  `select ${key} from ${table} where site = :site and due_at <= :due ${also}
   order by due_at limit :limit for update skip locked`

/** How many refresh tokens are looked at for each access token that is deleted: every refresh made one of each. */
export const OLDEST_TOKENS = 10

/**
 * Deletes access tokens, and of their grants the oldest refresh tokens that were rotated and have expired. So no
 * index has to name when a refresh token is due, and a rotation changes no index.
 */
const PURGE_TOKENS = `with deleted as (
    delete from hallpass_access_token where site = :site and token_hash = any(array(
      ${oldestOf('hallpass_access_token', 'token_hash')}
    )) returning grant_id, due_at
  ), rotated as (
    delete from hallpass_refresh_token where site = :site and token_hash = any(array(
      select token_hash from hallpass_refresh_token
      where site = :site and token_hash = any(array(
        select oldest.token_hash from (select distinct grant_id from deleted) used
        cross join lateral (
          select token_hash, due_at, rotation from hallpass_refresh_token
          where site = :site and grant_id = used.grant_id order by issued_at / ${DAY_SECONDS} limit ${OLDEST_TOKENS}
        ) oldest
        where oldest.rotation is not null and oldest.due_at <= :due limit :limit
      )) for update skip locked
    )) returning 1
  )
  select (select count(*) from deleted) + (select count(*) from rotated) as rows,
    (select case when count(*) >= :limit then max(due_at) end from deleted) as due_since`

/** The oldest grants that have expired. */
const EXPIRED_GRANTS = `select grant_id, due_at from hallpass_grant
  where site = :site and due_at <= :due order by due_at limit :limit`

/** The tables of which more is to be said than that the oldest rows go. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  hallpass_access_token: [PURGE_TOKENS],
  // A grant may have thousands of tokens, so they are deleted before it and not with it.
  hallpass_refresh_token: [
    purgeOf(
      'hallpass_refresh_token',
      'token_hash',
      `select token.token_hash from (${EXPIRED_GRANTS}) expired
       cross join lateral (
         select token_hash from hallpass_refresh_token
         where site = :site and grant_id = expired.grant_id limit :limit for update skip locked
       ) token
       order by expired.due_at limit :limit`,
      `(select due_at from hallpass_grant g
        where g.site = :site and g.grant_id = hallpass_refresh_token.grant_id)`,
    ),
  ],
  hallpass_grant: [
    purgeOf(
      'hallpass_grant',
      'grant_id',
      `select grant_id from (${EXPIRED_GRANTS} for update skip locked) expired
       where (
         select token_hash from hallpass_refresh_token
         where site = :site and grant_id = expired.grant_id limit 1
       ) is null`,
    ),
  ],
  hallpass_outbox: [
    purgeOf('hallpass_outbox', 'event_hash', oldestOf('hallpass_outbox', 'event_hash')),
  ],
  hallpass_erasure: [
    // Rows that only ordered codes and erasures say nothing, so that they are not counted.
    `with deleted as (
       delete from hallpass_erasure where site = :site and subject_hash = any(array(
         select subject_hash from hallpass_erasure
         where site = :site and due_at = ${NEVER} limit :limit for update skip locked
       )) returning 1
     )
     select 0 as rows, null as due_since from (select count(*) from deleted) done`,
    purgeOf(
      'hallpass_erasure',
      'subject_hash',
      oldestOf('hallpass_erasure', 'subject_hash', `and due_at > ${NEVER}`),
    ),
  ],
}

const PURGES: readonly string[] = DUE_TABLES.flatMap(
  ([table, key]) => OTHERS[table] ?? [purgeOf(table, key, oldestOf(table, key))],
)

const BOUND = /:(?:site|due|limit)/g

/** Deletes what is due, in statements that skip what other processes delete. */
export const purge: Verb<'purge'> = async (database, { now, limit }) => {
  const bounds = { ':site': database.site, ':due': await dueBy(database, now), ':limit': limit }
  return purgeEach(PURGES, async (sql) => {
    const names = sql.match(BOUND) as (keyof typeof bounds)[]
    const [deleted] = await query(
      database,
      sql.replaceAll(BOUND, '?'),
      ...names.map((name) => bounds[name]),
    )
    return { rows: Number(deleted!['rows']), dueSince: numberOf(deleted!['due_since']) }
  })
}
