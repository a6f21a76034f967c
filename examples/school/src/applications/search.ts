import type { Client } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'
import { MOST_COUNTED } from '../../../pages/words/counted.js'
import type { ApplicationsView } from '../../../pages/applications/views.js'
import type { ApplicationDirectory, FoundApplication } from './parts.js'
import { stateOf } from './words.js'

const ORDERS: Readonly<Record<ApplicationsView['filter']['sort'], string>> = {
  newest: 'configured, created_at desc, client_id collate "C"',
  oldest: 'configured, created_at, client_id collate "C"',
  name: 'lower(name), client_id collate "C"',
}

/** How many apps of each kind are looked at, the newest: a page with more could take seconds. */
const MOST_APPS = 10_000

const isLive = (clientId: string): string =>
  `g.site = $1 and g.client_id = ${clientId} and g.revoked_at is null and g.due_at > $2::bigint`

const VIEWS: Readonly<Record<ApplicationsView['filter']['view'], string>> = {
  connected: `((kind = 'member' or used or (kind = 'document' and not configured))
    and not (own_page and not exists (
      select from hallpass_grant g where ${isLive('matching.client_id')}
    )))`,
  review: `(state in ('unreviewed', 'changed') and not configured)`,
  tried: `(kind in ('vendor', 'loopback') and not used and not configured)`,
  all: 'true',
}

/** The apps that match, those of the configuration included. `state` is what `stateOf` returns. */
const MATCHING = `
  with configuration as (
    select * from jsonb_to_recordset($3::text::jsonb)
      as c (number int, client_id text, kind text, name text, addresses text, state text)
  ), parsed as materialized (
    select c.*, c.record::jsonb as client
    from unnest(array['member', 'vendor', 'loopback', 'document']) as one (kind) cross join lateral (
      select * from hallpass_client
      where site = $1 and kind = one.kind and deleted_at is null
      order by created_at desc limit ${MOST_APPS}
    ) c
  ), app as (
    select client_id, kind, client ->> 'name' as name, (client -> 'redirectUris')::text as addresses,
      created_at, used_at is not null as used, false as configured,
      case
        when kind <> 'document' then case
          when (client -> 'disabled')::boolean then 'disabled'
          when kind <> 'member' and used_at is null then 'unused'
          else 'active' end
        when (client -> 'disabled')::boolean then 'blocked'
        when jsonb_typeof(client -> 'scopes') = 'array' then 'reviewed'
        when client -> 'document' ->> 'changedAt' is null then 'unreviewed'
        else 'changed' end as state
    from parsed c
    where not exists (select from configuration where configuration.client_id = c.client_id)
      and not exists (
        select from school_service s where s.site = c.site and s.client_id = c.client_id
      )
    union all
    select client_id, kind, name, addresses, -number, used, true,
      case when state = 'active' and not used then 'unused' else state end
    from configuration cross join lateral (
      select exists (
        select from hallpass_grant g where ${isLive('configuration.client_id')}
      ) as used
    ) use
  ), matching as (
    select *, kind = 'loopback' and addresses = any($7::text[]) as own_page from app
    where ($4::text is null or kind = $4) and ($5::text is null or state = $5)
      and (strpos(lower(name), lower($6::text)) > 0 or strpos(lower(client_id), lower($6::text)) > 0
        or strpos(lower(addresses), lower($6::text)) > 0)
  )`

/**
 * Creates the search among the apps of a site, without its services, which have a page of their own. It reads the tables of hallpass, which are in the same database: the
 * store itself lists apps by time only.
 *
 * @param options - `configured`: apps of the configuration, which no table has. `ownPages`: addresses of pages of the
 *   school that register themselves at each visit. They are among the connected apps while someone uses one
 */
export function createApplicationDirectory({
  execute,
  site,
  configured,
  ownPages,
  now,
}: {
  execute: Execute
  site: string
  configured: readonly Client[]
  ownPages: readonly string[]
  now: () => number
}): ApplicationDirectory {
  const configuration = JSON.stringify(
    configured.map((client, number) => ({
      number,
      client_id: client.clientId,
      kind: client.kind,
      name: client.name,
      addresses: client.redirectUris.join(' '),
      state: stateOf(client, true),
    })),
  )
  const pages = ownPages.map((page) => JSON.stringify([page]))
  return {
    async search({ view, kind, state, search, sort, page, size }) {
      const matching = [site, now(), configuration, kind, state, search, pages]
      const { rows: counted } = await execute(
        `${MATCHING} select ${Object.entries(VIEWS)
          .map(([name, condition]) => `count(*) filter (where ${condition})::int as "${name}"`)
          .join(', ')} from matching`,
        matching,
      )
      const { rows } = await execute(
        `${MATCHING}, shown as (
           select * from matching where ${VIEWS[view]}
           order by ${ORDERS[sort]} limit $8::int offset $9::int
         )
         select client_id as "clientId", state, use.people::int, use.last
         from shown cross join lateral (
           select count(distinct subject) as people, max(greatest(created_at, (
             select max(token.issued_at) from hallpass_refresh_token token
             where token.site = $1 and token.grant_id = newest.grant_id
           ))) as last
           from (
             select * from hallpass_grant g where ${isLive('shown.client_id')}
             order by g.created_at desc limit ${MOST_COUNTED}
           ) newest
         ) use
         order by ${ORDERS[sort]}`,
        [...matching, size, (page - 1) * size],
      )
      return {
        counts: counted[0] as ApplicationsView['counts'],
        found: (rows as (FoundApplication & { last: number | string | null })[]).map(
          ({ last, ...row }) => ({ ...row, lastUsedAt: last === null ? null : Number(last) }),
        ),
      }
    },
  }
}
