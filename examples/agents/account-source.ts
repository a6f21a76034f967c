// The data that members can read and change: an AccountSource over your tables. Each statement returns
// records, with columns named as in the interface, and has the member in its `where`: hallpass
// does not filter again.
import type { Site } from 'hallpass'
import * as account from 'hallpass/account'
import { execute } from './store.js'

const seconds = (column: string): string => `extract(epoch from ${column})::float8`
const COLUMNS = { name: 'name', picture: 'picture', locale: 'locale', timeZone: 'time_zone' }
const NONE = { rows: [], total: 0 }

export const createSource = ({ issuer, name }: Site): account.AccountSource => ({
  profile: async ({ subject }) => {
    const sql = `select email, false as "emailVerified", name, picture, locale, time_zone as "timeZone",
      ${seconds('joined_at')} as "memberSince" from users where id = $1`
    return ((await execute(sql, [subject])).rows as account.ProfileRecord[])[0] ?? null
  },
  updateProfile: async ({ subject }, changes) => {
    const fields = Object.keys(changes) as (keyof typeof changes)[]
    const assignments = fields.map((field, index) => `${COLUMNS[field]} = $${index + 2}`)
    const sql = `update users set ${['id = id', ...assignments].join()} where id = $1`
    await execute(sql, [subject, ...fields.map((field) => changes[field])])
  },
  site: async ({ orgId }) => {
    return { id: orgId, name, url: issuer, timeZone: 'Europe/Lisbon', currencyCode: 'EUR' }
  },

  // A member has few enrollments and few orders: load them all, and let pageOf sort and cut.
  enrollments: async ({ subject }, query) => {
    const sql = `select e.id, c.id as "courseId", c.slug, c.title, null as "coverImage",
        $2 || '/courses/' || c.slug as url, ${seconds('e.enrolled_at')} as "enrolledAt",
        null as "startDate", ${seconds('e.ends_at')} as "expireDate",
        e.ends_at is null as "hasLifetimeAccess", 'PURCHASE' as "accessSource",
        case when e.ends_at <= now() then 'EXPIRED' else 'ACTIVE' end as "accessState",
        '{"completedLectures": 0, "totalLectures": 0, "completedAt": null}'::jsonb as progress,
        null as "lastWatchedLecture"
      from enrollments e join courses c on c.id = e.course_id where e.user_id = $1`
    const rows = (await execute(sql, [subject, issuer])).rows as account.EnrollmentRecord[]
    const matching = rows.filter((row) => account.matchesEnrollment(row, query.filter))
    return account.pageOf(matching, account.enrollmentOrders[query.order], query)
  },
  orders: async ({ subject }, query) => {
    const sql = `select o.id, o.id as number, 'PAID' as state, at as "placedAt", at as "paidAt",
        paid as subtotal, zero as discount, zero as tax, paid as total, zero as refunded,
        null as "couponCode", null as "paymentMethod", null as "receiptUrl",
        jsonb_build_array(jsonb_build_object('id', o.id, 'kind', 'COURSE', 'title', c.title,
          'quantity', 1, 'unitPrice', paid, 'discount', zero, 'total', paid, 'enrollmentId', e.id,
          'eventRegistrationId', null, 'subscriptionId', null, 'digitalProductId', null)) as items
      from orders o join courses c on c.id = o.course_id left join enrollments e on e.order_id = o.id
      cross join lateral (select ${seconds('o.placed_at')} as at,
        jsonb_build_object('amount', o.price::text, 'currencyCode', 'EUR') as paid,
        '{"amount": "0.00", "currencyCode": "EUR"}'::jsonb as zero) amounts
      where o.user_id = $1`
    const { ids, states, placedAfter, placedBefore } = query.filter
    const matching = ((await execute(sql, [subject])).rows as account.OrderRecord[]).filter(
      ({ id, state, placedAt }) =>
        (ids === null || ids.includes(id)) &&
        (states === null || states.includes(state)) &&
        placedAt > (placedAfter ?? -Infinity) &&
        placedAt < (placedBefore ?? Infinity),
    )
    return account.pageOf(matching, { keyOf: (row) => row.placedAt, descending: true }, query)
  },

  // This school sells no events, memberships or downloads.
  eventRegistrations: async () => NONE,
  cancelEventRegistration: async () => 'conflict',
  subscriptions: async () => NONE,
  digitalProducts: async () => NONE,

  // Its lectures are not online. Without a lecture, the last two methods are not called.
  courseOutlines: async () => new Map(),
  lecture: async () => null,
  savePlayback: async () => 'stale',
  markLecture: async () => {},
})
