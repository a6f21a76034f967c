import { createAttemptsPurge, jumping, listSites } from '../sql/all-sites.js'
import { query } from '../sql/batch.js'
import { DUE_TABLES, dueBy, purgeEach } from '../sql/purge.js'
import { DAY_SECONDS, numberOf } from '../sql/rows.js'
import type { AllSites } from '../sql/storage.js'
import { NEVER } from './dialect.js'
import { OLDEST_TOKENS } from './purge.js'

// The statements of `purge.ts` for all sites: `:due` is the time until which rows are deleted, and `:limit` how many at
// most. No other statement lacks the site. Where a table is spread by it, each asks every part.

/** The rows of a query with `site` and `id`, as arrays. The planner expects ten of them, and looks each up by its key. */
const each = (rows: string): string =>
  `(select array_agg(site) as sites, array_agg(id) as ids from ${rows}) as found
   cross join lateral unnest(found.sites, found.ids) as one(site, id)`

const deletion = (table: string, key: string, rows: string, returned: string): string =>
  `delete from ${table} its using ${each(rows)}
   where its.site = one.site and its.${key} = one.id returning ${returned}`

const oldestOf = (table: string, key: string, also = ''): string =>
  `select site, ${key} as id from ${table} where due_at <= :due ${also}
   order by due_at, site limit :limit for update skip locked`

const COUNTED = `select count(*) as rows, case when count(*) >= :limit then max(due_at) end as due_since from deleted`

/**
 * @param oldest - selects the keys
 * @param dueAt - when a deleted row became due. Default: its column
 */
const purgeOf = (table: string, key: string, oldest: string, dueAt = 'its.due_at'): string =>
  `with due as materialized (${oldest}),
   deleted as (${deletion(table, key, 'due', `${dueAt} as due_at`)}) ${COUNTED}`

const PURGE_TOKENS = `with due as materialized (${oldestOf('hallpass_access_token', 'token_hash')}),
  deleted as (${deletion('hallpass_access_token', 'token_hash', 'due', 'its.site, its.grant_id, its.due_at')}),
  oldest as materialized (
    select token.site, token.id from (select distinct site, grant_id from deleted) used
    cross join lateral (
      select site, token_hash as id, due_at, rotation from hallpass_refresh_token
      where site = used.site and grant_id = used.grant_id
      order by issued_at / ${DAY_SECONDS} limit ${OLDEST_TOKENS}
    ) token
    where token.rotation is not null and token.due_at <= :due limit :limit
  ),
  spent as materialized (
    select its.site, its.token_hash as id from ${each('oldest')}
    join hallpass_refresh_token its on its.site = one.site and its.token_hash = one.id
    for update of its skip locked
  ),
  rotated as (${deletion('hallpass_refresh_token', 'token_hash', 'spent', '1')})
  select (select count(*) from deleted) + (select count(*) from rotated) as rows,
    (select case when count(*) >= :limit then max(due_at) end from deleted) as due_since`

const EXPIRED_GRANTS = `select site, grant_id, due_at from hallpass_grant
  where due_at <= :due order by due_at, site limit :limit`

const OTHERS: Readonly<Record<string, string>> = {
  hallpass_access_token: PURGE_TOKENS,
  hallpass_refresh_token: purgeOf(
    'hallpass_refresh_token',
    'token_hash',
    `select token.site, token.id from (${EXPIRED_GRANTS}) expired
     cross join lateral (
       select site, token_hash as id from hallpass_refresh_token
       where site = expired.site and grant_id = expired.grant_id limit :limit for update skip locked
     ) token
     order by expired.due_at limit :limit`,
    `(select due_at from hallpass_grant g where g.site = its.site and g.grant_id = its.grant_id)`,
  ),
  hallpass_grant: purgeOf(
    'hallpass_grant',
    'grant_id',
    `select site, grant_id as id from (${EXPIRED_GRANTS} for update skip locked) expired
     where (
       select token_hash from hallpass_refresh_token
       where site = expired.site and grant_id = expired.grant_id limit 1
     ) is null`,
  ),
  hallpass_outbox: purgeOf(
    'hallpass_outbox',
    'event_hash',
    oldestOf('hallpass_outbox', 'event_hash'),
  ),
  // Rows that only ordered codes and erasures go as well, and are not counted.
  hallpass_erasure: `with never as materialized (
      select site, subject_hash as id from hallpass_erasure where due_at = ${NEVER} limit :limit for update skip locked
    ),
    forgotten as (${deletion('hallpass_erasure', 'subject_hash', 'never', '1')}),
    due as materialized (${oldestOf('hallpass_erasure', 'subject_hash', `and due_at > ${NEVER}`)}),
    deleted as (${deletion('hallpass_erasure', 'subject_hash', 'due', 'its.due_at')}) ${COUNTED}`,
}

const PURGES: readonly string[] = DUE_TABLES.map(
  ([table, key]) => OTHERS[table] ?? purgeOf(table, key, oldestOf(table, key)),
)

const BOUND = /:(?:due|limit)/g

/** Creates what is done to all sites of a database. */
export function createPostgresSites(): AllSites {
  const purgeAttempts = createAttemptsPurge({ sitesOf: jumping })
  return {
    async purge(database, { now, limit }) {
      const bounds = { due: await dueBy(database, now), limit }
      const places = { ':due': bounds.due, ':limit': limit }
      const purgeBy = async (sql: string): Promise<Awaited<ReturnType<AllSites['purge']>>> => {
        const names = sql.match(BOUND) as (keyof typeof places)[]
        const [deleted] = await query(
          database,
          sql.replaceAll(BOUND, '?'),
          ...names.map((name) => places[name]),
        )
        return { rows: Number(deleted!['rows']), dueSince: numberOf(deleted!['due_since']) }
      }
      return purgeEach(
        [...PURGES.map((sql) => () => purgeBy(sql)), () => purgeAttempts(database, bounds)],
        (part) => part(),
      )
    },
    listSites: listSites({ sitesOf: jumping }),
  }
}
