import * as z from 'zod'
import type { AccessState } from '../../account/source.js'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

// A function, because a pattern would be repeated many times in every tool list.
export const time: z.ZodType<string> = z.stringFormat('date-time', (value) => TIME.test(value))
const count = z.int32()
const text = z.string()
export const url: z.ZodString = z.string().regex(/^https?:\/\//)

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217 code.')
const money = z.strictObject({
  amount: z
    .string()
    .regex(/^-?\d+(?:\.\d+)?$/)
    .describe('Exact decimal amount.'),
  currency_code: currency,
})

/** The caller's own record. */
export const profile: z.ZodObject = z.strictObject({
  id: text,
  email: text.nullable(),
  email_verified: z.boolean(),
  name: text.nullable(),
  picture: url.nullable(),
  locale: text.nullable(),
  time_zone: text.nullable(),
  roles: z.array(text),
  member_since: time,
  site: z.strictObject({ id: text, name: text, url, time_zone: text, currency_code: currency }),
})

/** The access of a member to a course. */
export const accessState: z.ZodEnum<{ [State in AccessState]: State }> = z.enum([
  'SCHEDULED',
  'ACTIVE',
  'SUSPENDED',
  'EXPIRED',
  'REVOKED',
])

const courseHead = z.strictObject({
  id: text,
  slug: text,
  title: text,
  url,
  enrolled_at: time,
  start_date: time.nullable(),
  expire_date: time
    .nullable()
    .describe('null if access lasts for life or renews automatically; see has_lifetime_access.'),
  has_lifetime_access: z.boolean(),
  access_state: accessState,
  access_source: z.enum(['PURCHASE', 'MEMBERSHIP', 'FREE', 'GRANTED', 'GIFT']),
  progress: z.strictObject({
    completed_lectures: count,
    total_lectures: count,
    ratio: z.number(),
    completed_at: time.nullable(),
  }),
  last_watched_lecture: z
    .strictObject({
      lecture_id: text,
      title: text.nullable(),
      position_seconds: count,
      duration_seconds: count.nullable(),
      watched_at: time,
      resume_url: url.nullable(),
    })
    .nullable(),
})

const lecture = z.strictObject({
  id: text,
  title: text,
  kind: z.enum(['VIDEO', 'AUDIO', 'DOCUMENT', 'TEXT', 'QUIZ', 'LIVE', 'OTHER']),
  duration_seconds: count.nullable(),
  completed: z.boolean(),
  position_seconds: count.nullable(),
  url: url.nullable(),
})

/** A course in a list. */
export const course: z.ZodObject = courseHead

const courseWithNext = courseHead.extend({ next_lecture: lecture.nullable() })

/** A course with its next lecture. */
export const openCourse: z.ZodObject = courseWithNext

/** A course with its outline. */
export const wholeCourse: z.ZodObject = courseWithNext.extend({
  cover_image: url.nullable(),
  sections: z.array(z.strictObject({ id: text, title: text, lectures: z.array(lecture) })),
})

const itemKind = z.enum(['COURSE', 'MEMBERSHIP', 'EVENT_TICKET', 'DIGITAL_PRODUCT', 'OTHER'])

const orderHead = z.strictObject({
  id: text,
  number: text,
  state: z.enum(['PENDING', 'PAID', 'FAILED', 'EXPIRED', 'PARTIALLY_REFUNDED', 'REFUNDED']),
  placed_at: time,
  paid_at: time.nullable(),
  total: money,
  refunded: money,
})

/** An order in a list. */
export const order: z.ZodObject = orderHead.extend({
  items: z.array(z.strictObject({ title: text, kind: itemKind, quantity: count })),
})

const registrationState = z.enum(['WAITLISTED', 'REGISTERED', 'CHECKED_IN', 'NO_SHOW', 'CANCELLED'])

const membershipState = z.enum([
  'INCOMPLETE',
  'TRIALING',
  'ACTIVE',
  'PAST_DUE',
  'CANCELING',
  'CANCELED',
  'EXPIRED',
])

const orderItem = z.strictObject({
  id: text,
  kind: itemKind,
  title: text,
  quantity: count,
  unit_price: money,
  discount: money,
  total: money,
  enrolled_course: z
    .strictObject({ slug: text, title: text, access_state: accessState })
    .nullable(),
  event_registration: z.strictObject({ id: text, state: registrationState }).nullable(),
  subscription: z.strictObject({ id: text, plan_name: text, state: membershipState }).nullable(),
  digital_product: z.strictObject({ id: text, title: text }).nullable(),
})

/** An order with its amounts, and with the course, booking, membership or download of each item. */
export const wholeOrder: z.ZodObject = orderHead.extend({
  subtotal: money,
  discount: money,
  tax: money,
  coupon_code: text.nullable(),
  payment_method: z
    .strictObject({ kind: text, brand: text.nullable(), last4: text.nullable() })
    .nullable(),
  receipt_url: url.nullable(),
  items: z.array(orderItem),
})

/** A booking. */
export const registration: z.ZodObject = z.strictObject({
  id: text,
  state: registrationState,
  registered_at: time,
  cancelled_at: time.nullable(),
  checked_in_at: time.nullable(),
  ticket_name: text,
  ticket_code: text.nullable(),
  price: money,
  event: z.strictObject({
    id: text,
    slug: text,
    title: text,
    starts_at: time,
    ends_at: time,
    time_zone: text,
    is_online: z.boolean(),
    venue: text.nullable(),
    url,
  }),
  join_url: url.nullable(),
  can_cancel: z.boolean(),
  cancellable_until: time.nullable().describe('null means until the event starts.'),
})

/** A membership. */
export const membership: z.ZodObject = z.strictObject({
  id: text,
  plan_name: text,
  state: membershipState,
  started_at: time,
  current_period_end: time.nullable(),
  next_charge_at: time.nullable(),
  cancel_at: time.nullable(),
  is_lifetime: z.boolean(),
  price: money.nullable(),
  interval: z.enum(['DAY', 'WEEK', 'MONTH', 'YEAR']).nullable(),
})

/** A download that the caller owns. */
export const download: z.ZodObject = z.strictObject({
  id: text,
  slug: text,
  title: text,
  acquired_at: time,
  url: url.describe("Page of the product. Downloading the files needs the person's own browser."),
  files: z.array(z.strictObject({ name: text, content_type: text, size_bytes: count.nullable() })),
})

/** The position at which to continue a course. */
export const resumption: z.ZodObject = z.strictObject({
  course: z.strictObject({ slug: text, title: text }),
  lecture: z.strictObject({ id: text, title: text.nullable() }),
  position_seconds: count,
  resume_url: url.nullable().describe("Opens the lecture in the person's browser."),
  access: z.strictObject({
    state: accessState,
    expire_date: time.nullable(),
    has_lifetime_access: z.boolean(),
  }),
})
