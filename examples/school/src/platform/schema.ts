import type { Execute } from 'hallpass/postgres'
import { OPERATOR_TABLES } from '../admin/schema.js'

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

create table if not exists school_site (
  site text not null primary key,
  mcp_connections boolean not null
);

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
create index if not exists school_audit_client on school_audit (site, client_id, at desc);
create index if not exists school_audit_subject on school_audit (site, subject, at desc);
`

/** What the school teaches and sells, and what its members have of it. */
const LEARNING_TABLES = `
alter table school_person add column if not exists email_verified boolean not null default false;
alter table school_person add column if not exists locale text;
alter table school_person add column if not exists time_zone text;
alter table school_person add column if not exists joined_at bigint not null
  default floor(extract(epoch from now()));

create table if not exists school_course (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  description text not null,
  status text not null check (status in ('published', 'unlisted', 'draft', 'archived')),
  cover text,
  published_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, slug)
);

create table if not exists school_section (
  site text not null,
  id text not null,
  course_id text not null,
  position integer not null,
  title text not null,
  primary key (site, id),
  foreign key (site, course_id) references school_course on delete cascade
);
create index if not exists school_section_course on school_section (site, course_id);

create table if not exists school_lecture (
  site text not null,
  id text not null,
  course_id text not null,
  section_id text not null,
  position integer not null,
  title text not null,
  kind text not null
    check (kind in ('VIDEO', 'AUDIO', 'DOCUMENT', 'TEXT', 'QUIZ', 'LIVE', 'OTHER')),
  duration_seconds integer,
  primary key (site, id),
  foreign key (site, course_id) references school_course on delete cascade,
  foreign key (site, section_id) references school_section on delete cascade
);
create index if not exists school_lecture_course on school_lecture (site, course_id);

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

create table if not exists school_digital_product (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  primary key (site, id),
  unique (site, slug)
);

create table if not exists school_digital_file (
  site text not null,
  product_id text not null,
  position integer not null,
  name text not null,
  content_type text not null,
  size_bytes integer,
  primary key (site, product_id, position),
  foreign key (site, product_id) references school_digital_product on delete cascade
);

create table if not exists school_digital_ownership (
  site text not null,
  id text not null,
  member_id text not null,
  product_id text not null,
  acquired_at bigint not null,
  primary key (site, id),
  foreign key (site, member_id) references school_person on delete cascade,
  foreign key (site, product_id) references school_digital_product
);
create index if not exists school_digital_ownership_member
  on school_digital_ownership (site, member_id);

create table if not exists school_order (
  site text not null,
  id text not null,
  number text not null,
  member_id text not null,
  state text not null
    check (state in ('PENDING', 'PAID', 'FAILED', 'EXPIRED', 'PARTIALLY_REFUNDED', 'REFUNDED')),
  placed_at bigint not null,
  paid_at bigint,
  currency text not null,
  subtotal numeric not null,
  discount numeric not null,
  tax numeric not null,
  total numeric not null,
  refunded numeric not null,
  coupon_code text,
  payment_kind text,
  payment_brand text,
  payment_last4 text,
  primary key (site, id),
  unique (site, number),
  foreign key (site, member_id) references school_person on delete cascade
);
create index if not exists school_order_member on school_order (site, member_id);

create table if not exists school_order_item (
  site text not null,
  id text not null,
  order_id text not null,
  position integer not null,
  kind text not null
    check (kind in ('COURSE', 'MEMBERSHIP', 'EVENT_TICKET', 'DIGITAL_PRODUCT', 'OTHER')),
  title text not null,
  quantity integer not null,
  unit_price numeric not null,
  discount numeric not null,
  total numeric not null,
  enrollment_id text,
  registration_id text,
  subscription_id text,
  ownership_id text,
  primary key (site, id),
  foreign key (site, order_id) references school_order on delete cascade,
  foreign key (site, enrollment_id) references school_enrollment,
  foreign key (site, registration_id) references school_event_registration,
  foreign key (site, subscription_id) references school_subscription,
  foreign key (site, ownership_id) references school_digital_ownership
);
create index if not exists school_order_item_order on school_order_item (site, order_id);
`

/** Makes the school's tables where they are missing. Several processes may do so at once. */
export async function migrateSchool({ execute }: { execute: Execute }): Promise<void> {
  await execute(
    `do $school$ begin perform pg_advisory_xact_lock(${LOCK}); ${TABLES} ${LEARNING_TABLES} ${OPERATOR_TABLES} end $school$`,
    [],
  )
}
