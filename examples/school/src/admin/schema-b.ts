/**
 * What the admin API keeps of events, plans, memberships and orders beside what members see. Columns of
 * tables that were there before may be null: the demo's rows come without them.
 */
export const SALES_TABLES: string = `
alter table school_event add column if not exists description_html text;
alter table school_event add column if not exists tickets jsonb;
alter table school_event add column if not exists created_at bigint
  default floor(extract(epoch from now()));
alter table school_event add column if not exists updated_at bigint
  default floor(extract(epoch from now()));

alter table school_event_registration add column if not exists updated_at bigint;

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

alter table school_subscription add column if not exists current_period_start bigint;
alter table school_subscription add column if not exists granted boolean;
alter table school_subscription add column if not exists price numeric;
alter table school_subscription add column if not exists updated_at bigint;

alter table school_order add column if not exists source text
  check (source in ('checkout', 'manual', 'import'));
alter table school_order add column if not exists updated_at bigint;
`
