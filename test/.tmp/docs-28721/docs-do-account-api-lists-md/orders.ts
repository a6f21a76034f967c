// orders.ts
import type { AccountSource, OrderRecord, OrderState } from 'hallpass/account'
import { db } from './tables.js'

interface Row {
  readonly id: string
  readonly course: string
  readonly price: string
  readonly bought_at: number
  readonly state: OrderState
}

export const orders: AccountSource['orders'] = async ({ subject }, query) => {
  const { filter, after, before, limit, fromEnd, count } = query
  const parameters: unknown[] = [subject]
  const bind = (value: unknown): string => `$${parameters.push(value)}`
  const state = `case when refunded_at is null then 'PAID' else 'REFUNDED' end`

  const matching = [`member = $1`]
  if (filter.ids !== null) matching.push(`id = any(${bind(filter.ids)}::text[])`)
  if (filter.states !== null) matching.push(`${state} = any(${bind(filter.states)}::text[])`)
  if (filter.placedAfter !== null)
    matching.push(`bought_at > to_timestamp(${bind(filter.placedAfter)})`)
  if (filter.placedBefore !== null)
    matching.push(`bought_at < to_timestamp(${bind(filter.placedBefore)})`)

  let total: number | null = null
  if (count) {
    const sql = `select count(*)::float8 as total from purchases where ${matching.join(' and ')}`
    const counted = await db.query<{ total: number }>(sql, parameters)
    total = counted.rows[0]!.total
  }
  if (limit === 0) return { rows: [], total }

  // Newest first, then by id. A row comes after a place if it is older, or as old with a later id.
  const page = [...matching]
  if (after !== null) {
    const key = `to_timestamp(${bind(Number(after.key))})`
    page.push(`(bought_at < ${key} or (bought_at = ${key} and id > ${bind(after.id)}))`)
  }
  if (before !== null) {
    const key = `to_timestamp(${bind(Number(before.key))})`
    page.push(`(bought_at > ${key} or (bought_at = ${key} and id < ${bind(before.id)}))`)
  }
  const { rows } = await db.query<Row>(
    `select id, course, price, extract(epoch from bought_at)::float8 as bought_at, ${state} as state
     from purchases where ${page.join(' and ')}
     order by ${fromEnd ? 'bought_at asc, id desc' : 'bought_at desc, id asc'}
     limit ${bind(limit)}`,
    parameters,
  )
  if (fromEnd) rows.reverse()
  return { rows: rows.map(orderOf), total }
}

function orderOf({ id, course, price, bought_at, state }: Row): OrderRecord {
  const money = (amount: string) => ({ amount, currencyCode: 'EUR' })
  const [nothing, paid] = [money('0.00'), money(price)]
  return {
    id,
    number: `K-${id}`,
    state,
    placedAt: bought_at,
    paidAt: bought_at,
    subtotal: paid,
    discount: nothing,
    tax: nothing,
    total: paid,
    refunded: state === 'REFUNDED' ? paid : nothing,
    couponCode: null,
    paymentMethod: null,
    receiptUrl: null,
    items: [
      {
        id: `${id}-1`,
        kind: 'COURSE',
        title: course,
        quantity: 1,
        unitPrice: paid,
        discount: nothing,
        total: paid,
        enrollmentId: id,
        eventRegistrationId: null,
        subscriptionId: null,
        digitalProductId: null,
      },
    ],
  }
}
