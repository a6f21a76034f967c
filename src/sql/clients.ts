import type { Client } from '../policy/client.js'
import { type Database, decide, query } from './batch.js'
import { keeping } from './events.js'
import {
  behind,
  CLIENT_COLUMNS,
  clientOf,
  DAY_SECONDS,
  isLive,
  lastIssuedAt,
  numberOf,
  type Verb,
} from './rows.js'
import { guard, insertion, statement, unless, type Value, setsOf } from './statement.js'

const UNUSED_SECONDS = 7 * DAY_SECONDS

/** When an unused client is purged; `null` if it is never. */
function dueAt({ kind, createdAt, scopes, disabled, deletedAt, document }: Client): number | null {
  if (deletedAt !== null) return null
  if (kind === 'loopback') return createdAt + UNUSED_SECONDS
  return document !== null && scopes === null && !disabled
    ? document.fetchedAt + UNUSED_SECONDS
    : null
}

/** The columns that a replacement writes. */
const clientRow = (client: Client): Readonly<Record<string, Value>> => ({
  kind: client.kind,
  search: client.name.toLowerCase(),
  revision: client.revision,
  created_at: client.createdAt,
  deleted_at: client.deletedAt,
  record: JSON.stringify(client),
})

export const findClient: Verb<'findClient'> = async (database, clientId) => {
  const [row] = await query(
    database,
    `select ${CLIENT_COLUMNS} from hallpass_client c
     where site = ? and client_id = ? and deleted_at is null`,
    database.site,
    clientId,
  )
  return row === undefined ? null : clientOf(row)
}

export const insertClient: Verb<'insertClient'> = async (database, client, events) => {
  const { site, dialect } = database
  const { clientId, usedAt } = client
  const taken = guard('hallpass_client where site = ? and client_id = ?', site, clientId)
  const columns = clientRow(client)
  const row = {
    site,
    client_id: clientId,
    used_at: usedAt,
    due_at: usedAt === null ? dueAt(client) : null,
    ...columns,
  }
  return decide<'inserted' | 'exists'>(database, {
    turn: clientId,
    look: statement(`select 1 as one from ${taken.from}${dialect.lock}`, ...taken.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? 'exists' : 'inserted'),
    won: 'inserted',
    writes: [
      ...keeping(database, events, unless(taken)),
      insertion('hallpass_client', row, unless(taken)),
    ],
    own: statement(
      `select 1 as one from ${taken.from} and record = ?`,
      ...taken.parameters,
      columns['record']!,
    ),
  })
}

export const replaceClient: Verb<'replaceClient'> = async (database, client, events) => {
  const { clientId, revision } = client
  const row = clientRow(client)
  const key = [database.site, clientId]
  const live = 'site = ? and client_id = ? and deleted_at is null'
  const before = revision - 1
  return decide<'replaced' | 'conflict' | 'missing'>(database, {
    look: statement(
      `select revision from hallpass_client where ${live}${database.dialect.lock}`,
      ...key,
    ),
    outcomeOf: ([stored]) =>
      stored === undefined
        ? 'missing'
        : Number(stored['revision']) === before
          ? 'replaced'
          : 'conflict',
    won: 'replaced',
    writes: [
      ...keeping(
        database,
        events,
        guard(`hallpass_client where ${live} and revision = ?`, ...key, before),
      ),
      statement(
        `update hallpass_client set due_at = case when used_at is null then ? else nullif(used_at, used_at) end,
           ${setsOf(row)}
         where ${live} and revision = ?`,
        dueAt(client),
        ...Object.values(row),
        ...key,
        before,
      ),
    ],
    own: statement(
      'select 1 as one from hallpass_client where site = ? and client_id = ? and record = ?',
      ...key,
      row['record']!,
    ),
  })
}

/** How many of the newest grants of a client its figures are of, so that a page costs by its length. */
const MOST_COUNTED = 100

/** The live grants of a client `c` under a name. Parameters: the site and the time. */
const liveGrants = ({ dialect }: Database, name: string): string =>
  `hallpass_grant ${name}${dialect.by('hallpass_grant_client')}
   where ${name}.client_id = c.client_id and ${isLive(name)}`

/** The time of a live grant of a client `c`, that of a position from the newest on. Parameters: the site and the time. */
const createdAt = (database: Database, position: number): string => `(
  select n.created_at from ${liveGrants(database, 'n')}
  order by n.created_at desc limit 1 offset ${position})`

/** The live grants `g` of a client `c` that are counted. Parameters: the site and the time, twice. */
const countedGrants = (database: Database): string => `${liveGrants(database, 'g')}
  and g.created_at >= coalesce(${createdAt(database, MOST_COUNTED - 1)}, 0)`

export const listClients: Verb<'listClients'> = async (
  database,
  { kinds, search, after, limit, now },
) => {
  if (kinds.length === 0) return []
  const { site, dialect } = database
  const grants = countedGrants(database)
  const from = behind(after && { createdAt: after.createdAt, id: after.clientId }, 'client_id')
  const counted = [site, now, site, now]
  const newest = 'order by created_at desc, client_id limit ?'
  // One list for each kind: each is read in the order of an index, as far as the page goes.
  const lists = kinds.map(
    (_, index) => `select * from (
      select site, client_id, created_at, used_at, record
      from hallpass_client${dialect.by('hallpass_client_newest')}
      where site = ? and kind = ? and deleted_at is null
        ${search === null ? '' : 'and instr(search, ?) > 0'} ${from.sql} ${newest}) k${index}`,
  )
  const rows = await query(
    database,
    `select ${CLIENT_COLUMNS},
       (select count(distinct g.subject) from ${grants}) as people,
       ${createdAt(database, 0)} as granted_at,
       (select max(${lastIssuedAt(database)}) from ${grants}) as issued_at
     from (select * from (${lists.join(' union all ')}) a ${newest}) c
     order by c.created_at desc, c.client_id`,
    ...counted,
    site,
    now,
    site,
    ...counted,
    ...kinds.flatMap((kind) => [
      site,
      kind,
      ...(search === null ? [] : [search.toLowerCase()]),
      ...from.parameters,
      limit,
    ]),
    limit,
  )
  return rows.map((row) => ({
    client: clientOf(row)!,
    people: Number(row['people']),
    lastIssuedAt:
      row['granted_at'] === null
        ? null
        : Math.max(Number(row['granted_at']), numberOf(row['issued_at']) ?? 0),
  }))
}
