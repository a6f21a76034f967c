import { lanternEvents } from './lantern-events.js'
import { DAY, type DemoRows, type Row } from './rows.js'

const [MEI, JONAS, PRIYA, LUCIA, NOOR, SAM] = [
  'mem_l05', 'mem_l06', 'mem_l07', 'mem_l08', 'mem_l09', 'mem_l10',
] as const // prettier-ignore

interface Amounts {
  readonly subtotal: string
  readonly total: string
  readonly discount?: string
  readonly tax?: string
  readonly refunded?: string
}

const visa = { payment_kind: 'card', payment_brand: 'visa', payment_last4: '4242' }
const unpaid = { paid_at: null, payment_kind: null, payment_brand: null, payment_last4: null }

const order = (
  number: number,
  member_id: string,
  placed_at: number,
  amounts: Amounts,
  more: Row = {},
): Row => ({
  id: `l${number}`,
  number: `LS-${1000 + number}`,
  member_id,
  state: 'PAID',
  placed_at,
  paid_at: placed_at + 20,
  currency: 'EUR',
  discount: '0.00',
  tax: '0.00',
  refunded: '0.00',
  coupon_code: null,
  ...visa,
  ...amounts,
  ...more,
})

const item = (
  orderNumber: number,
  position: number,
  [kind, title, total]: readonly [
    'COURSE' | 'MEMBERSHIP' | 'EVENT_TICKET' | 'DIGITAL_PRODUCT',
    string,
    string,
  ],
  more: Row = {},
): Row => ({
  id: `l${orderNumber}_${position + 1}`,
  order_id: `l${orderNumber}`,
  position,
  kind,
  title,
  quantity: 1,
  unit_price: total,
  discount: '0.00',
  total,
  enrollment_id: null,
  registration_id: null,
  subscription_id: null,
  ownership_id: null,
  ...more,
})

/** Events, downloads and orders. A total is the sum of the items, with tax. */
export function lanternSales(now: number): DemoRows {
  return {
    ...lanternEvents(now),
    digital_product: [{ id: 'dgp_l01', slug: 'brush-guide', title: 'The Brush Guide' }],
    digital_file: [
      {
        product_id: 'dgp_l01',
        position: 0,
        name: 'brush-guide.pdf',
        content_type: 'application/pdf',
        size_bytes: 4_812_331,
      },
      {
        product_id: 'dgp_l01',
        position: 1,
        name: 'practice-sheets.zip',
        content_type: 'application/zip',
        size_bytes: null,
      },
    ],
    digital_ownership: [
      { id: 'l1', member_id: NOOR, product_id: 'dgp_l01', acquired_at: now - 24 * DAY },
    ],
    order: [
      order(1, MEI, now - 120 * DAY, { subtotal: '120.00', total: '120.00' }),
      order(
        2,
        MEI,
        now - 130 * DAY,
        { subtotal: '80.00', total: '80.00', refunded: '20.00' },
        { state: 'PARTIALLY_REFUNDED' },
      ),
      order(
        3,
        PRIYA,
        now - DAY,
        { subtotal: '35.00', discount: '35.00', total: '0.00' },
        { coupon_code: 'WELCOME100', payment_kind: null, payment_brand: null, payment_last4: null },
      ),
      order(
        4,
        JONAS,
        now - 5 * DAY,
        { subtotal: '19.00', total: '19.00' },
        { ...visa, state: 'FAILED', paid_at: null },
      ),
      order(
        5,
        LUCIA,
        now - 2 * DAY,
        { subtotal: '45.00', total: '45.00' },
        { ...unpaid, state: 'PENDING', payment_kind: 'bank_transfer' },
      ),
      order(6, NOOR, now - 24 * DAY, { subtotal: '92.00', tax: '2.76', total: '94.76' }),
      order(7, SAM, now - 9 * DAY, { subtotal: '24.00', total: '24.00' }),
      order(8, LUCIA, now - 3 * DAY, { subtotal: '65.00', total: '65.00' }),
    ],
    order_item: [
      item(1, 0, ['COURSE', 'Foundations of Drawing', '120.00'], { enrollment_id: 'l1' }),
      item(2, 0, ['COURSE', 'Portraits from Life', '80.00'], { enrollment_id: 'l3' }),
      item(3, 0, ['COURSE', 'Sketchbook Habits', '0.00'], {
        unit_price: '35.00',
        discount: '35.00',
        enrollment_id: 'l6',
      }),
      item(4, 0, ['MEMBERSHIP', 'Monthly', '19.00'], { subscription_id: 'l1' }),
      item(5, 0, ['EVENT_TICKET', 'Portrait Marathon', '45.00'], { registration_id: 'l6' }),
      item(6, 0, ['COURSE', 'Sketchbook Habits', '35.00'], { enrollment_id: 'n06' }),
      item(6, 1, ['EVENT_TICKET', 'Portrait Marathon', '45.00'], { registration_id: 'l5' }),
      item(6, 2, ['DIGITAL_PRODUCT', 'The Brush Guide', '12.00'], { ownership_id: 'l1' }),
      item(7, 0, ['EVENT_TICKET', 'Ink Night', '24.00'], {
        quantity: 2,
        unit_price: '12.00',
        registration_id: 'l3',
      }),
      item(8, 0, ['COURSE', 'Perspective without Tears', '65.00'], { enrollment_id: 'l7' }),
    ],
  }
}
