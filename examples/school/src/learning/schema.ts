/** The tables of enrollments and progress. */
export const LEARNING_TABLES: string = `
create table if not exists school_enrollment (
  site text not null,
  id text not null,
  member_id text not null,
  course_id text not null,
  enrolled_at bigint not null,
  start_date bigint,
  expire_date bigint,
  lifetime boolean not null,
  suspended boolean not null,
  revoked_at bigint,
  source text not null check (source in ('PURCHASE', 'MEMBERSHIP', 'FREE', 'GRANTED', 'GIFT')),
  subscription_id text,
  primary key (site, id),
  foreign key (site, member_id) references school_person on delete cascade,
  foreign key (site, course_id) references school_course,
  foreign key (site, subscription_id) references school_subscription,
  check (not lifetime or expire_date is null)
);
create index if not exists school_enrollment_member
  on school_enrollment (site, member_id, course_id);
create index if not exists school_enrollment_subscription
  on school_enrollment (site, subscription_id);

alter table school_enrollment add column if not exists updated_at bigint;

create table if not exists school_lecture_progress (
  site text not null,
  member_id text not null,
  lecture_id text not null,
  completed_at bigint,
  position_seconds integer,
  watched_at bigint,
  primary key (site, member_id, lecture_id),
  foreign key (site, member_id) references school_person on delete cascade,
  foreign key (site, lecture_id) references school_lecture on delete cascade,
  check ((watched_at is null) = (position_seconds is null))
);
`
