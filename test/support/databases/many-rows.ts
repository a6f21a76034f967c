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
const SCOPES = `'["openid","courses:read"]'::jsonb`
const ORIGIN = `'https://school.example'`

const FILLING: readonly string[] = [
  `insert into hallpass_client (site, client_id, kind, name, redirect_uris, token_endpoint_auth_method, secrets,
     disabled, created_at, used_at, document)
   select $1, 'client ' || i, case i % 2 when 0 then 'loopback' else 'document' end, 'Client ' || i,
     '["http://127.0.0.1:7777/callback"]', 'none', '[]', false, $3 - i, case i % 3 when 0 then null else $3 end,
     jsonb_build_object('fetchedAt', $3 - i)
   from generate_series(1, $2) i`,
  `insert into hallpass_pending (site, id_hash, browser_hash, client_id, redirect_uri, scopes, resource,
     code_challenge, prompt, login_hint, created_at, expires_at)
   select $1, ${key('p')}, ${key('b')}, ${CLIENT}, ${ORIGIN}, ${SCOPES}, ${ORIGIN}, ${key('v')}, '[]',
     case i % 2 when 0 then 'Person' || i || '@example.com' end, $3, $3 + i
   from generate_series(1, $2) i`,
  `insert into hallpass_consent (site, consent_key, client_id, subject)
   select $1, ${key('c')}, ${CLIENT}, ${PERSON} from generate_series(1, $2) i`,
  `insert into hallpass_code (site, code_hash, grant_id, client_id, subject, scopes, resource, redirect_uri,
     code_challenge, issued_at, expires_at, redeemed_at)
   select $1, ${key('code')}, 'next_' || i, ${CLIENT}, ${PERSON}, ${SCOPES}, ${ORIGIN}, ${ORIGIN}, ${key('v')},
     $3, $3 + i, case i % 10 when 0 then null else $3 end
   from generate_series(1, $2) i`,
  `insert into hallpass_grant (site, grant_id, client_id, subject, scopes, resource, redirect_uri, created_at,
     expires_at, revoked_at)
   select $1, 'grant_' || i, ${CLIENT}, ${PERSON}, ${SCOPES}, ${ORIGIN}, ${ORIGIN}, $3 - i, $3 + ${180 * DAY} - i,
     case i % 10 when 0 then $3 end
   from generate_series(1, $2) i`,
  `insert into hallpass_access_token (site, token_hash, grant_id, scopes, issued_at, expires_at)
   select $1, ${key('access')}, 'grant_' || i, ${SCOPES}, $3, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_refresh_token (site, token_hash, grant_id, issued_at, expires_at)
   select $1, ${key('refresh')}, 'grant_' || i, $3 - i, $3 + ${30 * DAY} - i from generate_series(1, $2) i`,
  `insert into hallpass_idempotency (site, key_hash, request_hash, expires_at)
   select $1, ${key('k')}, ${key('r')}, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_use (site, key, expires_at)
   select $1, ${key('u')}, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_erasure (site, subject_hash, erased_at)
   select $1, ${key('e')}, $3 + i from generate_series(1, $2) i`,
  `insert into hallpass_outbox (site, event_id, stored_at, at, event)
   select $1, 'event ' || i, i, $3 + i, jsonb_build_object(
     'id', 'event ' || i, 'type', 'oauth.token.issued', 'at', $3, 'subject', ${PERSON}
   ) from generate_series(1, $2) i`,
  `insert into hallpass_key (site, kid, state, public_jwk, created_at)
   select 'site ' || i, 'kid ' || i, 'active', '{}', $3 from generate_series(1, $2) i where $1 <> ''`,
  `insert into hallpass_clock (site, trusted_at) select 'site ' || i, $3 from generate_series(1, $2) i
   where $1 <> ''`,
]
