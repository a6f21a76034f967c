import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import type { SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  currencyCode,
  epochOf,
  idOf,
  line,
  time,
  timeSql,
  withEpochs,
} from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import { type Kit, type Listed, withChanges } from '../admin/kit.js'

const id = idOf('cpn')

const fields = {
  code: z
    .string()
    .max(40)
    .regex(/^[A-Z0-9-]{3,40}$/),
  name: line(),
  kind: z.enum(['percentage', 'fixed_amount']),
  amount: z
    .string()
    .max(20)
    .regex(/^[1-9]\d{0,8}(?:\.\d{1,2})?$/),
  currency: currencyCode.nullable(),
  applies_to: z.array(z.string().max(70)).max(100),
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  max_redemptions: z.int().min(1).max(1_000_000).nullable(),
}

const Coupon = z
  .object({
    id,
    ...fields,
    redeemed_count: z.int(),
    state: z.enum(['scheduled', 'active', 'used_up', 'expired', 'deactivated']),
    ...common,
  })
  .meta({ id: 'Coupon', description: 'A discount code.' })
type Coupon = z.output<typeof Coupon>

const resource = (now: number): Listed => ({
  table: 'coupon',
  search: ['code', 'name'],
  select: `select c.id, jsonb_build_object(
      'id', c.id, 'code', c.code, 'name', c.name, 'kind', c.kind, 'amount', c.amount::text,
      'currency', c.currency, 'applies_to', c.applies_to, 'starts_at', ${timeSql('c.starts_at')},
      'ends_at', ${timeSql('c.ends_at')}, 'max_redemptions', c.max_redemptions,
      'redeemed_count', c.redeemed_count, 'state', case
        when c.deactivated_at is not null then 'deactivated'
        when c.ends_at <= ${now} then 'expired'
        when c.redeemed_count >= c.max_redemptions then 'used_up'
        when c.starts_at > ${now} then 'scheduled'
        else 'active'
      end, ${commonSql('c')}
    ) as data
    from school_coupon c where c.site = $1`,
})

/** The operations on discount codes. */
export function couponOperations(kit: Kit): readonly SchoolOperation[] {
  const isPossible = ({
    kind,
    amount,
    currency,
    starts_at,
    ends_at,
  }: Pick<Coupon, 'kind' | 'amount' | 'currency' | 'starts_at' | 'ends_at'>) => {
    if (kind === 'percentage' && Number(amount) > 100)
      return refuseWith('unprocessable', 'a percentage must be at most 100')
    if ((kind === 'fixed_amount') !== (currency !== null))
      return refuseWith(
        'unprocessable',
        'a fixed amount needs a currency, and a percentage must not have one',
      )
    const [from, to] = [epochOf(starts_at), epochOf(ends_at)]
    return from !== null && to !== null && to <= from
      ? refuseWith('unprocessable', 'it must end after it starts')
      : null
  }

  const frame = frameOf(kit, {
    scope: 'coupons',
    prefix: 'cpn',
    called: 'discount code',
    item: Coupon,
    rows: resource,
  })

  return [
    frame.list({
      filters: { code: fields.code.optional(), state: Coupon.shape.state.optional() },
      sorts: ['created_at', 'code', 'redeemed_count'],
    }),
    frame.get(),
    frame.create({
      input: z.strictObject({
        ...fields,
        currency: fields.currency.default(null),
        applies_to: fields.applies_to.default([]),
        starts_at: fields.starts_at.default(null),
        ends_at: fields.ends_at.default(null),
        max_redemptions: fields.max_redemptions.default(null),
      }),
      columns: (sent) =>
        isPossible(sent) ?? { ...withEpochs(sent, 'starts_at', 'ends_at'), redeemed_count: 0 },
    }),
    frame.update({
      description:
        'Members that you omit stay unchanged. The code itself and its kind never change.',
      input: z.strictObject({
        id,
        ...z.object(fields).omit({ code: true, kind: true, currency: true }).partial().shape,
      }),
      columns: (sent, current) =>
        current.state === 'deactivated'
          ? refuseWith('conflict', 'the discount code is deactivated')
          : (isPossible(withChanges(current, sent)) ?? withEpochs(sent, 'starts_at', 'ends_at')),
    }),
    frame.move('deactivate', {
      summary: 'Deactivate a discount code',
      description:
        'Cannot be undone. The code can no longer be redeemed. Repeating it changes nothing.',
      destructive: true,
      events: ['coupon.updated'],
      columns: ({ state }) => (state === 'deactivated' ? null : { deactivated_at: kit.now() }),
    }),
  ]
}
