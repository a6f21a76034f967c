import type { Execute } from 'hallpass/postgres'

const LOCK = '8313746553742520940' // "school" and two more bytes: any constant that nobody else uses

/** The school's own tables, beside those of hallpass. Times are epoch seconds. */
const TABLES = `
create table if not exists school_person (
  site text not null,
  member_id text not null,
  name text,
  email text,
  picture text,
  role text not null,
  suspended boolean not null default false,
  password_hash text,
  primary key (site, member_id)
);
create unique index if not exists school_person_email on school_person (site, lower(email));

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

/** Makes the school's tables where they are missing. Several processes may do so at once. */
export async function migrateSchool({ execute }: { execute: Execute }): Promise<void> {
  await execute(
    `do $school$ begin perform pg_advisory_xact_lock(${LOCK}); ${TABLES} end $school$`,
    [],
  )
}
