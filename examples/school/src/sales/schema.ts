/** The tables of downloads, coupons and orders. */
export const SALES_TABLES: string = `
create table if not exists school_digital_product (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  primary key (site, id),
  unique (site, slug)
);

alter table school_digital_product add column if not exists description_html text;
alter table school_digital_product add column if not exists price numeric;
alter table school_digital_product add column if not exists currency text;
alter table school_digital_product add column if not exists state text
  check (state in ('draft', 'published', 'archived'));
alter table school_digital_product add column if not exists created_at bigint
  default floor(extract(epoch from now()));
alter table school_digital_product add column if not exists updated_at bigint
  default floor(extract(epoch from now()));

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

alter table school_digital_file add column if not exists upload_id text;

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

create table if not exists school_coupon (
  site text not null,
  id text not null,
  code text not null,
  name text not null,
  kind text not null check (kind in ('percentage', 'fixed_amount')),
  amount numeric not null,
  currency text,
  applies_to jsonb not null default '[]',
  starts_at bigint,
  ends_at bigint,
  max_redemptions integer,
  redeemed_count integer not null default 0,
  deactivated_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, code)
);

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

alter table school_order add column if not exists source text
  check (source in ('checkout', 'manual', 'import'));
alter table school_order add column if not exists updated_at bigint;

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
