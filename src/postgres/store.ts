import { sha256Base64url } from '../encoding/hash.js'
import { randomFraction } from '../encoding/random.js'
import { checkOptions } from '../options/check.js'
import type { Client } from '../policy/client.js'
import { withTextKeys } from '../store/groups.js'
import { guaranteesOfServer } from '../store/guarantees.js'
import { type ClockMark, type StoredEvent } from '../store/records.js'
import type { Store, StoreMethod } from '../store/store.js'
import { type Answer, createAsk, settled } from './ask.js'
import { type PostgresOptions, selected, STORE_RULES } from './execute.js'
import { DATABASE_NOW, ISSUED_DAY, NEVER, PURGES } from './purge.js'
import {
  ACCESS_TOKEN,
  CLIENT,
  CLOCK,
  CODE,
  GRANT,
  insertion,
  KEY,
  PENDING,
  packRotation,
  REFRESH_TOKEN,
  type Table,
} from './row.js'

type Revocation = Parameters<Store['revokeGrants']>[0]
/** How many rows a method deleted or revoked, by their kind. */
type Counted<Name extends 'erasePerson' | 'revokeAllGrants'> = Awaited<ReturnType<Store[Name]>>

const UNIQUE_VIOLATION = '23505'
/** How often an erasure looks for rows: in theory the third time finds nothing. */
const ROUNDS = 10
/** Orders events: microseconds since the epoch. Those of one statement are one apart. */
const STORED_AT = '(extract(epoch from statement_timestamp()) * 1000000)::bigint + number'

/**
 * Returns the end of a list of `with` queries: the insertion of the events in a parameter, such as `$2`, if the
 * query `won` has a row. Returns nothing if there are no events.
 */
const keeping = (hasEvents: boolean, parameter: string, won: string): string =>
  !hasEvents
    ? ''
    : `, kept as (
         insert into hallpass_outbox (site, event_id, stored_at, at, event)
         select $1, event ->> 'id', ${STORED_AT}, (event ->> 'at')::bigint, event
         from jsonb_array_elements(${parameter}::text::jsonb) with ordinality as sent (event, number)
         where exists (select from ${won})
         on conflict do nothing
       )`

/**
 * Returns the same for a change without a winner: each event gets a number as its member `grants`. A statement
 * that is run again adds what it found.
 */
const keepingCount = (hasEvents: boolean, parameter: string, count: string): string =>
  !hasEvents
    ? ''
    : `, kept as (
         insert into hallpass_outbox as known (site, event_id, stored_at, at, event)
         select $1, event ->> 'id', ${STORED_AT}, (event ->> 'at')::bigint,
           event || jsonb_build_object('grants', ${count})
         from jsonb_array_elements(${parameter}::text::jsonb) with ordinality as sent (event, number)
         on conflict (site, event_id) do update set event = known.event || jsonb_build_object(
           'grants', (known.event ->> 'grants')::bigint + (excluded.event ->> 'grants')::bigint
         )
       )`

/** The parameter of {@link keeping}, if there are events. */
const sent = (events: readonly StoredEvent[]): readonly string[] =>
  events.length === 0 ? [] : [JSON.stringify(events)]

/** The column `scopes`, and behind it those of a parameter that it does not have. */
const widenedBy = (parameter: string): string =>
  `scopes || coalesce((
     select jsonb_agg(added order by number)
     from jsonb_array_elements(${parameter}::text::jsonb) with ordinality as sent (added, number)
     where not scopes @> jsonb_build_array(added)
   ), '[]'::jsonb)`

/** The columns that `replaceClient` writes. */
const REPLACEABLE = `kind, name, redirect_uris, token_endpoint_auth_method, secrets, scopes, disabled,
  description, icon, about, revision, created_at, deleted_at, document, ends_at, keys,
  dpop_bound_access_tokens, require_pushed_requests`

/** Compares a column with a parameter, unless that is `null`: then the statement does not name the column. */
const matching = (column: string, parameter: string, value: string | null): string =>
  value === null ? `${parameter}::text is null` : `${column} = ${parameter}`

/** The time at which a grant `g` of the site `$1` last issued a token. */
const LAST_ISSUED_AT = `greatest(g.created_at, (
  select issued_at from hallpass_refresh_token token
  where token.site = $1 and token.grant_id = g.grant_id
  order by ${ISSUED_DAY} desc, issued_at desc limit 1
))`

/** Joins the client of a code or a grant of the site `$1`, unless it is deleted. */
const joinClientOf = (row: 'code' | 'g'): string =>
  `left join hallpass_client client
     on client.site = $1 and client.client_id = ${row}.client_id and client.deleted_at is null`

/** Returns the client of {@link joinClientOf}. */
const joinedClient = (row: Readonly<Record<string, unknown>> | null): Client | null =>
  row === null ? null : CLIENT.fromRow(row)

/** Builds a statement without events and with them. */
function inBothForms(sqlOf: (hasEvents: boolean) => string): (hasEvents: boolean) => string {
  const [without, kept] = [sqlOf(false), sqlOf(true)]
  return (hasEvents) => (hasEvents ? kept : without)
}

// The statements of the token endpoints and of each bearer check, built once: a text that is built for a call must also be
// hashed to find its name.

const FIND_CODE = `select to_jsonb(code) as code, to_jsonb(client) as client
   from hallpass_code code ${joinClientOf('code')}
   where code.site = $1 and code.code_hash = $2`

// Without a lock, the last look would find a code that was deleted while the update waited for it.
const REDEEM_CODE = inBothForms(
  (hasEvents) => `with redeemed as (
     update hallpass_code set redeemed_at = $3
     where site = $1 and code_hash = $2 and redeemed_at is null
     returning client_id
   ), new_grant as (
     ${insertion(GRANT, '$4', 'exists (select from redeemed)')}
   ), new_access_token as (
     ${insertion(ACCESS_TOKEN, '$5', 'exists (select from redeemed)')}
   ), new_refresh_token as (
     ${insertion(REFRESH_TOKEN, '$6', 'exists (select from redeemed)')}
   ), used_client as (
     update hallpass_client client set used_at = $3 from redeemed
     where client.site = $1 and client.client_id = redeemed.client_id and client.used_at is null
   )${keeping(hasEvents, '$7', 'redeemed')}
   select case
     when exists (select from redeemed) then 'redeemed'
     when exists (
       select from hallpass_code where site = $1 and code_hash = $2 for update
     ) then 'spent'
     else 'missing'
   end as outcome`,
)

const FIND_REFRESH_TOKEN = `select to_jsonb(token) as token, to_jsonb(g) as "grant", to_jsonb(client) as client,
     successor.rotation is not null as successor_used, successor.salt
   from hallpass_refresh_token token
   join hallpass_grant g on g.site = $1 and g.grant_id = token.grant_id
   left join hallpass_refresh_token successor
     on successor.site = $1 and successor.token_hash = token.rotation ->> 0
   ${joinClientOf('g')}
   where token.site = $1 and token.token_hash = $2`

// The lock on the grant waits for a concurrent revocation, so that its result is read here. It comes before the lock on
// the token, because an erasure deletes the grant and then its tokens.
const ROTATE_REFRESH_TOKEN = inBothForms(
  (hasEvents) => `with held as (
     select token.token_hash, token.grant_id, token.issued_at, case
       when g.revoked_at is not null then 'revoked'
       when token.rotation is not null then 'spent'
       else 'rotated'
     end as outcome
     from hallpass_refresh_token token join hallpass_grant g using (site, grant_id)
     where token.site = $1 and token.token_hash = $2
     for share of g for update of token
   ), rotated as (
     update hallpass_refresh_token token set rotation = $3::text::jsonb,
       salt = case when token.issued_at > $6 then token.salt end
     from held
     where token.site = $1 and token.token_hash = held.token_hash and held.outcome = 'rotated'
     returning 1
   ), forgotten as (
     update hallpass_refresh_token old set salt = null from held
     where old.site = $1 and old.grant_id = held.grant_id and held.outcome = 'rotated'
       and old.${ISSUED_DAY} >= (held.issued_at - $7) / 86400 and old.${ISSUED_DAY} < $6 / 86400
       and old.token_hash <> held.token_hash and old.salt is not null
   ), successor as (
     ${insertion(REFRESH_TOKEN, '$4', 'exists (select from rotated)')}
   ), new_access_token as (
     ${insertion(ACCESS_TOKEN, '$5', 'exists (select from rotated)')}
   )${keeping(hasEvents, '$8', 'rotated')}
   select outcome from held`,
)

const FIND_ACCESS_TOKEN = `select to_jsonb(token) as token, to_jsonb(g) as "grant", to_jsonb(client) as client
   from hallpass_access_token token
   join hallpass_grant g on g.site = $1 and g.grant_id = token.grant_id
   ${joinClientOf('g')}
   where token.site = $1 and token.token_hash = $2`

const USE_ONCE = selected(
  `insert into hallpass_use (site, key, expires_at, claim) values ($1, $2, $3, $4)
   on conflict (site, key) do nothing returning 1`,
)
const END_PENDING = 'delete from hallpass_pending where site = $1 and id_hash = $2'
const REPLACE_PENDING = inBothForms(
  (hasEvents) => `with ended as (${END_PENDING} returning 1), next as (
     ${insertion(PENDING, '$3', 'exists (select from ended)')}
   )${keeping(hasEvents, '$4', 'ended')} select from ended`,
)
const FIND_NEXT = `select from hallpass_pending
   where site = $1 and id_hash = $2 and browser_hash = $3`
const FIND_USE = 'select from hallpass_use where site = $1 and key = $2 and claim = $3'
const GIVE_BACK = selected(
  'delete from hallpass_use where site = $1 and key = $2 and claim = $3 returning 1',
)

/**
 * Creates a store on PostgreSQL, in the tables that {@link migratePostgres} creates. Each method except
 * `purge` is one statement. It is therefore atomic on any connection of a pool.
 *
 * At every isolation level, a statement that PostgreSQL rolls back because of a concurrent one (SQLSTATE
 * 40001, 40P01) is run again, up to 12 times. A statement whose connection was lost is run again, up to
 * twice. A method that then finds the row that only it can have written returns that it won.
 *
 * @param options - see {@link PostgresOptions}
 * @returns a store with every group, whose methods reject with the driver's error. If a table or column is missing,
 *   that is a `StorageFailure` whose message names `migratePostgres`. If `execute` resolves to neither `{ rows }` nor
 *   the rows, it is a TypeError
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresStore, type Execute } from 'hallpass/postgres'
 *
 * // In place of an empty database. With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const store = createPostgresStore({ execute, site: 'school' })
 * await store.findClient('study-app') // => null
 * await store.listKeys() // => []
 * ```
 *
 * @group Storage
 */
export function createPostgresStore(
  options: PostgresOptions & {
    /**
     * The promises of the server's settings, where they are more or less than the default. With synchronous replicas:
     * `{ acknowledged: 'survives the computer' }`. With `synchronous_commit = off`: `'survives the process'`. PGlite in
     * memory: `{ acknowledged: 'lost with the process', clock: 'process', processes: 'one' }`. Default: `survives a power
     * failure`, `latest`, `own` and `many`, as a server with the default settings does
     */
    readonly guarantees?: Partial<Store['guarantees']>
    /**
     * Returns the time in epoch seconds, for tests that have a clock of their own. Default: the clock of the
     * database
     */
    readonly now?: () => number
  },
): Store {
  const {
    execute,
    site,
    chance = randomFraction,
    guarantees,
    now: testNow,
  } = checkOptions('createPostgresStore', options, STORE_RULES)
  const ask = createAsk({ execute, chance })
  /** `$1` is always the site. */
  const write = <Row>(
    verb: StoreMethod,
    sql: string,
    ...parameters: unknown[]
  ): Promise<Answer<Row>> => ask<Row>({ verb, sql }, [site, ...parameters])
  /** Runs a statement that returns a row if it won, and keeps the events then. */
  const change = (
    verb: StoreMethod,
    events: readonly StoredEvent[],
    sql: string,
    parameters: readonly unknown[],
    tolerated?: string,
  ): Promise<Answer<unknown>> =>
    ask(
      {
        verb,
        sql:
          events.length === 0
            ? selected(sql)
            : `with won as (${sql})${keeping(true, `$${parameters.length + 2}`, 'won')} select from won`,
      },
      [site, ...parameters, ...sent(events)],
      tolerated,
    )
  const query = async <Row>(
    verb: StoreMethod,
    sql: string,
    ...parameters: unknown[]
  ): Promise<readonly Row[]> => (await write<Row>(verb, sql, ...parameters)).rows
  async function find<Found>(
    verb: StoreMethod,
    { table, where, key }: { table: Table<Found>; where: string; key: string },
  ): Promise<Found | null> {
    const [found] = await query<{ record: Record<string, unknown> }>(
      verb,
      `select to_jsonb(t) as record from ${table.name} t where site = $1 and ${where}`,
      key,
    )
    return found === undefined ? null : table.fromRow(found.record)
  }
  /** Whether a row of the caller's own is there, after a lost connection. */
  const isStored = async (
    verb: StoreMethod,
    { table, column, key }: { table: string; column: string; key: string },
  ): Promise<boolean> =>
    (await query(verb, `select from ${table} where site = $1 and ${column} = $2`, key)).length > 0
  /** Whether a client is stored with exactly these fields. */
  async function isStoredAs(verb: StoreMethod, client: Client): Promise<boolean> {
    const found = await query(
      verb,
      `select from hallpass_client
       where site = $1 and client_id = $2 and row(${REPLACEABLE}) is not distinct from (
         select row(${REPLACEABLE}) from jsonb_populate_record(null::hallpass_client, $3::text::jsonb)
       )`,
      client.clientId,
      CLIENT.toRow(site, client),
    )
    return found.length > 0
  }
  const textOf = (leap: ClockMark['leap']): string | null =>
    leap === null ? null : JSON.stringify(leap)

  /** Revokes what a client has of a person; of `null`, what it has of all. */
  async function revokeThose(
    {
      clientId,
      subject,
      revokedAt,
      revokedReason,
    }: Omit<Revocation, 'subject'> & { readonly subject: string | null },
    events: readonly StoredEvent[] = [],
  ): Promise<number> {
    // A code that is being redeemed is waited for by the lock on it. Its grant is newer than the snapshot
    // of this statement, where only `on conflict` finds it.
    const { rows, lost } = await write<{ revoked: number | string }>(
      subject === null ? 'revokeGrantsOfClient' : 'revokeGrants',
      `with held as (
         select code.*
         from hallpass_code code join hallpass_code unredeemed using (site, code_hash)
         where code.site = $1 and unredeemed.site = $1 and unredeemed.client_id = $2
           and ${matching('unredeemed.subject', '$3', subject)} and unredeemed.redeemed_at is null
         for update of code
       ), ended as (
         delete from hallpass_code
         where site = $1 and code_hash in (select code_hash from held where redeemed_at is null)
       ), forgotten as (
         delete from hallpass_consent
         where site = $1 and client_id = $2 and ${matching('subject', '$3', subject)}
       ), revoked as (
         update hallpass_grant set revoked_at = $4, revoked_reason = $5
         where site = $1 and client_id = $2 and ${matching('subject', '$3', subject)}
           and revoked_at is null
         returning 1
       ), revoked_new as (
         insert into hallpass_grant as g (${GRANT.columns})
         select site, grant_id, client_id, subject, scopes, resource, redirect_uri, redeemed_at,
           redeemed_at, $4, $5, bound_to
         from held
         where redeemed_at is not null and not exists (
           select from hallpass_grant known
           where known.site = $1 and known.grant_id = held.grant_id
         )
         on conflict (site, grant_id) do update
           set revoked_at = excluded.revoked_at, revoked_reason = excluded.revoked_reason
           where g.revoked_at is null
         returning 1
       ), ended_grants as (
         select (select count(*) from revoked) + (select count(*) from revoked_new) as revoked
       )${keepingCount(events.length > 0, '$6', '(select revoked from ended_grants)')}
       select revoked from ended_grants`,
      clientId,
      subject,
      revokedAt,
      revokedReason,
      ...sent(events),
    )
    const revoked = Number(rows[0]!.revoked)
    // The lost attempt may have revoked them, so that how many there were is not known.
    if (revoked === 0 && lost !== null) throw lost.fault
    return revoked
  }

  return withTextKeys<Store>({
    guarantees: guaranteesOfServer(guarantees),
    findClient: (clientId) =>
      find<Client>('findClient', {
        table: CLIENT,
        where: 'client_id = $2 and deleted_at is null',
        key: clientId,
      }),
    async insertClient(client, events = []) {
      const inserted = await change(
        'insertClient',
        events,
        `${insertion(CLIENT, '$2', '$1 = site')} on conflict do nothing returning 1`,
        [CLIENT.toRow(site, client)],
      )
      return settled<'inserted' | 'exists'>(inserted, {
        outcome: inserted.rows.length > 0 ? 'inserted' : 'exists',
        won: 'inserted',
        isOwn: () => isStoredAs('insertClient', client),
      })
    },
    async replaceClient(client, events = []) {
      // Without a lock, the last look would find a row that was deleted while the update waited for it.
      const replaced = await write<{ outcome: 'replaced' | 'conflict' | 'missing' }>(
        'replaceClient',
        `with replaced as (
           update hallpass_client client set (${REPLACEABLE}) = (
             select ${REPLACEABLE} from jsonb_populate_record(null::hallpass_client, $4::text::jsonb)
           )
           where site = $1 and client_id = $2 and revision = $3 and deleted_at is null returning 1
         )${keeping(events.length > 0, '$5', 'replaced')}
         select case
           when exists (select from replaced) then 'replaced'
           when exists (
             select from hallpass_client
             where site = $1 and client_id = $2 and deleted_at is null for update
           ) then 'conflict'
           else 'missing'
         end as outcome`,
        client.clientId,
        client.revision - 1,
        CLIENT.toRow(site, client),
        ...sent(events),
      )
      return settled(replaced, {
        outcome: replaced.rows[0]!.outcome,
        won: 'replaced',
        isOwn: () => isStoredAs('replaceClient', client),
      })
    },
    async listClients({ kinds, search, after, limit, now }) {
      const rows = await query<{
        record: Record<string, unknown>
        people: number | string
        last_issued_at: number | string | null
      }>(
        'listClients',
        `select to_jsonb(client) as record, use.*
         from (
           select * from hallpass_client
           where site = $1 and deleted_at is null
             and kind in (select jsonb_array_elements_text($2::text::jsonb))
             and ($3::text is null or strpos(lower(name), lower($3)) > 0)
             and ($4::bigint is null or created_at < $4 or (
               created_at = $4 and client_id collate "C" > $5::text
             ))
           order by created_at desc, client_id collate "C" limit $6
         ) client
         cross join lateral (
           select count(distinct subject) as people, max(${LAST_ISSUED_AT}) as last_issued_at
           from hallpass_grant g
           where g.site = $1 and g.client_id = client.client_id
             and g.revoked_at is null and g.expires_at > $7
         ) use
         order by client.created_at desc, client.client_id collate "C"`,
        JSON.stringify(kinds),
        search,
        after?.createdAt ?? null,
        after?.clientId ?? null,
        limit,
        now,
      )
      return rows.map(({ record, people, last_issued_at }) => ({
        client: CLIENT.fromRow(record),
        people: Number(people),
        lastIssuedAt: last_issued_at === null ? null : Number(last_issued_at),
      }))
    },

    async savePending(pending) {
      const saved = await write(
        'savePending',
        selected(`${insertion(PENDING, '$2', '$1 = site')} on conflict do nothing returning 1`),
        PENDING.toRow(site, pending),
      )
      // After a lost connection, the row is the one that the first attempt wrote.
      if (saved.rows.length === 0 && saved.lost === null)
        throw new Error('an authorization request with this idHash is stored already')
    },
    findPending: (idHash) =>
      find('findPending', { table: PENDING, where: 'id_hash = $2', key: idHash }),
    async endPending(idHash, events = [], next) {
      const ended =
        next === undefined
          ? await change('endPending', events, `${END_PENDING} returning 1`, [idHash])
          : await write(
              'endPending',
              REPLACE_PENDING(events.length > 0),
              idHash,
              PENDING.toRow(site, next),
              ...sent(events),
            )
      return settled<'ended' | 'gone'>(ended, {
        outcome: ended.rows.length > 0 ? 'ended' : 'gone',
        won: 'ended',
        ...(next !== undefined && {
          isOwn: async () =>
            (await query('endPending', FIND_NEXT, next.idHash, next.browserHash)).length > 0,
        }),
      })
    },

    async hasConsent(consentKey) {
      const found = await query(
        'hasConsent',
        'select from hallpass_consent where site = $1 and consent_key = $2',
        consentKey,
      )
      return found.length > 0
    },

    async issueCode({ code, pendingIdHash, consentKey }, events = []) {
      // The row of the person orders this and an erasure: the second of them waits for the first.
      const sql = `with person as (
         insert into hallpass_erasure as known (site, subject_hash, erased_at) values ($1, $7, ${NEVER})
         on conflict (site, subject_hash) do update set erased_at = known.erased_at
           where known.erased_at <> ${NEVER}
         returning erased_at
       ), permitted as (
         select 1 where not exists (select from person where erased_at <> ${NEVER})
       ), pending as (
         delete from hallpass_pending
         where site = $1 and id_hash = $2 and exists (select from permitted)
         returning 1
       ), ready as (
         select 1 from permitted where $2::text is null or exists (select from pending)
       ), consent as (
         insert into hallpass_consent (site, consent_key, client_id, subject)
         select $1, $3, $5, $6 from ready where $3::text is not null
         on conflict do nothing
       ), code as (
         ${insertion(CODE, '$4', 'exists (select from ready)')}
       )${keeping(events.length > 0, '$8', 'ready')}
       select from ready`
      const issued = await ask(
        { verb: 'issueCode', sql },
        [
          site,
          pendingIdHash,
          consentKey,
          CODE.toRow(site, code),
          code.clientId,
          code.subject,
          sha256Base64url(code.subject),
          ...sent(events),
        ],
        // A second attempt may find the code of the first one.
        UNIQUE_VIOLATION,
      )
      if (issued.tolerated !== null && issued.lost === null) throw issued.tolerated.fault
      return settled<'issued' | 'gone'>(issued, {
        outcome: issued.rows.length > 0 ? 'issued' : 'gone',
        won: 'issued',
        isOwn: () =>
          isStored('issueCode', { table: CODE.name, column: 'code_hash', key: code.codeHash }),
      })
    },
    async findCode(codeHash) {
      const [found] = await query<{
        code: Record<string, unknown>
        client: Record<string, unknown> | null
      }>('findCode', FIND_CODE, codeHash)
      return found === undefined
        ? null
        : { ...CODE.fromRow(found.code), client: joinedClient(found.client) }
    },
    async redeemCode({ codeHash, redeemedAt, grant, accessToken, refreshToken }, events = []) {
      const redeemed = await write<{ outcome: 'redeemed' | 'spent' | 'missing' }>(
        'redeemCode',
        REDEEM_CODE(events.length > 0),
        codeHash,
        redeemedAt,
        GRANT.toRow(site, grant),
        ACCESS_TOKEN.toRow(site, accessToken),
        REFRESH_TOKEN.toRow(site, refreshToken, null),
        ...sent(events),
      )
      return settled(redeemed, {
        outcome: redeemed.rows[0]!.outcome,
        won: 'redeemed',
        isOwn: () =>
          isStored('redeemCode', {
            table: ACCESS_TOKEN.name,
            column: 'token_hash',
            key: accessToken.tokenHash,
          }),
      })
    },

    async findRefreshToken(tokenHash) {
      const [found] = await query<{
        token: Record<string, unknown>
        grant: Record<string, unknown>
        client: Record<string, unknown> | null
        successor_used: boolean
        salt: string | null
      }>('findRefreshToken', FIND_REFRESH_TOKEN, tokenHash)
      return found === undefined
        ? null
        : {
            refreshToken: REFRESH_TOKEN.fromRow(found.token, found.salt),
            grant: GRANT.fromRow(found.grant),
            successorUsed: found.successor_used,
            client: joinedClient(found.client),
          }
    },
    async rotateRefreshToken(
      { tokenHash, rotation, successor, accessToken, forgetSaltsUntil },
      events = [],
    ) {
      const rotated = await write<{ outcome: 'rotated' | 'spent' | 'revoked' }>(
        'rotateRefreshToken',
        ROTATE_REFRESH_TOKEN(events.length > 0),
        tokenHash,
        JSON.stringify(packRotation(rotation)),
        REFRESH_TOKEN.toRow(site, successor, rotation.salt),
        ACCESS_TOKEN.toRow(site, accessToken),
        forgetSaltsUntil,
        rotation.rotatedAt - forgetSaltsUntil,
        ...sent(events),
      )
      return settled<'rotated' | 'spent' | 'revoked' | 'missing'>(rotated, {
        outcome: rotated.rows[0]?.outcome ?? 'missing',
        won: 'rotated',
        isOwn: () =>
          isStored('rotateRefreshToken', {
            table: REFRESH_TOKEN.name,
            column: 'token_hash',
            key: successor.tokenHash,
          }),
      })
    },

    async findAccessToken(tokenHash) {
      const [found] = await query<{
        token: Record<string, unknown>
        grant: Record<string, unknown>
        client: Record<string, unknown> | null
      }>('findAccessToken', FIND_ACCESS_TOKEN, tokenHash)
      return found === undefined
        ? null
        : {
            accessToken: ACCESS_TOKEN.fromRow(found.token),
            grant: GRANT.fromRow(found.grant),
            client: joinedClient(found.client),
          }
    },
    async revokeAccessToken({ tokenHash, revokedAt }, events = []) {
      const revoked = await change(
        'revokeAccessToken',
        events,
        `update hallpass_access_token set revoked_at = $3
         where site = $1 and token_hash = $2 and revoked_at is null returning 1`,
        [tokenHash, revokedAt],
      )
      return settled<'revoked' | 'missing'>(revoked, {
        outcome: revoked.rows.length > 0 ? 'revoked' : 'missing',
        won: 'revoked',
      })
    },
    async revokeGrant({ grantId, revokedAt, revokedReason }, events = []) {
      const revoked = await change(
        'revokeGrant',
        events,
        `update hallpass_grant set revoked_at = $3, revoked_reason = $4
         where site = $1 and grant_id = $2 and revoked_at is null returning 1`,
        [grantId, revokedAt, revokedReason],
      )
      return settled<'revoked' | 'missing'>(revoked, {
        outcome: revoked.rows.length > 0 ? 'revoked' : 'missing',
        won: 'revoked',
      })
    },

    async findGrant(grantId) {
      const [found] = await query<{
        grant: Record<string, unknown>
        client: Record<string, unknown> | null
      }>(
        'findGrant',
        `select to_jsonb(g) as "grant", to_jsonb(client) as client
         from hallpass_grant g ${joinClientOf('g')}
         where g.site = $1 and g.grant_id = $2`,
        grantId,
      )
      return found === undefined
        ? null
        : { grant: GRANT.fromRow(found.grant), client: joinedClient(found.client) }
    },
    async widenGrant({ grantId, scopes }, events = []) {
      const widened = await write(
        'widenGrant',
        `with widened as (
           update hallpass_grant set scopes = ${widenedBy('$3')}
           where site = $1 and grant_id = $2 and revoked_at is null returning 1
         ), tokens as (
           update hallpass_access_token set scopes = ${widenedBy('$3')}
           where site = $1 and grant_id = $2 and revoked_at is null and exists (select from widened)
         )${keeping(events.length > 0, '$4', 'widened')}
         select from widened`,
        grantId,
        JSON.stringify(scopes),
        ...sent(events),
      )
      return settled<'widened' | 'gone'>(widened, {
        outcome: widened.rows.length > 0 ? 'widened' : 'gone',
        won: 'widened',
      })
    },

    revokeGrants: revokeThose,
    revokeGrantsOfClient: (revocation, events) =>
      revokeThose({ ...revocation, subject: null }, events),
    async revokeAllGrants({ issuedBefore, revokedAt, revokedReason, limit }, events = []) {
      // A code that is being redeemed is waited for, and is counted when it is deleted although it was redeemed.
      // So the caller repeats this statement, which then finds the grant. Each order is that of an index, in which
      // rows of the calls before are not visited again.
      const { rows, lost } = await write<
        Readonly<Record<keyof Counted<'revokeAllGrants'>, number | string>>
      >(
        'revokeAllGrants',
        `with grants as (
           update hallpass_grant set revoked_at = $3, revoked_reason = $4
           where site = $1 and revoked_at is null and grant_id = any(array(
             select grant_id from hallpass_grant
             where site = $1 and revoked_at is null and created_at < $2
             order by client_id, subject limit $5
           )) returning 1
         ), codes as (
           delete from hallpass_code where site = $1 and code_hash = any(array(
             select code_hash from hallpass_code
             where site = $1 and redeemed_at is null and issued_at < $2
             order by client_id, subject limit $5
           )) returning 1
         ), consents as (
           delete from hallpass_consent where site = $1 and consent_key = any(array(
             select consent_key from hallpass_consent where site = $1 order by consent_key limit $5
           )) returning 1
         ), pending as (
           delete from hallpass_pending where site = $1 and id_hash = any(array(
             select id_hash from hallpass_pending
             where site = $1 and created_at < $2 order by expires_at limit $5
           )) returning 1
         ), counted as (
           select (select count(*) from grants) as grants, (select count(*) from codes) as codes,
             (select count(*) from consents) as consents, (select count(*) from pending) as pending
         ), done as (
           select from counted where grants + codes + consents + pending = 0
         )${keeping(events.length > 0, '$6', 'done')}
         select * from counted`,
        issuedBefore,
        revokedAt,
        revokedReason,
        limit,
        ...sent(events),
      )
      const { grants, codes, consents, pending } = rows[0]!
      const revoked = {
        grants: Number(grants),
        codes: Number(codes),
        consents: Number(consents),
        pending: Number(pending),
      }
      // The lost attempt may have ended them, so that how many there were is not known.
      if (lost !== null && Object.values(revoked).every((count) => count === 0)) throw lost.fault
      return revoked
    },
    async listGrants({ of, after, limit, now }) {
      const clientId = of !== 'everyone' && 'clientId' in of ? of.clientId : null
      const subject = of !== 'everyone' && 'subject' in of ? of.subject : null
      const rows = await query<{
        record: Record<string, unknown>
        last_issued_at: number | string
      }>(
        'listGrants',
        `select to_jsonb(g) as record, ${LAST_ISSUED_AT} as last_issued_at
         from hallpass_grant g
         where site = $1 and revoked_at is null and expires_at > $2
           and ${matching('client_id', '$3', clientId)} and ${matching('subject', '$4', subject)}
           and ($5::bigint is null or created_at < $5 or (
             created_at = $5 and grant_id collate "C" > $6::text
           ))
         order by created_at desc, grant_id collate "C" limit $7`,
        now,
        clientId,
        subject,
        after?.createdAt ?? null,
        after?.grantId ?? null,
        limit,
      )
      return rows.map(({ record, last_issued_at }) => ({
        grant: GRANT.fromRow(record),
        lastIssuedAt: Number(last_issued_at),
      }))
    },
    async erasePerson({ subject, loginHints, erasedAt }, events = []) {
      await query(
        'erasePerson',
        selected(
          `insert into hallpass_erasure (site, subject_hash, erased_at) values ($1, $2, $3)
           on conflict (site, subject_hash) do update set erased_at = excluded.erased_at returning 1`,
        ),
        sha256Base64url(subject),
        erasedAt,
      )
      // From here on no code is issued. A code that is being redeemed is deleted by the first round, and the
      // grant that it became by the next one. A round that finds nothing is the proof.
      const erased: Record<keyof Counted<'erasePerson'>, number> = {
        grants: 0,
        codes: 0,
        consents: 0,
        pending: 0,
      }
      for (let round = 0; round < ROUNDS; round++) {
        const { rows, lost } = await write<
          Readonly<Record<keyof Counted<'erasePerson'>, number | string>>
        >(
          'erasePerson',
          `with pending as (
             delete from hallpass_pending where site = $1 and lower(login_hint) = any(array(
               select lower(hint) from jsonb_array_elements_text($3::text::jsonb) hint
             )) returning 1
           ), codes as (
             delete from hallpass_code where site = $1 and subject = $2 returning 1
           ), consents as (
             delete from hallpass_consent where site = $1 and subject = $2 returning 1
           ), grants as (
             delete from hallpass_grant where site = $1 and subject = $2 returning 1
           ), nameless as (
             update hallpass_outbox set event = event
               || case when event ->> 'subject' = $2 then '{"subject":null}'::jsonb else '{}' end
               || case when event ->> 'actor' = $2 then '{"actor":null}'::jsonb else '{}' end
             where site = $1 and $2 in (event ->> 'subject', event ->> 'actor')
           )${keepingCount(events.length > 0, '$4', '(select count(*) from grants)')}
           select (select count(*) from grants) as grants, (select count(*) from codes) as codes,
             (select count(*) from consents) as consents, (select count(*) from pending) as pending`,
          subject,
          JSON.stringify(loginHints),
          ...sent(events),
        )
        const found = Object.entries(rows[0]!).map(
          ([kind, count]) => [kind as keyof Counted<'erasePerson'>, Number(count)] as const,
        )
        for (const [kind, count] of found) erased[kind] += count
        if (found.some(([, count]) => count > 0)) continue
        // The lost attempt may have deleted them, so that how many there were is not known.
        if (round === 0 && lost !== null) throw lost.fault
        return erased
      }
      throw new Error('the erasure of a person found further rows in each round: repeat it')
    },

    async listKeys() {
      const rows = await query<{ record: Record<string, unknown> }>(
        'listKeys',
        'select to_jsonb(t) as record from hallpass_key t where site = $1 order by created_at, kid',
      )
      return rows.map(({ record }) => KEY.fromRow(record))
    },
    async insertKey(key) {
      const inserted = await write(
        'insertKey',
        selected(
          `${insertion(KEY, '$2', '$1 = site')} on conflict (site, kid) do nothing returning 1`,
        ),
        KEY.toRow(site, key),
      )
      return settled<'inserted' | 'exists'>(inserted, {
        outcome: inserted.rows.length > 0 ? 'inserted' : 'exists',
        won: 'inserted',
        isOwn: () =>
          isStored('insertKey', { table: KEY.name, column: 'public_jwk', key: key.publicJwk }),
      })
    },
    async moveKey({ key, from, sealed = null }, events = []) {
      const moved = await change(
        'moveKey',
        events,
        `update hallpass_key key set (
           state, public_jwk, sealed_private_key, created_at, published_at, activated_at, retiring_at,
           retired_at
         ) = (
           select state, public_jwk, sealed_private_key, created_at, published_at, activated_at,
             retiring_at, retired_at
           from jsonb_populate_record(null::hallpass_key, $4::text::jsonb)
         )
         where site = $1 and kid = $2 and state = $3
           and ($5::text is null or sealed_private_key = $5) returning 1`,
        [key.kid, from, KEY.toRow(site, key), sealed],
        // The unique index allows one active key per site.
        UNIQUE_VIOLATION,
      )
      return settled<'moved' | 'conflict'>(moved, {
        outcome: moved.rows.length > 0 ? 'moved' : 'conflict',
        won: 'moved',
      })
    },

    async findClock() {
      const [row] = await query<{
        now: number | string
        mark: Record<string, unknown> | null
      }>(
        'findClock',
        `select coalesce($2::bigint, ${DATABASE_NOW}) as now,
           (select to_jsonb(t) from hallpass_clock t where site = $1) as mark`,
        testNow?.() ?? null,
      )
      const { now, mark } = row!
      return { now: Number(now), mark: mark === null ? null : CLOCK.fromRow(mark) }
    },
    async moveClock({ from, to }, events = []) {
      const moved =
        from === null
          ? await change(
              'moveClock',
              events,
              `insert into hallpass_clock (site, trusted_at, leap) values ($1, $2, $3::text::jsonb)
               on conflict (site) do nothing returning 1`,
              [to.trustedAt, textOf(to.leap)],
            )
          : await change(
              'moveClock',
              events,
              `update hallpass_clock set trusted_at = $2, leap = $3::text::jsonb
               where site = $1 and trusted_at = $4 and leap is not distinct from $5::text::jsonb
               returning 1`,
              [to.trustedAt, textOf(to.leap), from.trustedAt, textOf(from.leap)],
            )
      return settled<'moved' | 'conflict'>(moved, {
        outcome: moved.rows.length > 0 ? 'moved' : 'conflict',
        won: 'moved',
      })
    },

    async useOnce({ key, until, claim = null }) {
      const used = await write('useOnce', USE_ONCE, key, until, claim)
      return settled<'first' | 'again'>(used, {
        outcome: used.rows.length > 0 ? 'first' : 'again',
        won: 'first',
        ...(claim !== null && {
          isOwn: async () => (await query('useOnce', FIND_USE, key, claim)).length > 0,
        }),
      })
    },
    async giveBack({ key, claim }) {
      await query('giveBack', GIVE_BACK, key, claim)
    },

    async listEvents({ limit }) {
      const rows = await query<{ event: StoredEvent }>(
        'listEvents',
        'select event from hallpass_outbox where site = $1 order by stored_at, event_id limit $2',
        limit,
      )
      return rows.map(({ event }) => event)
    },
    async deleteEvents(ids) {
      await query(
        'deleteEvents',
        selected(
          `delete from hallpass_outbox where site = $1 and event_id = any(array(
             select jsonb_array_elements_text($2::text::jsonb)
           )) returning 1`,
        ),
        JSON.stringify(ids),
      )
    },

    async purge({ now, limit }) {
      let rows = 0
      let dueSince = Infinity
      for (const statement of PURGES) {
        const [purged] = await query<{ rows: number | string; due_since: number | string | null }>(
          'purge',
          statement,
          now,
          limit,
          testNow?.() ?? null,
        )
        rows += Number(purged!.rows)
        dueSince = Math.min(dueSince, Number(purged!.due_since ?? Infinity))
      }
      return { rows, dueSince: dueSince === Infinity ? null : dueSince }
    },
  })
}
