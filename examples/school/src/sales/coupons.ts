import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  currencyCode,
  epochOf,
  idOf,
  line,
  newId,
  time,
  timeSql,
} from '../admin/fields.js'
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
  const coupons = (): Listed => resource(kit.now())
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

  return [
    defineList({
      id: 'coupons.list',
      summary: 'List discount codes',
      scope: 'coupons:read',
      path: '/coupons',
      tool: 'list_coupons',
      item: Coupon,
      filters: { code: fields.code.optional(), state: Coupon.shape.state.optional() },
      sorts: ['created_at', 'code', 'redeemed_count'],
      rows: (_context, request) => kit.list<Coupon>(coupons(), request),
    }),
    defineOperation({
      id: 'coupons.get',
      summary: 'Get a discount code',
      scope: 'coupons:read',
      effect: 'read',
      method: 'GET',
      path: '/coupons/{id}',
      tool: 'get_coupon',
      input: z.strictObject({ id }),
      output: Coupon,
      run: (_context, input) => kit.get<Coupon>(coupons(), input.id),
    }),
    defineOperation({
      id: 'coupons.create',
      summary: 'Create a discount code',
      scope: 'coupons:write',
      effect: 'write',
      method: 'POST',
      path: '/coupons',
      tool: { name: 'save_coupon', argument: 'action', value: 'create' },
      input: z.strictObject({
        ...fields,
        currency: fields.currency.default(null),
        applies_to: fields.applies_to.default([]),
        starts_at: fields.starts_at.default(null),
        ends_at: fields.ends_at.default(null),
        max_redemptions: fields.max_redemptions.default(null),
      }),
      output: Coupon,
      status: 201,
      events: ['coupon.created'],
      run: (context, input) =>
        kit.create<Coupon>(context, coupons(), async (db) => {
          const refused = isPossible(input)
          if (refused !== null) return refused
          const at = kit.now()
          const couponId = newId('cpn')
          await db.insert('coupon', {
            ...input,
            id: couponId,
            starts_at: epochOf(input.starts_at),
            ends_at: epochOf(input.ends_at),
            redeemed_count: 0,
            created_at: at,
            updated_at: at,
          })
          return couponId
        }),
    }),
    defineOperation({
      id: 'coupons.update',
      summary: 'Change a discount code',
      description:
        'Members that you omit stay unchanged. The code itself and its kind never change.',
      scope: 'coupons:write',
      effect: 'write',
      method: 'PATCH',
      path: '/coupons/{id}',
      tool: { name: 'save_coupon', argument: 'action', value: 'update' },
      input: z.strictObject({
        id,
        name: fields.name.optional(),
        amount: fields.amount.optional(),
        applies_to: fields.applies_to.optional(),
        starts_at: fields.starts_at.optional(),
        ends_at: fields.ends_at.optional(),
        max_redemptions: fields.max_redemptions.optional(),
      }),
      output: Coupon,
      precondition: 'optional',
      events: ['coupon.updated'],
      run: (context, { id: couponId, ...changes }) =>
        kit.change<Coupon>(context, coupons(), couponId, async (db, current) => {
          if (current.state === 'deactivated')
            return refuseWith('conflict', 'the discount code is deactivated')
          const refused = isPossible(withChanges(current, changes))
          if (refused !== null) return refused
          const { starts_at, ends_at, ...rest } = changes
          return db.update('coupon', couponId, {
            ...rest,
            ...(starts_at !== undefined && { starts_at: epochOf(starts_at) }),
            ...(ends_at !== undefined && { ends_at: epochOf(ends_at) }),
            updated_at: kit.now(),
          })
        }),
    }),
    defineOperation({
      id: 'coupons.deactivate',
      summary: 'Deactivate a discount code',
      description:
        'Cannot be undone. The code can no longer be redeemed. Repeating it changes nothing.',
      scope: 'coupons:write',
      effect: 'write',
      destructive: true,
      idempotent: true,
      method: 'POST',
      path: '/coupons/{id}/deactivate',
      tool: { name: 'save_coupon', argument: 'action', value: 'deactivate' },
      input: z.strictObject({ id }),
      output: Coupon,
      events: ['coupon.updated'],
      run: (context, { id: couponId }) =>
        kit.change<Coupon>(context, coupons(), couponId, async (db, { state }) => {
          if (state === 'deactivated') return
          await db.update('coupon', couponId, { deactivated_at: kit.now(), updated_at: kit.now() })
        }),
    }),
  ]
}
