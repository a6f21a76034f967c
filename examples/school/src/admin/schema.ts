import { LEARNING_COLUMNS } from './schema-a.js'
import { SALES_TABLES } from './schema-b.js'
import { CONTENT_TABLES } from './schema-c.js'

/**
 * The tables that the admin API has beside those of learning, in statements that may run again. Times
 * are epoch seconds.
 */
export const OPERATOR_TABLES: string = `${LEARNING_COLUMNS}
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
${SALES_TABLES}
${CONTENT_TABLES}
`
