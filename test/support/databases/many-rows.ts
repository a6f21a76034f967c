import type pg from 'pg'

const DAY = 86_400

/**
 * Fills every table of the store with so many rows, for measurements and for the plans of its statements: one site
 * with a client for a hundred grants, two grants for each person, a code, a pair of tokens and a pending request for each
 * grant. Keys and clocks are those of other sites, since a site has few of them.
 *
 * @param size - `rows` of each kind; `now`: epoch seconds, at which all of them are live
 */
export async function fillTables(
  pool: pg.Pool,
  { site, rows, now }: { site: string; rows: number; now: number },
): Promise<void> {
  for (const sql of FILLING) await pool.query(sql.replaceAll('$3', String(now)), [site, rows])
  await pool.query('vacuum analyze')
}

/** A key as long as a hash. */
const key = (kind: string): string => `rpad('${kind}' || i, 43, '-')`
const CLIENT = `'client ' || i % greatest($2 / 100, 1)`
const PERSON = `'mem_' || i % greatest($2 / 2, 1)`
const SCOPES = `'["openid","courses:read"]'`
/** As long as a record. */
const RECORD = `rpad('{}', 400)`

const FILLING: readonly string[] = [
  `insert into hallpass_client (site, client_id, kind, search, revision, created_at, used_at, due_at, record)
   select $1, 'client ' || i, case i % 2 when 0 then 'loopback' else 'document' end, 'client ' || i, 1, $3 - i,
     case i % 3 when 0 then null else $3 end, case i % 3 when 0 then $3 + ${7 * DAY} - i end, ${RECORD}
   from generate_series(1, $2) i`,
  `insert into hallpass_pending (site, id_hash, hint, created_at, due_at, record)
   select $1, ${key('p')}, case i % 2 when 0 then 'person' || i || '@example.com' end, $3, $3 + i, ${RECORD}
   from generate_series(1, $2) i`,
  `insert into hallpass_consent (site, consent_key, client_id, subject)
   select $1, ${key('c')}, ${CLIENT}, ${PERSON} from generate_series(1, $2) i`,
  `insert into hallpass_code (site, code_hash, client_id, subject, issued_at, redeemed_at, due_at, record)
   select $1, ${key('code')}, ${CLIENT}, ${PERSON}, $3, case i % 10 when 0 then null else $3 end,
     $3 + ${DAY} + i, ${RECORD}
   from generate_series(1, $2) i`,
  `insert into hallpass_grant (site, grant_id, client_id, subject, scopes, created_at, due_at, revoked_at, record)
   select $1, 'grant_' || i, ${CLIENT}, ${PERSON}, ${SCOPES}, $3 - i, $3 + ${180 * DAY} - i,
     case i % 10 when 0 then $3 end, '{}'
   from generate_series(1, $2) i`,
  `insert into hallpass_access_token (site, token_hash, grant_id, scopes, issued_at, due_at)
   select $1, ${key('access')}, 'grant_' || i, ${SCOPES}, $3, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_refresh_token (site, token_hash, grant_id, issued_at, expires_at, due_at)
   select $1, ${key('refresh')}, 'grant_' || i, $3 - i, $3 + ${30 * DAY} - i, $3 + ${180 * DAY} - i
   from generate_series(1, $2) i`,
  `insert into hallpass_idempotency (site, key_hash, request_hash, due_at)
   select $1, ${key('k')}, ${key('r')}, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_use (site, use_key, due_at)
   select $1, ${key('u')}, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_erasure (site, subject_hash, due_at)
   select $1, ${key('e')}, $3 + ${DAY} + i from generate_series(1, $2) i`,
  `insert into hallpass_outbox (site, seq, event_hash, due_at, subject, record)
   select $1, i, ${key('event')}, $3 + ${30 * DAY} + i, to_json(${PERSON})::text, '{}'
   from generate_series(1, $2) i`,
  `insert into hallpass_key (site, kid, state, active, created_at, record)
   select 'site ' || i, 'kid ' || i, 'active', 1, $3, '{}' from generate_series(1, $2) i where $1 <> ''`,
  `insert into hallpass_clock (site, trusted_at) select 'site ' || i, $3 from generate_series(1, $2) i
   where $1 <> ''`,
]
