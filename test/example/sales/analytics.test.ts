import { isProblem } from 'hallpass/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dayOf, decideTime } from '../../../examples/school/src/sales/analytics-time.js'
import { analyticsOperations } from '../../../examples/school/src/sales/analytics.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

interface Figures {
  readonly series: readonly { readonly period: string; readonly value: string }[]
}

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(analyticsOperations)
  // On one day in Lisbon, whose clocks were turned back in that night, on two by the clocks of Greenwich.
  await pay('early', '2025-10-25T23:30:00Z', '1.10')
  await pay('late', '2025-10-26T23:30:00Z', '2.20')
  await pay('next', '2025-10-27T10:00:00Z', '4.40')
  await pay('after', '2025-10-28T00:00:00Z', '8.80')
  await pay('dollars', '2025-10-26T12:00:00Z', '800', 'USD')
  await pay('unpaid', '2025-10-26T12:00:00Z', '1600', 'EUR', 'FAILED')
})
afterAll(() => school.close())

const pay = (id: string, at: string, total: string, currency = 'EUR', state = 'PAID') =>
  school.execute(
    `insert into school_order (site, id, number, member_id, state, placed_at, paid_at, currency,
       subtotal, discount, tax, total, refunded)
     values ('site_lantern', $1, $1, 'mem_l09', $2, $3, $3, $4, $5, 0, 0, $5, 0)`,
    [id, state, Date.parse(at) / 1000, currency, total],
  )
const ask = async (path: string, site?: string): Promise<unknown> => {
  const answer = await school.call('GET', `/analytics/${path}`, {
    ...(site !== undefined && { site }),
  })
  expect(answer.status).toBe(200)
  return answer.body
}
/** The periods that are worth something. */
const worth = (figures: unknown): unknown =>
  Object.fromEntries(
    (figures as Figures).series
      .filter(({ value }) => Number(value) !== 0)
      .map(({ period, value }) => [period, value]),
  )
const money = (amount: string, currency = 'EUR') => ({ amount, currency })

describe('figures', () => {
  it('are of the last 30 days where nobody says otherwise', async () => {
    const figures = await ask('revenue')
    expect(figures).toEqual({
      report: 'revenue',
      from: '2026-10-22',
      to: '2026-11-20',
      interval: 'day',
      time_zone: 'Europe/Lisbon',
      currency: 'EUR',
      unit: 'money',
      series: expect.any(Array),
      totals: {
        gross: money('183.76'),
        refunded: money('0.00'),
        net: money('183.76'),
        tax: money('2.76'),
        orders: 4,
      },
    })
    expect((figures as Figures).series).toHaveLength(30)
    expect(worth(figures)).toEqual({
      '2026-10-27': '94.76',
      '2026-11-11': '24.00',
      '2026-11-17': '65.00',
    })
  })

  it('count a payment on the day that the clocks of the school showed', async () => {
    const figures = await ask('revenue?from=2025-10-25&to=2025-10-27')
    expect((figures as Figures).series).toEqual([
      { period: '2025-10-25', value: '0' },
      { period: '2025-10-26', value: '3.30' },
      { period: '2025-10-27', value: '4.40' },
    ])
  })

  it('count the first and the last day, and cut the periods that they are in', async () => {
    const weeks = await ask('revenue?from=2025-10-27&to=2025-11-03&interval=week')
    expect((weeks as Figures).series).toEqual([
      { period: '2025-10-27', value: '13.20' },
      { period: '2025-11-03', value: '0' },
    ])
    const months = await ask('revenue?from=2025-10-27&to=2025-10-27&interval=month')
    expect((months as Figures).series).toEqual([{ period: '2025-10-01', value: '4.40' }])
  })

  it('take from revenue what was paid back, in the currency of the school', async () => {
    const figures = await ask('revenue?from=2026-08-01&interval=month', KILN_SITE)
    expect(figures).toMatchObject({
      time_zone: 'Asia/Taipei',
      currency: 'TWD',
      totals: {
        gross: money('4080', 'TWD'),
        refunded: money('2800', 'TWD'),
        net: money('1280', 'TWD'),
        orders: 2,
      },
    })
    expect(worth(figures)).toEqual({ '2026-09-01': '1280' })
  })

  it('say who began a course, and how many of them still can go on', async () => {
    const figures = await ask('enrollments?from=2026-10-31&interval=month')
    // Lucia's has not begun yet.
    expect(figures).toMatchObject({
      unit: 'count',
      totals: { enrollments: 8, active_enrollments: 7 },
    })
    expect(worth(figures)).toEqual({ '2026-10-01': '1', '2026-11-01': '7' })
  })

  it('say who finished a course, among all that studied one by then', async () => {
    expect(worth(await ask('completion'))).toEqual({ '2026-11-05': '1' })
    expect(await ask('completion')).toMatchObject({ totals: { students: 15, completed: 1 } })
    // Noor had a day to go.
    expect(await ask('completion?to=2026-11-04')).toMatchObject({
      totals: { completed: 0, completion_ratio: 0 },
    })
    // What was taken away from Wen-Chi does not count.
    expect(await ask('completion', KILN_SITE)).toMatchObject({
      totals: { students: 3, completed: 1, completion_ratio: 0.3333 },
    })
    expect(await ask('completion?to=2020-01-01')).toMatchObject({
      totals: { students: 0, completion_ratio: null },
    })
  })

  it('say who was there, each once a period and once in all', async () => {
    const figures = await ask('engagement?from=2026-11-09&interval=week')
    // Eight by Mei-Ling, three by Jonas; Noor watched.
    expect(figures).toMatchObject({ totals: { active_members: 3, lectures_completed: 11 } })
    expect(worth(figures)).toEqual({ '2026-11-09': '3', '2026-11-16': '1' })
  })

  it('have all totals in the overview, beside net revenue', async () => {
    const overview = (await ask('overview')) as { totals: object }
    const others = await Promise.all(
      ['revenue', 'enrollments', 'completion', 'engagement'].map((one) => ask(one)),
    )
    expect(overview.totals).toEqual(
      Object.assign({}, ...others.map((one) => (one as { totals: object }).totals)),
    )
    expect(worth(overview)).toEqual(worth(others[0]))
  })

  it('are of the days and the currency that the school has chosen', async () => {
    const body = { time_zone: 'America/New_York', currency: 'USD' }
    await school.execute(
      `insert into school_setting (site, id, data, created_at, updated_at)
       values ('site_lantern', 'school', $1::text::jsonb, 0, 0)
       on conflict (site, id) do update set data = school_setting.data || excluded.data`,
      [JSON.stringify(body)],
    )
    expect(await ask('revenue?from=2025-10-25&to=2025-10-26')).toMatchObject({
      ...body,
      totals: { gross: money('800', 'USD') },
    })
    await school.execute(
      `update school_setting set data = data - 'time_zone' - 'currency'
       where site = 'site_lantern' and id = 'school'`,
      [],
    )
  })

  it.each([
    ['profit', ''],
    ['revenue', '?from=2026-11-21'],
    ['revenue', '?from=2026-02-30'],
    ['revenue', '?from=2020-01-01&to=2026-11-20'],
    ['revenue', '?interval=hour'],
    ['revenue', '?currency=USD'],
    ['revenue', '?from=2026-11-01T00:00:00Z'],
  ])('are refused for %s%s', async (report, query) => {
    expect(await school.call('GET', `/analytics/${report}${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })
})

describe('the days of figures', () => {
  it('begin when the school does, wherever Greenwich is', () => {
    const late = Date.parse('2026-11-20T16:30:00Z') / 1000
    expect(dayOf(late, 'Asia/Taipei')).toBe('2026-11-21')
    expect(dayOf(late, 'Europe/Lisbon')).toBe('2026-11-20')
    expect(dayOf(0, 'America/Los_Angeles')).toBe('1969-12-31')
  })

  it('are 30 up to the last one where no first one was asked for', () => {
    const asked = { from: undefined, to: '2026-03-01', interval: 'day' } as const
    expect(decideTime(asked, '2026-11-20')).toEqual({
      from: '2026-01-31',
      to: '2026-03-01',
      interval: 'day',
    })
  })

  it('make no more periods than an answer has', () => {
    const of = (from: string, interval: 'day' | 'week' | 'month') =>
      isProblem(decideTime({ from, to: '2026-11-20', interval }, '2026-11-20'))
    expect(of('2025-10-18', 'day')).toBe(true)
    expect(of('2025-10-19', 'day')).toBe(false)
    expect(of('2020-01-01', 'week')).toBe(false)
    expect(of('1990-01-01', 'week')).toBe(true)
    expect(of('1997-01-01', 'month')).toBe(false)
    expect(of('1980-01-01', 'month')).toBe(true)
  })
})
