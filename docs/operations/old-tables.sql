-- Converts the PostgreSQL tables of hallpass before decision 0096 (migrations 14 to 22) to those of today, in one
-- transaction. Run it while no process uses them, in the folder in which the new version is installed:
--
--   psql "$DATABASE_URL" -f node_modules/hallpass/docs/operations/old-tables.sql
--
-- The old tables stay, in the schema hallpass_before. docs/operations/stores.md says what is kept, and how to go back.
\set ON_ERROR_STOP on
\set create `node --input-type=module -e "import { postgresMigrations as all } from 'hallpass/postgres'; for (const { version, sql, compatibleFrom = version } of all) console.log(sql + 'insert into hallpass_migration values (' + version + ', now(), ' + compatibleFrom + ');')"`

begin;
do $$
declare name text;
begin
  if (select max(version) from hallpass_migration) not between 14 and 22 or not exists (
    select from pg_attribute where attrelid = to_regclass('hallpass_client') and attname = 'redirect_uris'
  ) then
    raise exception 'these are not the tables of hallpass before decision 0096, with migration 14 to 22';
  end if;
  create schema hallpass_before;
  for name in select tablename from pg_tables
    where schemaname = current_schema() and tablename like 'hallpass\_%'
  loop
    -- It waits for every statement that uses the table, and later ones meet the new table.
    execute format('alter table %I set schema hallpass_before', name);
  end loop;
end $$;

create table hallpass_migration (
  version integer primary key, applied_at timestamptz not null default now(), compatible_from integer
);
:create

-- A record is JSON with the names of TypeScript, without what are columns. `site` is always one.
create function pg_temp.record(stored jsonb, columns text[] default '{}') returns text language sql as $$
  select jsonb_object_agg(
    lower(left(name, 1)) || substr(replace(initcap(replace(name, '_', ' ')), ' ', ''), 2), value
  )::text
  from jsonb_each(stored) as field (name, value)
  where name <> 'site' and not name = any (columns) and not (value = 'null' and name in (
    'keys', 'bound_to', 'dpop_bound_access_tokens', 'require_pushed_requests'
  ))
$$;

insert into hallpass_client (
  site, client_id, kind, search, revision, created_at, used_at, deleted_at, due_at, record
)
select site, client_id, kind, lower(name), revision, created_at, used_at, deleted_at, case
    when used_at is not null or deleted_at is not null then null
    when kind = 'loopback' then created_at + 7 * 86400
    when document is not null and scopes is null and not disabled
      then (document ->> 'fetchedAt')::bigint + 7 * 86400
  end, pg_temp.record(to_jsonb(t))
from hallpass_before.hallpass_client t;

insert into hallpass_pending (site, id_hash, hint, created_at, due_at, record)
select site, id_hash, lower(login_hint), created_at, expires_at,
  pg_temp.record('{"hinted_hash": null}' || to_jsonb(t))
from hallpass_before.hallpass_pending t;

insert into hallpass_consent (site, consent_key, client_id, subject)
select site, consent_key, client_id, subject from hallpass_before.hallpass_consent;

insert into hallpass_code (site, code_hash, client_id, subject, issued_at, redeemed_at, due_at, record)
select site, code_hash, client_id, subject, issued_at, redeemed_at, expires_at + 86400, pg_temp.record(
    to_jsonb(t), '{code_hash,client_id,subject,issued_at,redeemed_at,expires_at}'
  )
from hallpass_before.hallpass_code t;

insert into hallpass_erasure (site, subject_hash, due_at)
select site, subject_hash, case erased_at when 0 then 0 else erased_at + 86400 end
from hallpass_before.hallpass_erasure;

insert into hallpass_grant (
  site, grant_id, client_id, subject, scopes, created_at, due_at, revoked_at, revoked_reason, record
)
select site, grant_id, client_id, subject, scopes::text, created_at, expires_at, revoked_at, revoked_reason,
  pg_temp.record(
    to_jsonb(t), '{grant_id,client_id,subject,scopes,created_at,expires_at,revoked_at,revoked_reason}'
  )
from hallpass_before.hallpass_grant t;

insert into hallpass_access_token (
  site, token_hash, grant_id, scopes, issued_at, due_at, revoked_at, bound_to
)
select site, token_hash, grant_id, scopes::text, issued_at, expires_at, revoked_at,
  to_jsonb(t) ->> 'bound_to'
from hallpass_before.hallpass_access_token t;

-- Before migration 16, a rotation had its salt, without which no one derives its tokens again.
insert into hallpass_refresh_token (
  site, token_hash, grant_id, issued_at, expires_at, due_at, successor_hash, rotation, salt
)
select t.site, token_hash, grant_id, issued_at, t.expires_at,
  case when rotation is null then g.expires_at else t.expires_at end, rotation ->> 0,
  case when jsonb_array_length(kept) < 4 or kept -> 3 <> 'null' then kept else kept - 3 end::text,
  to_jsonb(t) ->> 'salt'
from hallpass_before.hallpass_refresh_token t
join hallpass_before.hallpass_grant g using (site, grant_id)
cross join lateral (
  select case when to_jsonb(t) ? 'salt' then rotation - 0 else rotation - 3 - 0 end
) as its (kept);

insert into hallpass_key (site, kid, state, active, sealed, created_at, record)
select site, kid, state, case state when 'active' then 1 end, sealed_private_key, created_at,
  pg_temp.record(to_jsonb(t))
from hallpass_before.hallpass_key t;

insert into hallpass_clock (site, trusted_at, leap)
select site, trusted_at,
  format('[%s,%s,%s]', leap ->> 'from', leap ->> 'to', leap ->> 'steadySeconds')
from hallpass_before.hallpass_clock where leap <> 'null'
union all
select site, trusted_at, null from hallpass_before.hallpass_clock where coalesce(leap, 'null') = 'null';

insert into hallpass_outbox (site, event_hash, due_at, subject, actor, record, seq)
select site, translate(encode(sha256(convert_to(event_id, 'UTF8')), 'base64'), '+/=', '-_'),
  at + 30 * 86400, (event -> 'subject')::text, (event -> 'actor')::text,
  (event - 'subject' - 'actor')::text, stored_at
from hallpass_before.hallpass_outbox;

insert into hallpass_idempotency (site, key_hash, request_hash, due_at, answer)
select site, key_hash, request_hash, expires_at, answer::text from hallpass_before.hallpass_idempotency;

do $$ begin
  if to_regclass('hallpass_before.hallpass_use') is not null then
    insert into hallpass_use (site, use_key, due_at, claim)
    select site, key, expires_at, to_jsonb(t) ->> 'claim' from hallpass_before.hallpass_use t;
  end if;
end $$;
commit;
