/** Table of the sessions. */
export const SESSION_TABLES: string = `
create table if not exists school_session (
  site text not null,
  session_hash text not null,
  member_id text not null,
  auth_time bigint not null,
  expires_at bigint not null,
  primary key (site, session_hash),
  foreign key (site, member_id) references school_person on delete cascade
);
create index if not exists school_session_expiry on school_session (site, expires_at);
`
