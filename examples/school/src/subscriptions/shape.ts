import * as z from 'zod'
import { subscriptionStateSql } from '../sales/account.js'
import { common, commonSql, idOf, money, moneySql, time, timeSql } from '../admin/fields.js'
import type { Listed } from '../admin/kit.js'

export const subscriptionId = idOf('sub')
export const memberId = idOf('mem')
export const planId = idOf('plan')

/** A membership as the API shows it. */
export const Subscription = z
  .object({
    id: subscriptionId,
    member_id: memberId,
    plan_id: planId,
    state: z.enum([
      'incomplete',
      'trialing',
      'active',
      'past_due',
      'canceling',
      'canceled',
      'expired',
    ]),
    granted: z
      .boolean()
      .describe('Whether the school granted it, so that nothing was or will be charged.'),
    price: money,
    lifetime: z.boolean(),
    started_at: time,
    current_period_start: time.nullable(),
    current_period_end: time.nullable(),
    cancel_at: time.nullable(),
    next_charge_at: time.nullable(),
    ...common,
  })
  .meta({ id: 'Subscription', description: 'The membership of a member.' })
export type Subscription = z.output<typeof Subscription>

/**
 * Memberships as the API shows them. A membership that does not renew expires at its end.
 *
 * @param rowId - SQL of the identifier by which one is found
 */
export const subscriptionResource = (now: number, rowId: 's.id' | "'sub_' || s.id"): Listed => ({
  table: 'subscription',
  search: ['member_id', 'plan_id'],
  select: `select ${rowId} as id, jsonb_build_object(
      'id', 'sub_' || s.id, 'member_id', s.member_id, 'plan_id', s.plan_id,
      'state', lower(${subscriptionStateSql(String(now))}),
      'granted', coalesce(s.granted, false),
      'price', ${moneySql('coalesce(s.price, p.price)', 'p.currency')},
      'lifetime', p.kind = 'lifetime', 'started_at', ${timeSql('s.started_at')},
      'current_period_start', ${timeSql('s.current_period_start')},
      'current_period_end', ${timeSql('s.current_period_end')},
      'cancel_at', ${timeSql('s.cancel_at')}, 'next_charge_at', ${timeSql('s.next_charge_at')},
      ${commonSql('m')}
    ) as data
    from school_subscription s
    join school_plan p on p.site = s.site and p.id = s.plan_id
    cross join lateral (
      select s.started_at as created_at, greatest(s.updated_at, s.started_at) as updated_at
    ) m
    where s.site = $1`,
})
