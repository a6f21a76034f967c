/**
 * Tables of the features that a site has turned on, of the logos of its apps, and of email about connections. Then those
 * who ask for an app that their role does not allow, and services: programs that act for themselves, each as one client.
 */
export const SITE_TABLES: string = `
create table if not exists school_site (
  site text not null primary key,
  mcp_connections boolean not null
);
create table if not exists school_app_logo (
  site text not null,
  client_id text not null,
  logo_uri text not null,
  digest text not null,
  media_type text not null,
  bytes text not null,
  primary key (site, client_id)
);
create index if not exists school_app_logo_digest on school_app_logo (site, digest);
create table if not exists school_notice (
  site text not null,
  member_id text not null,
  client_id text not null,
  scopes jsonb not null,
  at bigint not null,
  tries int not null default 0,
  due_at bigint,
  primary key (site, member_id, client_id),
  foreign key (site, member_id) references school_person on delete cascade
);
create table if not exists school_access_request (
  site text not null,
  member_id text not null,
  client_id text not null,
  at bigint not null,
  primary key (site, member_id, client_id),
  foreign key (site, member_id) references school_person on delete cascade
);
create index if not exists school_access_request_at on school_access_request (site, at);
create index if not exists school_notice_due on school_notice (site, due_at) where due_at is not null;
create table if not exists school_service (
  site text not null,
  client_id text not null,
  service_id text not null,
  role text not null,
  ended_at bigint,
  primary key (site, client_id)
);
create unique index if not exists school_service_subject on school_service (site, service_id);
`
