import type {
  DigitalProductRecord, EventRegistrationRecord, OrderRecord, SectionRecord,
  SubscriptionRecord,
} from 'hallpass/account' // prettier-ignore
import { enrollment, type MemberData } from './account.js'
import { T } from './school.js'

const DAY = 86_400
const PRICE = { amount: '12.50', currencyCode: 'EUR' }

const section = (id: string, lectures = 2): SectionRecord => ({
  id,
  title: `Section ${id}`,
  lectures: Array.from({ length: lectures }, (_, index) => ({
    id: `${id}-l${index}`,
    title: `Lecture ${index}`,
    kind: 'VIDEO',
    durationSeconds: 600,
    completed: index === 0,
    positionSeconds: null,
    url: null,
  })),
})

const registration = (
  id: string,
  fields: Partial<EventRegistrationRecord> = {},
): EventRegistrationRecord => ({
  id,
  state: 'REGISTERED',
  registeredAt: T - DAY,
  cancelledAt: null,
  checkedInAt: null,
  ticketName: 'Seat',
  ticketCode: null,
  price: PRICE,
  event: {
    id: `event-${id}`,
    slug: `event-${id}`,
    title: 'Life drawing',
    startsAt: T + DAY,
    endsAt: T + DAY + 7200,
    timeZone: 'Europe/Lisbon',
    isOnline: false,
    venue: null,
    url: 'https://lantern.example/events/life-drawing',
  },
  joinUrl: null,
  cancellableUntil: null,
  ...fields,
})

export const item = (
  id: string,
  fields: Partial<OrderRecord['items'][number]> = {},
): OrderRecord['items'][number] => ({
  id,
  kind: 'COURSE',
  title: 'Foundations',
  quantity: 1,
  unitPrice: PRICE,
  discount: PRICE,
  total: PRICE,
  enrollmentId: null,
  eventRegistrationId: null,
  subscriptionId: null,
  digitalProductId: null,
  ...fields,
})

export const order = (id: string, fields: Partial<OrderRecord> = {}): OrderRecord => ({
  id,
  number: `N-${id}`,
  state: 'PAID',
  placedAt: T - DAY,
  paidAt: T - DAY,
  subtotal: PRICE,
  discount: PRICE,
  tax: PRICE,
  total: PRICE,
  refunded: PRICE,
  couponCode: null,
  paymentMethod: { kind: 'card', brand: 'visa', last4: '4242' },
  items: [],
  receiptUrl: null,
  ...fields,
})

export const subscription = (
  id: string,
  fields: Partial<SubscriptionRecord> = {},
): SubscriptionRecord => ({
  id,
  planName: 'All courses',
  state: 'ACTIVE',
  startedAt: T - DAY,
  currentPeriodEnd: T + DAY,
  nextChargeAt: T + DAY,
  cancelAt: null,
  isLifetime: false,
  price: PRICE,
  interval: 'MONTH',
  enrollmentIds: [],
  ...fields,
})

const digitalProduct = (id: string, title = 'Brushes'): DigitalProductRecord => ({
  id,
  slug: `product-${id}`,
  title,
  acquiredAt: T - DAY,
  url: 'https://lantern.example/products/brushes',
  files: [{ name: 'brushes.zip', contentType: 'application/zip', sizeBytes: 1024 }],
})

/** A member who has the same identifiers as any other, `mark` in every text, and links all over. */
export function memberWith(mark: string, ids: readonly string[]): MemberData {
  return {
    profile: { email: `${mark}@example.com`, name: mark, changes: [] },
    enrollments: ids.map((id) =>
      enrollment({ id, courseId: `c${id}`, slug: `${mark}-${id}`, title: `${mark} ${id}` }),
    ),
    orders: ids.map((id) =>
      order(id, {
        number: `${mark}-${id}`,
        items: [
          item(`${id}-all`, {
            title: mark,
            enrollmentId: id,
            eventRegistrationId: id,
            subscriptionId: id,
            digitalProductId: id,
          }),
          item(`${id}-lost`, {
            enrollmentId: 'lost',
            eventRegistrationId: 'lost',
            subscriptionId: 'lost',
            digitalProductId: 'lost',
          }),
        ],
      }),
    ),
    registrations: ids.map((id) => registration(id, { ticketName: mark })),
    outlines: new Map(ids.map((id) => [`c${id}`, [{ ...section(id), title: `${mark} section` }]])),
    subscriptions: ids.map((id) =>
      subscription(id, { planName: mark, enrollmentIds: [...ids, 'lost'] }),
    ),
    digitalProducts: ids.map((id) => digitalProduct(id, mark)),
  }
}
