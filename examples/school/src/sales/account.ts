import type {
  AccountSource, DigitalProductRecord, OrderRecord, SubscriptionRecord,
} from 'hallpass/account' // prettier-ignore
import { createSqlParameters, loadRows, type SourceOptions } from '../account/listing.js'

/**
 * SQL of the state of a membership, from the columns of a subscription `s`. A membership that does not renew
 * expires at its end.
 *
 * @param now - the SQL of the current time
 */
export const subscriptionStateSql = (now: string): string => `case
  when s.current_period_end > ${now} or s.current_period_end is null
    or s.next_charge_at is not null then s.state
  when s.state in ('ACTIVE', 'TRIALING') then 'EXPIRED'
  when s.state = 'CANCELING' then 'CANCELED'
  else s.state end`

type PurchaseMethods = Pick<AccountSource, 'orders' | 'subscriptions' | 'digitalProducts'>

const money = (amount: string, currency: string): string =>
  `jsonb_build_object('amount', ${amount}::text, 'currencyCode', ${currency})`

/** The orders, memberships and downloads of a member. */
export function createPurchases({ execute, site, origin, now }: SourceOptions): PurchaseMethods {
  return {
    orders({ subject }, query) {
      const { ids, states, placedAfter, placedBefore } = query.filter
      const parameters = createSqlParameters()
      const { text, integer, texts } = parameters
      const conditions = [
        `o.site = ${text(site)} and o.member_id = ${text(subject)}`,
        ...(ids === null ? [] : [`o.id = any(${texts(ids)})`]),
        ...(states === null ? [] : [`o.state = any(${texts(states)})`]),
        ...(placedAfter === null ? [] : [`o.placed_at > ${integer(placedAfter)}`]),
        ...(placedBefore === null ? [] : [`o.placed_at < ${integer(placedBefore)}`]),
      ]
      const matching = `
        select o.id, o.placed_at, jsonb_build_object('id', o.id, 'number', o.number,
          'state', o.state, 'placedAt', o.placed_at, 'paidAt', o.paid_at,
          'subtotal', ${money('o.subtotal', 'o.currency')},
          'discount', ${money('o.discount', 'o.currency')},
          'tax', ${money('o.tax', 'o.currency')},
          'total', ${money('o.total', 'o.currency')},
          'refunded', ${money('o.refunded', 'o.currency')},
          'couponCode', o.coupon_code,
          'paymentMethod', case when o.payment_kind is not null then jsonb_build_object(
            'kind', o.payment_kind, 'brand', o.payment_brand, 'last4', o.payment_last4) end,
          'receiptUrl', case when o.paid_at is not null
            then ${text(`${origin}/orders/`)} || o.number || '/receipt' end,
          'items', (
            select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'kind', i.kind,
              'title', i.title, 'quantity', i.quantity,
              'unitPrice', ${money('i.unit_price', 'o.currency')},
              'discount', ${money('i.discount', 'o.currency')},
              'total', ${money('i.total', 'o.currency')},
              'enrollmentId', i.enrollment_id, 'eventRegistrationId', i.registration_id,
              'subscriptionId', i.subscription_id, 'digitalProductId', i.ownership_id
            ) order by i.position, i.id), '[]')
            from school_order_item i where i.site = o.site and i.order_id = o.id
          )) as record
        from school_order o
        where ${conditions.join(' and ')}`
      return loadRows<OrderRecord>(
        execute,
        parameters,
        { matching, key: 'placed_at', keyType: 'bigint', descending: true },
        query,
      )
    },

    subscriptions({ subject }, query) {
      const { ids } = query.filter
      const parameters = createSqlParameters()
      const { text, integer, texts } = parameters
      const matching = `
        select s.id, s.started_at, jsonb_build_object('id', s.id, 'planName', p.name,
          'state', ${subscriptionStateSql(integer(now()))}, 'startedAt', s.started_at, 'currentPeriodEnd', s.current_period_end,
          'nextChargeAt', s.next_charge_at, 'cancelAt', s.cancel_at,
          'isLifetime', p.kind = 'lifetime', 'interval', p.interval,
          'price', ${money('coalesce(s.price, p.price)', 'p.currency')},
          'enrollmentIds', (
            select coalesce(jsonb_agg(e.id order by e.enrolled_at, e.id), '[]')
            from school_enrollment e
            where e.site = s.site and e.subscription_id = s.id and e.member_id = s.member_id
          )) as record
        from school_subscription s
        join school_plan p on p.site = s.site and p.id = s.plan_id
        where s.site = ${text(site)} and s.member_id = ${text(subject)}
          ${ids === null ? '' : `and s.id = any(${texts(ids)})`}`
      return loadRows<SubscriptionRecord>(
        execute,
        parameters,
        { matching, key: 'started_at', keyType: 'bigint', descending: true },
        query,
      )
    },

    digitalProducts({ subject }, query) {
      const { ids } = query.filter
      const parameters = createSqlParameters()
      const { text, texts } = parameters
      const matching = `
        select o.id, o.acquired_at, jsonb_build_object('id', o.id, 'slug', p.slug,
          'title', p.title, 'acquiredAt', o.acquired_at,
          'url', ${text(`${origin}/downloads/`)} || p.slug,
          'files', (
            select coalesce(jsonb_agg(jsonb_build_object('name', f.name,
              'contentType', f.content_type, 'sizeBytes', f.size_bytes) order by f.position), '[]')
            from school_digital_file f where f.site = p.site and f.product_id = p.id
          )) as record
        from school_digital_ownership o
        join school_digital_product p on p.site = o.site and p.id = o.product_id
        where o.site = ${text(site)} and o.member_id = ${text(subject)}
          ${ids === null ? '' : `and o.id = any(${texts(ids)})`}`
      return loadRows<DigitalProductRecord>(
        execute,
        parameters,
        { matching, key: 'acquired_at', keyType: 'bigint', descending: true },
        query,
      )
    },
  }
}
