/** The tables of events and their bookings. */
export const EVENT_TABLES: string = `
create table if not exists school_event (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  status text not null check (status in ('draft', 'published', 'cancelled')),
  starts_at bigint not null,
  ends_at bigint not null,
  time_zone text not null,
  online boolean not null,
  venue text,
  join_url text,
  capacity integer,
  cancellable_until bigint,
  primary key (site, id),
  unique (site, slug)
);

alter table school_event add column if not exists description_html text;
alter table school_event add column if not exists tickets jsonb;
alter table school_event add column if not exists created_at bigint
  default floor(extract(epoch from now()));
alter table school_event add column if not exists updated_at bigint
  default floor(extract(epoch from now()));

create table if not exists school_event_registration (
  site text not null,
  id text not null,
  member_id text not null,
  event_id text not null,
  state text not null
    check (state in ('WAITLISTED', 'REGISTERED', 'CHECKED_IN', 'NO_SHOW', 'CANCELLED')),
  registered_at bigint not null,
  cancelled_at bigint,
  cancel_reason text,
  checked_in_at bigint,
  ticket_name text not null,
  ticket_code text,
  price numeric not null,
  currency text not null,
  primary key (site, id),
  foreign key (site, member_id) references school_person on delete cascade,
  foreign key (site, event_id) references school_event
);
create index if not exists school_event_registration_member
  on school_event_registration (site, member_id);
create index if not exists school_event_registration_event
  on school_event_registration (site, event_id);

alter table school_event_registration add column if not exists updated_at bigint;
`
