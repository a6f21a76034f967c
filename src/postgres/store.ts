import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { ClockMark, KeyRecord, PendingAuthorization } from '../store/records.js'
import type { ErasedRows, Store } from '../store/store.js'
import { type Execute, type QueryResult, rowsOf } from './execute.js'
import { fromRow, toRow } from './row.js'

const DAY_SECONDS = 86_400
const UNIQUE_VIOLATION = '23505'
const DATABASE_NOW = 'floor(extract(epoch from statement_timestamp()))::bigint'
/**
 * The time by which rows are deleted: that of the caller, `$2`, or a minute before that of the database if
 * that is earlier. So a process with a wrong clock deletes nothing that is live for others.
 */
const DUE = `least($2::bigint, coalesce($4::bigint, ${DATABASE_NOW}) - 60)`

/** The columns that `replaceClient` writes. */
const REPLACEABLE = `kind, name, redirect_uris, token_endpoint_auth_method, secrets, scopes, disabled,
  description, icon, revision, created_at, deleted_at, document`

/** The time at which a grant `g` last issued a token. */
const LAST_ISSUED_AT = `greatest(g.created_at, (
  select max(issued_at) from hallpass_refresh_token token
  where token.site = g.site and token.grant_id = g.grant_id
))`

/**
 * Creates a store on PostgreSQL, in the tables that {@link migratePostgres} creates. Each method except
 * `purge` is one statement. It is therefore atomic on any connection of a pool, at the default isolation
 * level (read committed).
 *
 * @param options - `execute`: runs one statement; `site`: the value of the `site` column of every row
 *   that it reads and writes, so that several sites can share a database. `now`: returns the time in epoch
 *   seconds, for tests that have a clock of their own. Default of `now`: the clock of the database
 * @returns a store whose methods reject with the driver's error, or with a TypeError if `execute` resolves
 *   to neither `{ rows }` nor the rows
 * @example
 * ```ts
 * import { createPostgresStore, type Execute } from 'hallpass/postgres'
 *
 * // In place of an empty database. With pg: (sql, parameters) => pool.query(sql, parameters)
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const store = createPostgresStore({ execute, site: 'school' })
 * await store.findClient('study-app') // => null
 * await store.listKeys() // => []
 * ```
 *
 * @group Storage
 */
export function createPostgresStore({
  execute,
  site,
  now: testNow,
}: {
  execute: Execute<QueryResult>
  site: string
  now?: () => number
}): Store {
  /** `$1` is always the site. */
  async function query<Row>(sql: string, ...parameters: unknown[]): Promise<readonly Row[]> {
    return rowsOf(await execute(sql, [site, ...parameters])) as readonly Row[]
  }
  async function find<Found>(sql: string, key: string): Promise<Found | null> {
    const [found] = await query<{ record: Record<string, unknown> }>(sql, key)
    return found === undefined ? null : (fromRow(found.record) as Found)
  }
  const write = (record: object): string => toRow(site, record)
  const textOf = (leap: ClockMark['leap']): string | null =>
    leap === null ? null : JSON.stringify(leap)

  return {
    findClient: (clientId) =>
      find<Client>(
        `select to_jsonb(t) as record from hallpass_client t
         where site = $1 and client_id = $2 and deleted_at is null`,
        clientId,
      ),
    async insertClient(client) {
      const inserted = await query(
        `insert into hallpass_client
         select * from jsonb_populate_record(null::hallpass_client, $2::text::jsonb) where $1 = site
         on conflict do nothing returning 1`,
        write(client),
      )
      return inserted.length > 0 ? 'inserted' : 'exists'
    },
    async replaceClient(client) {
      const [row] = await query<{ outcome: 'replaced' | 'conflict' | 'missing' }>(
        `with replaced as (
           update hallpass_client client set (${REPLACEABLE}) = (
             select ${REPLACEABLE} from jsonb_populate_record(null::hallpass_client, $4::text::jsonb)
           )
           where site = $1 and client_id = $2 and revision = $3 and deleted_at is null returning 1
         )
         select case
           when exists (select from replaced) then 'replaced'
           when exists (
             select from hallpass_client where site = $1 and client_id = $2 and deleted_at is null
           ) then 'conflict'
           else 'missing'
         end as outcome`,
        client.clientId,
        client.revision - 1,
        write(client),
      )
      return row!.outcome
    },
    async listClients({ kinds, search, after, limit, now }) {
      const rows = await query<{
        record: Record<string, unknown>
        people: number | string
        last_issued_at: number | string | null
      }>(
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
        client: fromRow(record) as Client,
        people: Number(people),
        lastIssuedAt: last_issued_at === null ? null : Number(last_issued_at),
      }))
    },

    async savePending(pending) {
      await query(
        `insert into hallpass_pending
         select * from jsonb_populate_record(null::hallpass_pending, $2::text::jsonb) where $1 = site`,
        write(pending),
      )
    },
    findPending: (idHash) =>
      find<PendingAuthorization>(
        'select to_jsonb(t) as record from hallpass_pending t where site = $1 and id_hash = $2',
        idHash,
      ),
    async endPending(idHash) {
      const ended = await query(
        'delete from hallpass_pending where site = $1 and id_hash = $2 returning 1',
        idHash,
      )
      return ended.length > 0 ? 'ended' : 'gone'
    },

    async hasConsent(consentKey) {
      const found = await query(
        'select from hallpass_consent where site = $1 and consent_key = $2',
        consentKey,
      )
      return found.length > 0
    },

    async issueCode({ code, pendingIdHash, consentKey }) {
      const issued = await query(
        `with permitted as (
           select 1 where not hallpass_is_erased($1, $6)
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
           insert into hallpass_code
           select code.* from ready, jsonb_populate_record(null::hallpass_code, $4::text::jsonb) code
         )
         select from ready`,
        pendingIdHash,
        consentKey,
        write(code),
        code.clientId,
        code.subject,
      )
      return issued.length > 0 ? 'issued' : 'gone'
    },
    findCode: (codeHash) =>
      find<AuthorizationCode>(
        'select to_jsonb(t) as record from hallpass_code t where site = $1 and code_hash = $2',
        codeHash,
      ),
    async redeemCode({ codeHash, redeemedAt, grant, accessToken, refreshToken }) {
      const [row] = await query<{ outcome: 'redeemed' | 'spent' | 'missing' }>(
        `with redeemed as (
           update hallpass_code set redeemed_at = $3
           where site = $1 and code_hash = $2 and redeemed_at is null
           returning client_id
         ), new_grant as (
           insert into hallpass_grant
           select g.* from redeemed, jsonb_populate_record(null::hallpass_grant, $4::text::jsonb) g
         ), new_access_token as (
           insert into hallpass_access_token
           select a.* from redeemed, jsonb_populate_record(null::hallpass_access_token, $5::text::jsonb) a
         ), new_refresh_token as (
           insert into hallpass_refresh_token
           select r.* from redeemed, jsonb_populate_record(null::hallpass_refresh_token, $6::text::jsonb) r
         ), used_client as (
           update hallpass_client client set used_at = $3 from redeemed
           where client.site = $1 and client.client_id = redeemed.client_id and client.used_at is null
         )
         select case
           when exists (select from redeemed) then 'redeemed'
           when exists (select from hallpass_code where site = $1 and code_hash = $2) then 'spent'
           else 'missing'
         end as outcome`,
        codeHash,
        redeemedAt,
        write(grant),
        write(accessToken),
        write(refreshToken),
      )
      return row!.outcome
    },

    async findRefreshToken(tokenHash) {
      const [found] = await query<{
        token: Record<string, unknown>
        grant: Record<string, unknown>
        successor_used: boolean
      }>(
        `select to_jsonb(token) as token, to_jsonb(g) as "grant", exists (
           select from hallpass_refresh_token successor
           where successor.site = $1 and successor.token_hash = token.rotation ->> 'successorHash'
             and successor.rotation is not null
         ) as successor_used
         from hallpass_refresh_token token join hallpass_grant g using (site, grant_id)
         where token.site = $1 and token.token_hash = $2`,
        tokenHash,
      )
      return found === undefined
        ? null
        : {
            refreshToken: fromRow(found.token) as RefreshToken,
            grant: fromRow(found.grant) as Grant,
            successorUsed: found.successor_used,
          }
    },
    async rotateRefreshToken({ tokenHash, rotation, successor, accessToken }) {
      // The lock on the grant waits for a concurrent revocation, so that its result is read here. It comes
      // before the lock on the token, because an erasure deletes the grant and then its tokens.
      const [row] = await query<{ outcome: 'rotated' | 'spent' | 'revoked' }>(
        `with held as (
           select token.token_hash, case
             when g.revoked_at is not null then 'revoked'
             when token.rotation is not null then 'spent'
             else 'rotated'
           end as outcome
           from hallpass_refresh_token token join hallpass_grant g using (site, grant_id)
           where token.site = $1 and token.token_hash = $2
           for share of g for update of token
         ), rotated as (
           update hallpass_refresh_token token set rotation = $3::text::jsonb from held
           where token.site = $1 and token.token_hash = held.token_hash and held.outcome = 'rotated'
           returning 1
         ), successor as (
           insert into hallpass_refresh_token
           select r.* from rotated, jsonb_populate_record(null::hallpass_refresh_token, $4::text::jsonb) r
         ), new_access_token as (
           insert into hallpass_access_token
           select a.* from rotated, jsonb_populate_record(null::hallpass_access_token, $5::text::jsonb) a
         )
         select outcome from held`,
        tokenHash,
        JSON.stringify(rotation),
        write(successor),
        write(accessToken),
      )
      return row?.outcome ?? 'missing'
    },

    async findAccessToken(tokenHash) {
      const [found] = await query<{
        token: Record<string, unknown>
        grant: Record<string, unknown>
      }>(
        `select to_jsonb(token) as token, to_jsonb(g) as "grant"
         from hallpass_access_token token join hallpass_grant g using (site, grant_id)
         where token.site = $1 and token.token_hash = $2`,
        tokenHash,
      )
      return found === undefined
        ? null
        : {
            accessToken: fromRow(found.token) as AccessToken,
            grant: fromRow(found.grant) as Grant,
          }
    },
    async revokeAccessToken({ tokenHash, revokedAt }) {
      const revoked = await query(
        `update hallpass_access_token set revoked_at = $3
         where site = $1 and token_hash = $2 and revoked_at is null returning 1`,
        tokenHash,
        revokedAt,
      )
      return revoked.length > 0 ? 'revoked' : 'missing'
    },
    async revokeGrant({ grantId, revokedAt, revokedReason }) {
      const revoked = await query(
        `update hallpass_grant set revoked_at = $3, revoked_reason = $4
         where site = $1 and grant_id = $2 and revoked_at is null returning 1`,
        grantId,
        revokedAt,
        revokedReason,
      )
      return revoked.length > 0 ? 'revoked' : 'missing'
    },

    async revokeGrants({ clientId, subject, revokedAt, revokedReason }) {
      const [row] = await query<{ revoked: number | string }>(
        'select hallpass_revoke_grants($1, $2, $3, $4, $5) as revoked',
        clientId,
        subject,
        revokedAt,
        revokedReason,
      )
      return Number(row!.revoked)
    },
    async listGrants({ clientId, subject, after, limit, now }) {
      const rows = await query<{
        record: Record<string, unknown>
        last_issued_at: number | string
      }>(
        `select to_jsonb(g) as record, ${LAST_ISSUED_AT} as last_issued_at
         from hallpass_grant g
         where site = $1 and revoked_at is null and expires_at > $2
           and ($3::text is null or client_id = $3) and ($4::text is null or subject = $4)
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
        grant: fromRow(record) as Grant,
        lastIssuedAt: Number(last_issued_at),
      }))
    },
    async erasePerson({ subject, loginHints, erasedAt }) {
      const [row] = await query<{ erased: ErasedRows }>(
        'select hallpass_erase_person($1, $2, $3::text::jsonb, $4) as erased',
        subject,
        JSON.stringify(loginHints),
        erasedAt,
      )
      return row!.erased
    },

    async listKeys() {
      const rows = await query<{ record: Record<string, unknown> }>(
        'select to_jsonb(t) as record from hallpass_key t where site = $1 order by created_at, kid',
      )
      return rows.map(({ record }) => fromRow(record) as KeyRecord)
    },
    async insertKey(key) {
      const inserted = await query(
        `insert into hallpass_key
         select * from jsonb_populate_record(null::hallpass_key, $2::text::jsonb) where $1 = site
         on conflict (site, kid) do nothing returning 1`,
        write(key),
      )
      return inserted.length > 0 ? 'inserted' : 'exists'
    },
    async moveKey({ key, from }) {
      try {
        const moved = await query(
          `update hallpass_key key set (
             state, public_jwk, sealed_private_key, created_at, published_at, activated_at, retiring_at,
             retired_at
           ) = (
             select state, public_jwk, sealed_private_key, created_at, published_at, activated_at,
               retiring_at, retired_at
             from jsonb_populate_record(null::hallpass_key, $4::text::jsonb)
           )
           where site = $1 and kid = $2 and state = $3 returning 1`,
          key.kid,
          from,
          write(key),
        )
        return moved.length > 0 ? 'moved' : 'conflict'
      } catch (fault) {
        // The unique index allows one active key per site.
        if ((fault as { code?: unknown }).code === UNIQUE_VIOLATION) return 'conflict'
        throw fault
      }
    },

    async findClock() {
      const [row] = await query<{
        now: number | string
        mark: Record<string, unknown> | null
      }>(
        `select coalesce($2::bigint, ${DATABASE_NOW}) as now,
           (select to_jsonb(t) from hallpass_clock t where site = $1) as mark`,
        testNow?.() ?? null,
      )
      const { now, mark } = row!
      return { now: Number(now), mark: mark === null ? null : (fromRow(mark) as ClockMark) }
    },
    async moveClock({ from, to }) {
      const moved =
        from === null
          ? await query(
              `insert into hallpass_clock (site, trusted_at, leap) values ($1, $2, $3::text::jsonb)
               on conflict (site) do nothing returning 1`,
              to.trustedAt,
              textOf(to.leap),
            )
          : await query(
              `update hallpass_clock set trusted_at = $2, leap = $3::text::jsonb
               where site = $1 and trusted_at = $4 and leap is not distinct from $5::text::jsonb
               returning 1`,
              to.trustedAt,
              textOf(to.leap),
              from.trustedAt,
              textOf(from.leap),
            )
      return moved.length > 0 ? 'moved' : 'conflict'
    },

    async purge({ now, limit }) {
      const before = (table: string, key: string, due: string) =>
        query(
          `delete from ${table} where site = $1 and ${key} in (
             select ${key} from ${table} where site = $1 and ${due} limit $3
           ) returning 1`,
          now,
          limit,
          testNow?.() ?? null,
        )
      const removed = [
        await before('hallpass_pending', 'id_hash', `expires_at <= ${DUE}`),
        await before('hallpass_access_token', 'token_hash', `expires_at <= ${DUE}`),
        await before('hallpass_idempotency', 'key_hash', `expires_at <= ${DUE}`),
        await before('hallpass_code', 'code_hash', `expires_at + ${DAY_SECONDS} <= ${DUE}`),
        await before('hallpass_erasure', 'subject_hash', `erased_at + ${DAY_SECONDS} <= ${DUE}`),
        await before(
          'hallpass_refresh_token',
          'token_hash',
          `grant_id in (select grant_id from hallpass_grant where site = $1 and expires_at <= ${DUE})`,
        ),
        await before(
          'hallpass_grant',
          'grant_id',
          `expires_at <= ${DUE} and not exists (
             select from hallpass_refresh_token token
             where token.site = $1 and token.grant_id = hallpass_grant.grant_id
           )`,
        ),
        await before(
          'hallpass_client',
          'client_id',
          `used_at is null and case kind
             when 'loopback' then created_at
             when 'document' then (document ->> 'fetchedAt')::bigint
           end + ${7 * DAY_SECONDS} <= ${DUE}
           and (kind = 'loopback' or (scopes is null and not disabled))
           and deleted_at is null`,
        ),
      ]
      return removed.reduce((total, rows) => total + rows.length, 0)
    },
  }
}
