import type { Client } from '../policy/client.js'
import { decide, query } from './batch.js'
import { keeping } from './events.js'
import {
  behind,
  CLIENT_COLUMNS,
  clientOf,
  DAY_SECONDS,
  IS_LIVE,
  lastIssuedAt,
  marks,
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

const ITS_GRANTS = `hallpass_grant g where g.client_id = c.client_id and ${IS_LIVE}`

export const listClients: Verb<'listClients'> = async (
  database,
  { kinds, search, after, limit, now },
) => {
  if (kinds.length === 0) return []
  const { site } = database
  const from = behind(after && { createdAt: after.createdAt, id: after.clientId }, 'client_id')
  const asked = [site, now, site, now, site, site, now, site]
  const rows = await query(
    database,
    `select ${CLIENT_COLUMNS},
       (select count(distinct subject) from ${ITS_GRANTS}) as people,
       (select max(created_at) from ${ITS_GRANTS}) as granted_at,
       (select max(${lastIssuedAt(database)}) from ${ITS_GRANTS}) as issued_at
     from hallpass_client c
     where site = ? and deleted_at is null and kind in (${marks(kinds)})
       ${search === null ? '' : 'and instr(search, ?) > 0'} ${from.sql}
     order by created_at desc, client_id limit ?`,
    ...asked,
    ...kinds,
    ...(search === null ? [] : [search.toLowerCase()]),
    ...from.parameters,
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
