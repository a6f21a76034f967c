-- Goes back to the tables that old-tables.sql kept, with everything that has changed since, in one transaction. Run it while
-- no process uses them, then start the old version:
--
--   psql "$DATABASE_URL" -f node_modules/hallpass/docs/operations/old-tables-back.sql
--
-- The old version cannot hold clients with private_key_jwt and grants that are bound to a key: they are left out. The new
-- tables stay, in the schema hallpass_after.
\set ON_ERROR_STOP on

begin;
create schema hallpass_after;
do $$
declare name text;
begin
  for name in select tablename from pg_tables
    where schemaname = current_schema() and tablename like 'hallpass\_%'
  loop
    execute format('alter table %I set schema hallpass_after', name);
  end loop;
  for name in select tablename from pg_tables where schemaname = 'hallpass_before' loop
    execute format('alter table hallpass_before.%I set schema %I', name, current_schema());
  end loop;
end $$;
drop schema hallpass_before;

-- The members of a record with the names of columns. Those that the old table lacks are ignored.
create function pg_temp.columns(record text) returns jsonb language sql as $$
  select jsonb_object_agg(lower(regexp_replace(name, '([A-Z])', '_\1', 'g')), value)
  from jsonb_each(record::jsonb) as field (name, value)
$$;

delete from hallpass_client;
insert into hallpass_client select its.*
from hallpass_after.hallpass_client t, jsonb_populate_record(null::hallpass_client,
  pg_temp.columns(record) || jsonb_build_object('site', site, 'used_at', used_at)) its
where its.token_endpoint_auth_method <> 'private_key_jwt';

delete from hallpass_pending;
insert into hallpass_pending select its.*
from hallpass_after.hallpass_pending t, jsonb_populate_record(null::hallpass_pending,
  pg_temp.columns(record) || jsonb_build_object('site', site)) its
where pg_temp.columns(record) ->> 'bound_to' is null;

delete from hallpass_consent;
insert into hallpass_consent (site, consent_key, client_id, subject)
select site, consent_key, client_id, subject from hallpass_after.hallpass_consent;

delete from hallpass_code;
insert into hallpass_code select its.*
from hallpass_after.hallpass_code t, jsonb_populate_record(null::hallpass_code,
  to_jsonb(t) || pg_temp.columns(record) || jsonb_build_object('expires_at', due_at - 86400)) its
where pg_temp.columns(record) ->> 'bound_to' is null;

delete from hallpass_erasure;
insert into hallpass_erasure (site, subject_hash, erased_at)
select site, subject_hash, case due_at when 0 then 0 else due_at - 86400 end
from hallpass_after.hallpass_erasure;

-- The tokens of a grant that was erased or purged go with it.
delete from hallpass_grant g where not exists (
  select from hallpass_after.hallpass_grant t where t.site = g.site and t.grant_id = g.grant_id
);
insert into hallpass_grant select its.*
from hallpass_after.hallpass_grant t, jsonb_populate_record(null::hallpass_grant, to_jsonb(t)
  || pg_temp.columns(record) || jsonb_build_object('scopes', scopes::jsonb, 'expires_at', due_at)) its
where pg_temp.columns(record) ->> 'bound_to' is null
on conflict (site, grant_id) do update set
  scopes = excluded.scopes, revoked_at = excluded.revoked_at, revoked_reason = excluded.revoked_reason;

insert into hallpass_access_token select its.*
from hallpass_after.hallpass_access_token t
join hallpass_grant using (site, grant_id), jsonb_populate_record(null::hallpass_access_token,
  to_jsonb(t) || jsonb_build_object('scopes', t.scopes::jsonb, 'expires_at', due_at)) its
where t.bound_to is null
on conflict (site, token_hash) do update set
  scopes = excluded.scopes, revoked_at = excluded.revoked_at;

-- Before migration 16, a rotation had its salt.
insert into hallpass_refresh_token select its.*
from hallpass_after.hallpass_refresh_token t
join hallpass_grant using (site, grant_id)
left join hallpass_after.hallpass_refresh_token next
  on next.site = t.site and next.token_hash = t.successor_hash
cross join lateral (select t.rotation::jsonb as used) one, jsonb_populate_record(
  null::hallpass_refresh_token, to_jsonb(t) || jsonb_build_object('rotation',
    case when used is null then null else jsonb_build_array(t.successor_hash, used -> 0, used -> 1)
    || case when exists (
         select from pg_attribute where attrelid = 'hallpass_refresh_token'::regclass and attname = 'salt'
       ) then '[]' else jsonb_build_array(coalesce(next.salt, '')) end
    || jsonb_build_array(used -> 2, used -> 3) end)) its
on conflict (site, token_hash) do update set
  rotation = coalesce(hallpass_refresh_token.rotation, excluded.rotation);

delete from hallpass_key;
insert into hallpass_key select its.*
from hallpass_after.hallpass_key t, jsonb_populate_record(null::hallpass_key,
  pg_temp.columns(record) || jsonb_build_object('site', site)) its;

delete from hallpass_clock;
insert into hallpass_clock (site, trusted_at, leap)
select site, trusted_at, jsonb_build_object(
  'from', leap::jsonb -> 0, 'to', leap::jsonb -> 1, 'steadySeconds', leap::jsonb -> 2)
from hallpass_after.hallpass_clock where leap is not null
union all
select site, trusted_at, null from hallpass_after.hallpass_clock where leap is null;

delete from hallpass_outbox;
insert into hallpass_outbox (site, event_id, stored_at, at, event)
select site, event ->> 'id', seq, (event ->> 'at')::bigint, event
from hallpass_after.hallpass_outbox t, lateral (select record::jsonb
  || case when subject is null then '{}' else jsonb_build_object('subject', subject::jsonb) end
  || case when actor is null then '{}' else jsonb_build_object('actor', actor::jsonb) end
  || case when grants is null then '{}' else jsonb_build_object('grants', grants) end) its (event);

delete from hallpass_idempotency;
insert into hallpass_idempotency (site, key_hash, request_hash, expires_at, answer)
select site, key_hash, request_hash, due_at, answer::jsonb from hallpass_after.hallpass_idempotency;

do $$ begin
  if to_regclass('hallpass_use') is not null then
    delete from hallpass_use;
    insert into hallpass_use select its.*
    from hallpass_after.hallpass_use t, jsonb_populate_record(null::hallpass_use,
      to_jsonb(t) || jsonb_build_object('key', use_key, 'expires_at', due_at)) its;
  end if;
end $$;
commit;
