import * as z from 'zod'
import type { SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  epochOf,
  idOf,
  line,
  money,
  moneySql,
  time,
  timeSql,
} from '../admin/fields.js'
import { readsOf } from '../admin/frame.js'
import type { Kit, Listed } from '../admin/kit.js'

const id = idOf('ord')

const OrderItem = z
  .object({
    id: z.string().max(70),
    kind: z.enum(['course', 'membership', 'event_ticket', 'digital_product', 'other']),
    title: z.string().max(200),
    quantity: z.int(),
    unit_price: money,
    discount: money,
    total: money,
    enrollment_id: idOf('enr').nullable(),
    registration_id: idOf('reg').nullable(),
    subscription_id: idOf('sub').nullable(),
    digital_product_id: idOf('dgp').nullable(),
  })
  .meta({ id: 'OrderItem', description: 'One item of an order, with what the buyer received.' })

const PaymentMethod = z
  .object({
    kind: line(),
    brand: z.string().max(100).nullable(),
    last4: z
      .string()
      .max(4)
      .regex(/^\d{4}$/)
      .nullable(),
  })
  .meta({ id: 'PaymentMethod' })

const Order = z
  .object({
    id,
    number: line(40),
    member_id: idOf('mem'),
    state: z.enum(['pending', 'paid', 'failed', 'expired', 'partially_refunded', 'refunded']),
    source: z.enum(['checkout', 'manual', 'import']),
    items: z.array(OrderItem).max(500),
    subtotal: money,
    discount: money,
    tax: money,
    total: money,
    refunded: money,
    coupon_code: z.string().max(40).nullable(),
    placed_at: time,
    paid_at: time.nullable(),
    payment_method: PaymentMethod.nullable(),
    ...common,
  })
  .meta({ id: 'Order', description: 'An order of a member.' })
type Order = z.output<typeof Order>

const amount = (column: string): string => moneySql(`o.${column}`, 'o.currency')
const itemAmount = (column: string): string => moneySql(`i.${column}`, 'o.currency')

const ITEMS = `(
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', i.id, 'kind', lower(i.kind), 'title', i.title, 'quantity', i.quantity,
    'unit_price', ${itemAmount('unit_price')}, 'discount', ${itemAmount('discount')},
    'total', ${itemAmount('total')}, 'enrollment_id', 'enr_' || i.enrollment_id,
    'registration_id', 'reg_' || i.registration_id,
    'subscription_id', 'sub_' || i.subscription_id, 'digital_product_id', w.product_id
  ) order by i.position, i.id), '[]')
  from school_order_item i
  left join school_digital_ownership w on w.site = i.site and w.id = i.ownership_id
  where i.site = o.site and i.order_id = o.id
)`

// An order changes only at these times.
const CHANGED_AT = 'greatest(o.updated_at, o.placed_at, o.paid_at)'

interface Period {
  readonly after: number | null
  readonly before: number | null
}

function resource({ after, before }: Period = { after: null, before: null }): Listed {
  const conditions = [
    'o.site = $1',
    ...(after === null ? [] : [`o.placed_at > ${after}`]),
    ...(before === null ? [] : [`o.placed_at < ${before}`]),
  ]
  return {
    table: 'order',
    search: ['number', 'coupon_code'],
    select: `select 'ord_' || o.id as id, jsonb_build_object(
        'id', 'ord_' || o.id, 'number', o.number, 'member_id', o.member_id,
        'state', lower(o.state), 'source', coalesce(o.source, 'checkout'), 'items', ${ITEMS},
        'subtotal', ${amount('subtotal')}, 'discount', ${amount('discount')},
        'tax', ${amount('tax')}, 'total', ${amount('total')}, 'refunded', ${amount('refunded')},
        'coupon_code', o.coupon_code, 'placed_at', ${timeSql('o.placed_at')},
        'paid_at', ${timeSql('o.paid_at')},
        'payment_method', case when o.payment_kind is not null then jsonb_build_object(
          'kind', o.payment_kind, 'brand', o.payment_brand, 'last4', o.payment_last4) end,
        ${commonSql('m')}
      ) as data
      from school_order o
      cross join lateral (
        select o.placed_at as created_at, ${CHANGED_AT} as updated_at
      ) m
      where ${conditions.join(' and ')}`,
  }
}

/** The operations on orders. They neither charge nor refund. */
export function orderOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = readsOf(kit, { scope: 'orders', item: Order, rows: () => resource() })
  return [
    frame.list({
      description: '`placed_after` and `placed_before` exclude the given time itself.',
      filters: {
        number: Order.shape.number.optional(),
        member_id: Order.shape.member_id.optional(),
        state: Order.shape.state.optional(),
        source: Order.shape.source.optional(),
        coupon_code: line(40).optional(),
        placed_after: time.optional(),
        placed_before: time.optional(),
      },
      sorts: ['placed_at', 'created_at', 'updated_at', 'number'],
      rows({ filters: { placed_after, placed_before, ...filters }, ...request }) {
        const period = {
          after: epochOf(placed_after ?? null),
          before: epochOf(placed_before ?? null),
        }
        return kit.list<Order>(resource(period), { ...request, filters })
      },
    }),
    frame.get(),
  ]
}
