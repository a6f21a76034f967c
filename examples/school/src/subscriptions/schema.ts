/** The tables of membership plans, their courses and the memberships. */
export const SUBSCRIPTION_TABLES: string = `
create table if not exists school_plan (
  site text not null,
  id text not null,
  name text not null,
  kind text not null check (kind in ('recurring', 'fixed_date', 'specific_length', 'lifetime')),
  price numeric not null,
  currency text not null,
  interval text check (interval in ('DAY', 'WEEK', 'MONTH', 'YEAR')),
  trial_days integer,
  ends_at bigint,
  status text not null check (status in ('active', 'archived')),
  primary key (site, id)
);

alter table school_plan add column if not exists length_days integer;
alter table school_plan add column if not exists visible boolean;
alter table school_plan add column if not exists post_category_ids jsonb;
alter table school_plan add column if not exists created_at bigint
  default floor(extract(epoch from now()));
alter table school_plan add column if not exists updated_at bigint
  default floor(extract(epoch from now()));

create table if not exists school_plan_course (
  site text not null,
  plan_id text not null,
  course_id text not null,
  primary key (site, plan_id, course_id),
  foreign key (site, plan_id) references school_plan on delete cascade,
  foreign key (site, course_id) references school_course on delete cascade
);

create table if not exists school_subscription (
  site text not null,
  id text not null,
  member_id text not null,
  plan_id text not null,
  state text not null check (state in
    ('INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'CANCELING', 'CANCELED', 'EXPIRED')),
  started_at bigint not null,
  current_period_end bigint,
  next_charge_at bigint,
  cancel_at bigint,
  primary key (site, id),
  foreign key (site, member_id) references school_person on delete cascade,
  foreign key (site, plan_id) references school_plan
);
create index if not exists school_subscription_member on school_subscription (site, member_id);

alter table school_subscription add column if not exists current_period_start bigint;
alter table school_subscription add column if not exists granted boolean;
alter table school_subscription add column if not exists price numeric;
alter table school_subscription add column if not exists updated_at bigint;
`
