/** Tables of the sessions, and of the forms that were sent in them. */
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
create table if not exists school_sent_form (
  site text not null,
  form_hash text not null,
  member_id text not null,
  answer text,
  answered_at bigint,
  expires_at bigint not null,
  primary key (site, form_hash),
  foreign key (site, member_id) references school_person on delete cascade
);
create index if not exists school_sent_form_expiry on school_sent_form (site, expires_at);
create index if not exists school_sent_form_person on school_sent_form (site, member_id);
`
