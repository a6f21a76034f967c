/** Table of the people of a school, with the data that the Account API and the admin API show. */
export const MEMBER_TABLES: string = `
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

alter table school_person add column if not exists email_verified boolean not null default false;
alter table school_person add column if not exists locale text;
alter table school_person add column if not exists time_zone text;
alter table school_person add column if not exists joined_at bigint not null
  default floor(extract(epoch from now()));
alter table school_person add column if not exists id text generated always as (member_id) stored;
alter table school_person add column if not exists phone text;
alter table school_person add column if not exists tags jsonb;
alter table school_person add column if not exists marketing_opt_in boolean;
alter table school_person add column if not exists invited_at bigint;
alter table school_person add column if not exists deleted_at bigint;
alter table school_person add column if not exists updated_at bigint;
`
