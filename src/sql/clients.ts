import type { Client } from '../policy/client.js'
import { letOthersIn } from '../store/deadline.js'
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
import { guard, insertion, type Row, statement, unless, type Value, setsOf } from './statement.js'

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
/** How many clients have their figures from one statement: D1 combines five selections at most. */
const TOGETHER = 5
/** How many clients are read in one step by a search, between which others continue. */
const SEARCHED = 500

/** Returns the figures of the clients of some rows, in their order. */
async function figuresOf(
  database: Database,
  clients: readonly Row[],
  now: number,
): Promise<readonly Row[]> {
  const { site, dialect } = database
  // Limited in the order of an index, which no database does for the rows of an outer query.
  const figures = `select count(distinct subject) as people, max(created_at) as granted_at,
      max(issued_at) as issued_at
    from (
      select g.subject, g.created_at, ${lastIssuedAt(database)} as issued_at
      from hallpass_grant g${dialect.by('hallpass_grant_client')}
      where g.client_id = ? and ${isLive('g')}
      order by g.created_at desc limit ${MOST_COUNTED}) newest`
  const rows: Row[] = []
  while (rows.length < clients.length) {
    const some = clients.slice(rows.length, rows.length + TOGETHER)
    const lists = some.map(
      (_, index) => `select ${index} as number, f${index}.* from (${figures}) f${index}`,
    )
    const sql = `${lists.join(' union all ')} order by number`
    const parameters = some.flatMap((row) => [site, row['client_id'] as string, site, now])
    rows.push(...(await query(database, sql, ...parameters)))
    await letOthersIn()
  }
  return rows
}

export const listClients: Verb<'listClients'> = async (
  database,
  { kinds, search, after, limit, now },
) => {
  if (kinds.length === 0) return []
  const { site, dialect } = database
  const newest = 'order by created_at desc, client_id limit ?'
  const size = search === null ? limit : SEARCHED
  const found: Row[] = []
  let place = after && { createdAt: after.createdAt, id: after.clientId }
  let rows: readonly Row[]
  do {
    const from = behind(place, 'client_id')
    // One list for each kind: each is read in the order of an index, as far as the page goes.
    const lists = kinds.map(
      (_, index) => `select * from (
        select client_id, created_at, used_at, search, record
        from hallpass_client${dialect.by('hallpass_client_newest')}
        where site = ? and kind = ? and deleted_at is null ${from.sql} ${newest}) k${index}`,
    )
    rows = await query(
      database,
      `select c.client_id, c.created_at, c.used_at as client_used_at,
         ${search === null ? 'c.record' : 'case when instr(c.search, ?) > 0 then c.record end'} as client
       from (${lists.join(' union all ')}) c ${newest}`,
      ...(search === null ? [] : [search.toLowerCase()]),
      ...kinds.flatMap((kind) => [site, kind, ...from.parameters, size]),
      size,
    )
    found.push(...rows.filter(({ client }) => client !== null))
    const { created_at, client_id } = rows.at(-1) ?? {}
    place = { createdAt: Number(created_at), id: client_id as string }
    if (search !== null) await letOthersIn()
  } while (rows.length === size && found.length < limit)
  const page = found.slice(0, limit)
  const figures = await figuresOf(database, page, now)
  return page.map((row, index) => {
    const { people, granted_at, issued_at } = figures[index]!
    return {
      client: clientOf(row)!,
      people: Number(people),
      lastIssuedAt:
        granted_at === null ? null : Math.max(Number(granted_at), numberOf(issued_at) ?? 0),
    }
  })
}
