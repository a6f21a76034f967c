import { completed, courseRows, DAY, type DemoCourse, type DemoRows, enrollment, HOUR, stopped } from './rows.js' // prettier-ignore

const courses: readonly DemoCourse[] = [
  {
    id: 'crs_k01',
    slug: 'foundations',
    title: 'Foundations of Throwing',
    description: 'From a lump of clay to a cylinder that keeps its shape.',
    status: 'published',
    sections: {
      Clay: ['Wedging', 'Centring', 'Opening up'],
      Walls: ['The first pull', 'The second pull', 'A cylinder'],
    },
  },
  {
    id: 'crs_k02',
    slug: 'glaze-chemistry',
    title: 'Glaze Chemistry',
    description: 'Why a glaze runs, crawls or shines.',
    status: 'published',
    sections: { Oxides: ['Silica', 'Fluxes', ['A glaze to mix', 'DOCUMENT']] },
  },
  {
    id: 'crs_k03',
    slug: 'hand-building',
    title: 'Hand-building',
    description: 'Pinch, coil and slab.',
    status: 'published',
    sections: { Coils: ['Rolling', 'Joining'], Slabs: ['Cutting', 'A box'] },
  },
]

const [MEI, WEN] = ['mem_k02', 'mem_k03']

/** Kiln & Coil: amounts are whole New Taiwan dollars. */
export function kilnRows(now: number): DemoRows {
  const hour = Math.floor(now / HOUR) * HOUR
  const membership = { lifetime: false, source: 'MEMBERSHIP', subscription_id: 'k1' }
  const order = {
    currency: 'TWD',
    discount: '0',
    tax: '0',
    coupon_code: null,
    payment_kind: 'card',
    payment_brand: 'jcb',
    payment_last4: '0505',
  }
  const item = {
    position: 0,
    quantity: 1,
    discount: '0',
    registration_id: null,
    ownership_id: null,
  }
  return {
    person: ['mem_k01', MEI, WEN].map((member_id, index) => ({
      member_id,
      joined_at: now - (300 - 50 * index) * DAY,
      locale: 'zh-TW',
      time_zone: 'Asia/Taipei',
    })),
    ...courseRows(courses, now),
    plan: [
      {
        id: 'plan_k01',
        name: 'Studio, monthly',
        kind: 'recurring',
        price: '1280',
        currency: 'TWD',
        interval: 'MONTH',
        trial_days: null,
        ends_at: null,
        status: 'active',
      },
    ],
    subscription: [
      {
        id: 'k1',
        member_id: WEN,
        plan_id: 'plan_k01',
        state: 'ACTIVE',
        started_at: now - 70 * DAY,
        current_period_end: now + 20 * DAY,
        next_charge_at: now + 20 * DAY,
        cancel_at: null,
      },
    ],
    enrollment: [
      enrollment('k1', MEI, 'crs_k01', now - 90 * DAY),
      enrollment('k2', WEN, 'crs_k01', now - 70 * DAY, membership),
      enrollment('k3', WEN, 'crs_k03', now - 70 * DAY, membership),
      enrollment('k4', WEN, 'crs_k02', now - 40 * DAY, { revoked_at: now - 30 * DAY }),
    ],
    lecture_progress: [
      stopped(MEI, 'crs_k01', 2, 95, now - 12 * DAY),
      ...completed(WEN, 'crs_k03', 4, now - 8 * DAY),
      stopped(WEN, 'crs_k02', 1, 300, now - 35 * DAY),
    ],
    event: [
      {
        id: 'evt_k01',
        slug: 'raku-firing',
        title: 'Raku firing',
        status: 'published',
        starts_at: hour + 12 * DAY,
        ends_at: hour + 12 * DAY + 4 * HOUR,
        time_zone: 'Asia/Taipei',
        online: false,
        venue: 'The yard behind the kiln',
        join_url: null,
        capacity: 12,
        cancellable_until: hour + 9 * DAY,
      },
    ],
    event_registration: [
      {
        id: 'k1',
        member_id: WEN,
        event_id: 'evt_k01',
        state: 'REGISTERED',
        registered_at: now - 5 * DAY,
        cancelled_at: null,
        cancel_reason: null,
        checked_in_at: null,
        ticket_name: 'Two pieces',
        ticket_code: 'RAKU-7Q2M',
        price: '900',
        currency: 'TWD',
      },
    ],
    order: [
      {
        ...order,
        id: 'k1',
        number: 'KC-2001',
        member_id: WEN,
        state: 'PAID',
        placed_at: now - 70 * DAY,
        paid_at: now - 70 * DAY,
        subtotal: '1280',
        total: '1280',
        refunded: '0',
      },
      {
        ...order,
        id: 'k2',
        number: 'KC-2002',
        member_id: WEN,
        state: 'REFUNDED',
        placed_at: now - 40 * DAY,
        paid_at: now - 40 * DAY,
        subtotal: '2800',
        total: '2800',
        refunded: '2800',
      },
    ],
    order_item: [
      {
        ...item,
        id: 'k1',
        order_id: 'k1',
        kind: 'MEMBERSHIP',
        title: 'Studio, monthly',
        unit_price: '1280',
        total: '1280',
        enrollment_id: null,
        subscription_id: 'k1',
      },
      {
        ...item,
        id: 'k2',
        order_id: 'k2',
        kind: 'COURSE',
        title: 'Glaze Chemistry',
        unit_price: '2800',
        total: '2800',
        enrollment_id: 'k4',
        subscription_id: null,
      },
    ],
  }
}
