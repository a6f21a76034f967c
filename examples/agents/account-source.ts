// The data that members can read and change: an AccountSource over your tables. Each statement has the member in
// its `where`: hallpass does not filter again.
import type { Site } from 'hallpass'
import * as account from 'hallpass/account'
import { execute } from '../common/store.js'

const COLUMNS = { name: 'name', picture: 'picture', locale: 'locale', timeZone: 'time_zone' }
const NONE = { rows: [], total: 0 }
const euros = (cents: number) => ({ amount: (cents / 100).toFixed(2), currencyCode: 'EUR' })

/** Rows of your own. A driver of PostgreSQL returns a `bigint` as text, so each time is passed to `Number`. */
type Time = number | string
type Profile = Omit<account.ProfileRecord, 'memberSince'> & { memberSince: Time }
type Course = { id: string; course_id: string; slug: string; title: string }
type Enrollment = Course & { enrolled_at: Time; ends_at: Time | null }
type Order = Course & { cents: number; placed_at: Time; enrollment_id: string | null }

export const createSource = ({ issuer, name, now }: Site): account.AccountSource => ({
  profile: async ({ subject }) => {
    const sql = `select email, name, picture, locale, time_zone as "timeZone", joined_at as "memberSince"
      from users where id = $1`
    const [user] = (await execute(sql, [subject])).rows as Profile[]
    if (user === undefined) return null
    return { ...user, emailVerified: false, memberSince: Number(user.memberSince) }
  },
  updateProfile: async ({ subject }, changes) => {
    const fields = Object.keys(changes) as (keyof typeof changes)[]
    const assignments = fields.map((field, index) => `${COLUMNS[field]} = $${index + 2}`)
    const sql = `update users set ${['id = id', ...assignments].join()} where id = $1`
    await execute(sql, [subject, ...fields.map((field) => changes[field] ?? null)])
  },
  site: async ({ orgId }) => {
    return { id: orgId, name, url: issuer, timeZone: 'Europe/Lisbon', currencyCode: 'EUR' }
  },

  // A member has few enrollments and few orders: load them all, and let pageOf sort and cut.
  enrollments: async ({ subject }, query) => {
    const sql = `select e.id, e.enrolled_at, e.ends_at, c.id as course_id, c.slug, c.title
      from enrollments e join courses c on c.id = e.course_id where e.user_id = $1`
    const rows = (await execute(sql, [subject])).rows as Enrollment[]
    const records = rows.map((row) => enrollmentOf(row, { issuer, now: now() }))
    const matching = records.filter((record) => account.matchesEnrollment(record, query.filter))
    return account.pageOf(matching, account.enrollmentOrders[query.order], query)
  },
  orders: async ({ subject }, query) => {
    const sql = `select o.id, o.cents, o.placed_at, c.id as course_id, c.slug, c.title,
        e.id as enrollment_id
      from orders o join courses c on c.id = o.course_id left join enrollments e on e.order_id = o.id
      where o.user_id = $1`
    const rows = (await execute(sql, [subject])).rows as Order[]
    const records = rows.map((order) => orderOf(order))
    const { ids, states, placedAfter, placedBefore } = query.filter
    const matching = records.filter(
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

function enrollmentOf(row: Enrollment, { issuer, now }: { issuer: string; now: number }) {
  const { id, course_id: courseId, slug, title } = row
  const expireDate = row.ends_at === null ? null : Number(row.ends_at)
  const isOver = expireDate !== null && expireDate <= now
  const course = { courseId, slug, title, coverImage: null, url: `${issuer}/courses/${slug}` }
  const times = { enrolledAt: Number(row.enrolled_at), startDate: null, expireDate }
  const accessState = isOver ? ('EXPIRED' as const) : ('ACTIVE' as const)
  const access = { accessSource: 'PURCHASE' as const, accessState }
  const progress = { completedLectures: 0, totalLectures: 0, completedAt: null }
  const ownership = { hasLifetimeAccess: expireDate === null, lastWatchedLecture: null }
  return { id, ...course, ...times, ...access, ...ownership, progress }
}

function orderOf({ id, title, cents, placed_at, enrollment_id }: Order): account.OrderRecord {
  const [price, zero, at] = [euros(cents), euros(0), Number(placed_at)]
  const sums = { subtotal: price, discount: zero, tax: zero, total: price, refunded: zero }
  const none = { couponCode: null, paymentMethod: null, receiptUrl: null }
  const course = { id, kind: 'COURSE' as const, title, enrollmentId: enrollment_id }
  const cost = { quantity: 1, unitPrice: price, discount: zero, total: price }
  const others = { eventRegistrationId: null, subscriptionId: null, digitalProductId: null }
  const items = [{ ...course, ...cost, ...others }]
  return { id, number: id, state: 'PAID', placedAt: at, paidAt: at, ...sums, ...none, items }
}
