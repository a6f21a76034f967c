import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedSubscriptions } from '../../../examples/school/src/subscriptions/demo.js'
import { membershipPlanOperations } from '../../../examples/school/src/subscriptions/plans.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(membershipPlanOperations)
})
afterAll(() => school.close())

const PATH = '/membership-plans'
const eur = (amount: string) => ({ amount, currency: 'EUR' })
const WEEKLY = { name: 'Weekly', kind: 'recurring', price: eur('6.50'), interval: 'week' }

const create = (more: object, site?: string): Promise<Answer> =>
  school.call('POST', PATH, { body: { ...WEEKLY, ...more }, ...(site !== undefined && { site }) })
const made = async (more: object = {}): Promise<string> => {
  const { status, body } = await create(more)
  expect(status).toBe(201)
  return (body as { id: string }).id
}
const change = (id: string, body: object): Promise<Answer> =>
  school.call('PATCH', `${PATH}/${id}`, { body })
const read = async (id: string): Promise<unknown> =>
  (await school.call('GET', `${PATH}/${id}`)).body

describe('membership plans', () => {
  it('are created, changed, and archived for good', async () => {
    const body = { ...WEEKLY, course_ids: ['crs_l02', 'crs_l01', 'crs_l02'] }
    const created = await school.call('POST', PATH, { body })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      ...WEEKLY,
      id: expect.stringMatching(/^plan_/),
      trial_days: null,
      length_days: null,
      ends_at: null,
      course_ids: ['crs_l01', 'crs_l02'],
      post_category_ids: [],
      visible: true,
      state: 'active',
      created_at: '2026-11-20T09:00:00Z',
      updated_at: '2026-11-20T09:00:00Z',
    })
    const { id } = created.body as { id: string }
    expect(await read(id)).toEqual(created.body)
    const changes = { trial_days: 7, course_ids: ['crs_l03'], visible: false, post_category_ids: ['Notes'] } // prettier-ignore
    expect(await change(id, changes)).toMatchObject({
      status: 200,
      body: { ...WEEKLY, ...changes },
    })
    const archived = await school.call('POST', `${PATH}/${id}/archive`)
    expect(archived).toMatchObject({ status: 200, body: { state: 'archived' } })
    expect(await change(id, { name: 'Late' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'the plan is archived' },
    })
  })

  it.each([
    ['recurring', { interval: null }, [['/interval', 'missing']]],
    [
      'recurring',
      { length_days: 30, ends_at: '2027-01-01T00:00:00Z' },
      [
        ['/length_days', 'not_of_this_kind'],
        ['/ends_at', 'not_of_this_kind'],
      ],
    ],
    ['fixed_date', { interval: null }, [['/ends_at', 'missing']]],
    ['specific_length', { interval: null }, [['/length_days', 'missing']]],
    ['lifetime', {}, [['/interval', 'not_of_this_kind']]],
    ['lifetime', { interval: null, trial_days: 3 }, [['/trial_days', 'not_of_this_kind']]],
  ])('of the kind %s are refused with %j', async (kind, more, faults) => {
    expect(await create({ kind, ...more })).toMatchObject({
      status: 422,
      body: {
        code: 'unprocessable',
        errors: faults.map(([pointer, code]) => ({ pointer, code })),
      },
    })
  })

  it.each([
    ['recurring', { trial_days: 7 }],
    ['fixed_date', { interval: null, ends_at: '2026-11-20T09:00:01Z' }],
    ['specific_length', { interval: null, length_days: 90 }],
    ['lifetime', { interval: null, price: eur('0') }],
  ])('of the kind %s take %j', async (kind, more) => {
    expect(await create({ kind, ...more })).toMatchObject({ status: 201, body: { kind, ...more } })
  })

  it.each([
    ['an end that is past', { kind: 'fixed_date', interval: null, ends_at: '2026-11-20T09:00:00Z' }, 'ends_at: must be in the future'], // prettier-ignore
    ['a course that is not there', { course_ids: ['crs_l01', 'crs_nobody'] }, 'there is no course crs_nobody'], // prettier-ignore
    ['a course of another school', { course_ids: ['crs_k01'] }, 'there is no course crs_k01'],
  ])('are refused with %s, and leave nothing', async (_, more, detail) => {
    const body = { name: 'Never', ...more }
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { code: 'unprocessable', detail },
    })
    expect((await school.call('GET', `${PATH}?q=never`)).body).toMatchObject({ data: [] })
  })

  it.each([
    ['an interval', { interval: 'day' }, 400],
    ['a kind', { kind: 'lifetime' }, 400],
    ['a state', { state: 'archived' }, 400],
    ['another currency', { price: { amount: '6.50', currency: 'USD' } }, 422],
    ['a length', { length_days: 3 }, 422],
    ['an unknown course', { course_ids: ['crs_k01'] }, 422],
  ])('of a recurring kind cannot be given %s', async (_, changes, status) => {
    const id = await made()
    const before = await read(id)
    expect((await change(id, changes)).status).toBe(status)
    expect(await read(id)).toEqual(before)
  })

  it('keep an end that has come, and cannot be moved to one that has', async () => {
    const more = { kind: 'fixed_date', interval: null, ends_at: '2026-11-20T09:30:00Z' }
    const id = await made(more)
    school.clock.now += 3600
    expect(await change(id, { name: 'Over' })).toMatchObject({ status: 200 })
    expect(await change(id, { ends_at: '2026-11-20T09:31:00Z' })).toMatchObject({ status: 422 })
    expect(await change(id, { ends_at: '2026-11-20T11:00:00Z' })).toMatchObject({ status: 200 })
    school.clock.now -= 3600
  })

  it('cost more for future buyers alone', async () => {
    const pricesOf = async () =>
      (
        await school.execute(
          `select s.id, coalesce(s.price, p.price)::text as price
           from school_subscription s join school_plan p on p.site = s.site and p.id = s.plan_id
           where p.id = 'plan_l02' order by s.id`,
          [],
        )
      ).rows
    const before = await pricesOf()
    expect(before).toEqual([
      { id: 'l2', price: '190.00' },
      { id: 'l4', price: '190.00' },
    ])
    for (const amount of ['210.00', '220.00'])
      expect(await change('plan_l02', { price: eur(amount) })).toMatchObject({
        body: { price: eur(amount) },
      })
    expect(await pricesOf()).toEqual(before)
  })

  it.each([
    ['kind=lifetime&q=good', ['For good']],
    ['course_ids=crs_l02,crs_l04', ['For good', 'Yearly']],
    ['course_ids=crs_l05&kind=fixed_date', ['Until the end of term']],
    ['q=MONTH', ['Monthly']],
    ['visible=false&course_ids=crs_l01', []],
    ['updated_since=2026-11-21T00:00:00Z', []],
  ])('are found by %s', async (query, names) => {
    const { body } = await school.call('GET', `${PATH}?sort=name&fields=name&${query}`)
    expect((body as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(names)
  })

  it('stay as somebody left them when the demo starts again', async () => {
    expect((await change('plan_l03', { course_ids: [] })).status).toBe(200)
    await seedSubscriptions({ ...school, site: 'site_lantern', now: () => school.clock.now })
    expect(await read('plan_l03')).toMatchObject({ course_ids: [] })
  })
})
