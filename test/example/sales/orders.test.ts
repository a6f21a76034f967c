import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderOperations } from '../../../examples/school/src/sales/orders.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(orderOperations)
})
afterAll(() => school.close())

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const numbersOf = async (query: string): Promise<unknown> => {
  const { status, body } = await school.call('GET', `/orders?fields=number&${query}`)
  expect(status).toBe(200)
  return (body as { data: { number: string }[] }).data.map(({ number }) => number)
}

describe('orders', () => {
  it('say what was bought, what it gave, and the sums to the cent', async () => {
    // Another school counts its orders too.
    await school.execute(
      `insert into school_order select 'site_kiln', o.* from (
         select id, number, 'mem_k03', state, placed_at, paid_at, currency, subtotal, discount, tax,
           total, refunded from school_order where site = 'site_lantern' and id = 'l6'
       ) o`,
      [],
    )
    await school.execute(
      `insert into school_order_item
       select 'site_kiln', id, order_id, position, kind, title, quantity, unit_price, discount, total
       from school_order_item where site = 'site_lantern' and order_id = 'l6'`,
      [],
    )
    expect((await school.call('GET', '/orders/ord_l6')).body).toEqual({
      id: 'ord_l6',
      number: 'LS-1006',
      member_id: 'mem_l09',
      state: 'paid',
      source: 'checkout',
      items: [
        {
          id: 'l6_1',
          kind: 'course',
          title: 'Sketchbook Habits',
          quantity: 1,
          unit_price: eur('35.00'),
          discount: eur('0.00'),
          total: eur('35.00'),
          enrollment_id: 'enr_n06',
          registration_id: null,
          subscription_id: null,
          digital_product_id: null,
        },
        expect.objectContaining({ kind: 'event_ticket', registration_id: 'reg_l5' }),
        expect.objectContaining({ kind: 'digital_product', digital_product_id: 'dgp_l01' }),
      ],
      subtotal: eur('92.00'),
      discount: eur('0.00'),
      tax: eur('2.76'),
      total: eur('94.76'),
      refunded: eur('0.00'),
      coupon_code: null,
      placed_at: '2026-10-27T09:00:00Z',
      paid_at: '2026-10-27T09:00:20Z',
      payment_method: { kind: 'card', brand: 'visa', last4: '4242' },
      created_at: '2026-10-27T09:00:00Z',
      updated_at: '2026-10-27T09:00:20Z',
    })
  })

  it('are whole amounts where the currency has no cents', async () => {
    const { body } = await school.call('GET', '/orders/ord_k1', { site: KILN_SITE })
    expect(body).toMatchObject({ total: { amount: '1280', currency: 'TWD' } })
  })

  it.each([
    [
      '',
      ['1003', '1005', '1008', '1004', '1007', '1006', '1001', '1002'].map((one) => `LS-${one}`),
    ],
    ['state=failed', ['LS-1004']],
    ['state=refunded', []],
    ['source=manual', ['LS-1005']],
    ['source=import', ['LS-1002']],
    ['coupon_code=WELCOME100', ['LS-1003']],
    ['number=LS-1007', ['LS-1007']],
    ['member_id=mem_l08', ['LS-1005', 'LS-1008']],
    ['q=welcome', ['LS-1003']],
    ['q=LS_1', []],
    // The order of 11 November, 09:00 is behind neither moment.
    ['placed_after=2026-11-11T09:00:00Z', ['LS-1003', 'LS-1005', 'LS-1008', 'LS-1004']],
    ['placed_after=2026-10-01T00:00:00Z&placed_before=2026-11-11T11:00:00%2B02:00', ['LS-1006']],
    ['updated_since=2026-11-18T09:00:00Z', ['LS-1003', 'LS-1005']],
    ['sort=number&limit=2', ['LS-1001', 'LS-1002']],
  ])('are found by %s', async (query, numbers) => {
    expect(await numbersOf(query)).toEqual(numbers)
  })
})
