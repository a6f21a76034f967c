/** Table of the audit log. */
export const AUDIT_TABLES: string = `
create table if not exists school_audit (
  site text not null,
  number bigint generated always as identity,
  at bigint not null,
  type text not null,
  client_id text,
  actor text,
  subject text,
  event jsonb not null,
  primary key (site, number)
);
alter table school_audit add column if not exists event_id text;
create unique index if not exists school_audit_event on school_audit (site, event_id);
create index if not exists school_audit_client on school_audit (site, client_id, at desc);
create index if not exists school_audit_time on school_audit (site, at);
create index if not exists school_audit_subject on school_audit (site, subject, at desc);
`
