/**
 * Every migration of the schema, in order, for a migration tool of your own. Without such a tool, call
 * {@link migratePostgres}.
 *
 * Columns are the fields of the records of `hallpass/store` in snake_case; a rotation is an array of its
 * values. Times are epoch seconds. The site is part of every primary key, so that the rows of one site are
 * never found by another.
 *
 * @example
 * ```ts
 * import { postgresMigrations } from 'hallpass/postgres'
 *
 * const [first] = postgresMigrations
 * first?.name // => 'authorization server'
 * first?.version // => 1
 * ```
 *
 * @group Migrations
 */
export const postgresMigrations: readonly {
  /** 1, 2, 3, … in the order of application. */
  readonly version: number
  /** A short description of the migration. */
  readonly name: string
  /** SQL statements, separated by semicolons. */
  readonly sql: string
  /**
   * The oldest migration whose processes keep working after this one, so that they may run, and start,
   * next to newer ones. Default: `version`, so that no older process starts any more.
   */
  readonly compatibleFrom?: number
}[] = [
  {
    version: 1,
    name: 'authorization server',
    sql: `
create table hallpass_client (
  site text not null,
  client_id text not null,
  kind text not null,
  name text not null,
  redirect_uris jsonb not null,
  token_endpoint_auth_method text not null,
  secrets jsonb not null,
  scopes jsonb,
  disabled boolean not null,
  created_at bigint not null,
  used_at bigint,
  primary key (site, client_id)
);
create index hallpass_client_unused on hallpass_client (site, created_at)
  where kind = 'loopback' and used_at is null;

create table hallpass_pending (
  site text not null,
  id_hash text not null,
  browser_hash text not null,
  client_id text not null,
  redirect_uri text not null,
  scopes jsonb not null,
  resource text not null,
  state text,
  code_challenge text not null,
  nonce text,
  prompt jsonb not null,
  max_age bigint,
  login_hint text,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (site, id_hash)
);
create index hallpass_pending_expiry on hallpass_pending (site, expires_at);

create table hallpass_consent (
  site text not null,
  consent_key text not null,
  primary key (site, consent_key)
);

create table hallpass_code (
  site text not null,
  code_hash text not null,
  grant_id text not null,
  client_id text not null,
  subject text not null,
  scopes jsonb not null,
  resource text not null,
  redirect_uri text not null,
  code_challenge text not null,
  nonce text,
  auth_time bigint,
  issued_at bigint not null,
  expires_at bigint not null,
  redeemed_at bigint,
  primary key (site, code_hash)
);
create index hallpass_code_expiry on hallpass_code (site, expires_at);

create table hallpass_grant (
  site text not null,
  grant_id text not null,
  client_id text not null,
  subject text not null,
  scopes jsonb not null,
  resource text not null,
  redirect_uri text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  revoked_reason text,
  primary key (site, grant_id)
);
create index hallpass_grant_expiry on hallpass_grant (site, expires_at);

create table hallpass_access_token (
  site text not null,
  token_hash text not null,
  grant_id text not null,
  scopes jsonb not null,
  issued_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  primary key (site, token_hash),
  foreign key (site, grant_id) references hallpass_grant on delete cascade
);
create index hallpass_access_token_grant on hallpass_access_token (site, grant_id);
create index hallpass_access_token_expiry on hallpass_access_token (site, expires_at);

create table hallpass_refresh_token (
  site text not null,
  token_hash text not null,
  grant_id text not null,
  issued_at bigint not null,
  expires_at bigint not null,
  rotation jsonb,
  primary key (site, token_hash),
  foreign key (site, grant_id) references hallpass_grant on delete cascade
);
create index hallpass_refresh_token_grant on hallpass_refresh_token (site, grant_id);

create table hallpass_key (
  site text not null,
  kid text not null,
  state text not null,
  public_jwk text not null,
  sealed_private_key text,
  created_at bigint not null,
  published_at bigint,
  activated_at bigint,
  retiring_at bigint,
  retired_at bigint,
  primary key (site, kid)
);
create unique index hallpass_key_one_active on hallpass_key (site) where state = 'active';
`,
  },
  {
    version: 2,
    name: 'clients in full',
    sql: `
alter table hallpass_client
  add column description text,
  add column icon text,
  add column revision bigint not null default 1,
  add column deleted_at bigint,
  add column document jsonb;
drop index hallpass_client_unused;
create index if not exists hallpass_client_unused on hallpass_client (site, created_at)
  where kind in ('loopback', 'document') and used_at is null;
create index if not exists hallpass_client_newest on hallpass_client (site, created_at desc, client_id collate "C");

-- Whose consent is remembered was not kept: they are asked once more.
drop table hallpass_consent;
create table hallpass_consent (
  site text not null,
  consent_key text not null,
  client_id text not null,
  subject text not null,
  primary key (site, consent_key)
);
create index hallpass_consent_client on hallpass_consent (site, client_id, subject);

create index if not exists hallpass_code_client on hallpass_code (site, client_id, subject)
  where redeemed_at is null;
create index if not exists hallpass_grant_client on hallpass_grant (site, client_id, subject)
  where revoked_at is null;
create index if not exists hallpass_grant_subject on hallpass_grant (site, subject) where revoked_at is null;
`,
  },
  {
    version: 3,
    compatibleFrom: 2,
    name: 'keys of the admin API',
    sql: `
create table hallpass_idempotency (
  site text not null,
  key_hash text not null,
  request_hash text not null,
  expires_at bigint not null,
  answer jsonb,
  primary key (site, key_hash)
);
create index hallpass_idempotency_expiry on hallpass_idempotency (site, expires_at);
`,
  },
  {
    version: 4,
    compatibleFrom: 3,
    name: 'resource as it was sent',
    sql: `
-- Null in rows of an earlier version, which still inserts while a deployment is replaced.
alter table hallpass_pending add column resource_sent boolean;
alter table hallpass_code add column resource_sent boolean;
`,
  },
  {
    version: 5,
    name: 'erasure of a person',
    sql: `
create table hallpass_erasure (
  site text not null,
  subject_hash text not null,
  erased_at bigint not null,
  primary key (site, subject_hash)
);
create index if not exists hallpass_code_subject on hallpass_code (site, subject);
create index if not exists hallpass_consent_subject on hallpass_consent (site, subject);
create index if not exists hallpass_grant_person on hallpass_grant (site, subject);
drop index hallpass_grant_subject;
`,
  },
  {
    version: 6,
    compatibleFrom: 5,
    name: 'clock by which rows are deleted',
    sql: `
create table hallpass_clock (
  site text not null,
  trusted_at bigint not null,
  leap jsonb,
  primary key (site)
);
`,
  },
  {
    version: 7,
    compatibleFrom: 6,
    name: 'events until they are delivered',
    sql: `
create table hallpass_outbox (
  site text not null,
  event_id text not null,
  stored_at bigint not null,
  at bigint not null,
  event jsonb not null,
  primary key (site, event_id)
);
create index hallpass_outbox_order on hallpass_outbox (site, stored_at, event_id);
create index hallpass_outbox_age on hallpass_outbox (site, at);
`,
  },
  {
    version: 8,
    compatibleFrom: 6,
    name: 'indexes of what is purged',
    sql: `
create index if not exists hallpass_erasure_time on hallpass_erasure (site, erased_at);
create index if not exists hallpass_client_unused_document
  on hallpass_client (site, ((document ->> 'fetchedAt')::bigint))
  where kind = 'document' and used_at is null and scopes is null and not disabled and deleted_at is null;
`,
  },
  {
    version: 9,
    compatibleFrom: 6,
    name: 'attempts to connect',
    sql: `
create table hallpass_attempt (
  site text not null,
  attempt_id text not null,
  revision bigint not null,
  started_at bigint not null,
  last_at bigint not null,
  client_id text,
  network text,
  connected boolean not null,
  waits_until bigint,
  search text not null,
  attempt jsonb not null,
  primary key (site, attempt_id)
);
create index hallpass_attempt_order on hallpass_attempt (site, connected desc, started_at desc);
create index hallpass_attempt_age on hallpass_attempt (site, last_at);
create index hallpass_attempt_network on hallpass_attempt (site, network, started_at desc) where not connected;
`,
  },
  {
    version: 10,
    compatibleFrom: 6,
    name: 'ends of clients and consents',
    sql: `
-- Null in rows of an earlier version, which still inserts while a deployment is replaced: no end.
alter table hallpass_client add column ends_at bigint;
alter table hallpass_code add column grant_ends_at bigint;
`,
  },
  {
    version: 11,
    compatibleFrom: 6,
    name: 'what a client says of itself',
    sql: `
-- Null in rows of an earlier version, which still inserts while a deployment is replaced.
alter table hallpass_client add column about jsonb;
`,
  },
  {
    version: 12,
    compatibleFrom: 6,
    name: 'indexes of every statement',
    sql: `
-- By the day: PostgreSQL stores what is equal once, and every hour would make an entry of its own.
create index if not exists hallpass_refresh_token_day
  on hallpass_refresh_token (site, grant_id, (issued_at / 86400));
drop index if exists hallpass_refresh_token_grant;
create index if not exists hallpass_grant_newest
  on hallpass_grant (site, created_at desc, grant_id collate "C") where revoked_at is null;
create index if not exists hallpass_pending_hint on hallpass_pending (site, lower(login_hint))
  where login_hint is not null;
create index if not exists hallpass_outbox_subject on hallpass_outbox (site, (event ->> 'subject'))
  where event ->> 'subject' is not null;
create index if not exists hallpass_outbox_actor on hallpass_outbox (site, (event ->> 'actor'))
  where event ->> 'actor' is not null;

-- An update of a column that no index names is written into the same page, if there is room. A rotation makes
-- a row almost three times as long.
create index if not exists hallpass_code_holder on hallpass_code (site, client_id, subject);
drop index if exists hallpass_code_client;
alter table hallpass_code set (fillfactor = 70);
alter table hallpass_refresh_token set (fillfactor = 50);
`,
  },
  {
    version: 13,
    compatibleFrom: 6,
    name: 'languages of a request',
    sql: `
-- Empty in rows of an earlier version, which still inserts while a deployment is replaced.
alter table hallpass_pending add column ui_locales jsonb not null default '[]';
`,
  },
  {
    version: 14,
    name: 'rotations without names',
    sql: `
-- An array is shorter by the names of its fields, and a grant has hundreds of rotations.
update hallpass_refresh_token set rotation = jsonb_build_array(
    rotation -> 'successorHash', rotation -> 'rotatedAt', rotation -> 'accessTokenExpiresAt',
    rotation -> 'salt', rotation -> 'scopes', rotation -> 'scopesOmitted'
  )
  where jsonb_typeof(rotation) = 'object';
`,
  },
  {
    version: 15,
    compatibleFrom: 14,
    name: 'attempts with a person',
    sql: `
-- False in rows of an earlier version, which still inserts while a deployment is replaced.
alter table hallpass_attempt add column has_person boolean not null default false;
`,
  },
  {
    version: 16,
    name: 'salts with the token that they led to',
    sql: `
-- Who reads an earlier salt and has an old token can derive the next one. Later salts need a secret as well.
alter table hallpass_refresh_token add column salt text;
update hallpass_refresh_token set rotation = rotation - 3 where rotation is not null;
`,
  },
  {
    version: 17,
    compatibleFrom: 16,
    name: 'keys that may be used once',
    sql: `
create table hallpass_use (
  site text not null,
  key text not null,
  expires_at bigint not null,
  primary key (site, key)
);
create index hallpass_use_expiry on hallpass_use (site, expires_at);
`,
  },
  {
    version: 18,
    compatibleFrom: 16,
    name: 'whom a hint names',
    sql: `
-- Null in rows of an earlier version, which ignores the hint.
alter table hallpass_pending add column hinted_hash text;
`,
  },
  {
    version: 19,
    compatibleFrom: 16,
    name: 'keys of clients',
    sql: `
-- Null in rows of an earlier version, which knows no client that publishes its keys.
alter table hallpass_client add column keys jsonb;
`,
  },
  {
    version: 20,
    compatibleFrom: 16,
    name: 'keys to which tokens are bound',
    sql: `
-- Null in rows of an earlier version, which binds nothing. Switch a block that binds on when no such process runs any more.
alter table hallpass_client add column dpop_bound_access_tokens boolean;
alter table hallpass_pending add column bound_to text;
alter table hallpass_code add column bound_to text;
alter table hallpass_grant add column bound_to text;
alter table hallpass_access_token add column bound_to text;
`,
  },
  {
    version: 21,
    compatibleFrom: 16,
    name: 'clients that push every request',
    sql: `
-- Null in rows of an earlier version, which accepts every request in the query.
alter table hallpass_client add column require_pushed_requests boolean;
`,
  },
  {
    version: 22,
    compatibleFrom: 16,
    name: 'who used a key',
    sql: `
-- Null in rows of an earlier version, which gives nothing back.
alter table hallpass_use add column claim text;
`,
  },
]

export type PostgresMigration = (typeof postgresMigrations)[number]
