import { isProblem } from 'hallpass/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  decideCancellation,
  decideExtension,
  decideGrant,
  decideResumption,
  type SubscriptionFacts,
} from '../../../examples/school/src/subscriptions/rules.js'
import { subscriptionOperations } from '../../../examples/school/src/subscriptions/operations.js'
import { DAY } from '../../support/school/demo-school.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'
import { iso, T } from '../../support/school/school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(subscriptionOperations)
})
afterAll(() => school.close())

const PATH = '/subscriptions'
const grant = (body: object, query = ''): Promise<Answer> =>
  school.call('POST', PATH + query, { body })
const act = (id: string, action: string, body?: object): Promise<Answer> =>
  school.call('POST', `${PATH}/${id}/${action}`, { ...(body !== undefined && { body }) })
const read = async (id: string): Promise<unknown> =>
  (await school.call('GET', `${PATH}/${id}`)).body
const conflict = (detail: string) => ({ status: 409, body: { code: 'conflict', detail } })

/** The courses that a membership opens. */
const coursesOf = async (id: string): Promise<unknown[]> => {
  const { rows } = await school.execute(
    `select course_id as course, expire_date::integer as until, lifetime, suspended, source
     from school_enrollment where subscription_id = $1 order by course_id`,
    [id.slice('sub_'.length)],
  )
  return [...rows]
}
const granted = async (member_id: string, plan_id: string, more: object = {}): Promise<string> => {
  const { status, body } = await grant({ member_id, plan_id, ...more })
  expect(status).toBe(201)
  return (body as { id: string }).id
}

describe('memberships', () => {
  it('say who has what, since when, until when and for how much', async () => {
    expect(await read('sub_l2')).toEqual({
      id: 'sub_l2',
      member_id: 'mem_l05',
      plan_id: 'plan_l02',
      state: 'canceling',
      granted: false,
      price: { amount: '190.00', currency: 'EUR' },
      lifetime: false,
      started_at: iso(T - 359 * DAY),
      current_period_start: '2025-11-26T09:00:00Z',
      current_period_end: iso(T + 6 * DAY),
      cancel_at: iso(T + 6 * DAY),
      next_charge_at: null,
      created_at: iso(T - 359 * DAY),
      updated_at: iso(T - 359 * DAY),
    })
  })

  it.each([
    ['state=past_due', ['sub_l1']],
    ['state=trialing', ['sub_l4']],
    ['lifetime=true', ['sub_l3']],
    ['member_id=mem_l05', ['sub_l2']],
    ['plan_id=plan_l02', ['sub_l4', 'sub_l2']],
    ['q=l06', ['sub_l1']],
    ['granted=true', []],
    ['updated_since=2026-11-01T00:00:00Z', ['sub_l4']],
    ['sort=current_period_end', ['sub_l3', 'sub_l1', 'sub_l2', 'sub_l4']],
    ['limit=2', ['sub_l4', 'sub_l1']],
  ])('are found by %s', async (query, ids) => {
    const { body } = await school.call('GET', `${PATH}?fields=id&${query}`)
    expect((body as { data: unknown[] }).data).toEqual(ids.map((id) => ({ id })))
  })

  describe('that are granted', () => {
    it('run for one period of the plan, cost nothing and open its courses', async () => {
      const body = { member_id: 'mem_l10', plan_id: 'plan_l01' }
      const dry = await grant(body, '?dry_run=true')
      expect(dry).toMatchObject({ status: 200, body: { would_change: { state: 'active' } } })
      const { rows } = await school.execute('select from school_subscription where granted', [])
      expect(rows).toEqual([])
      const answer = await grant(body)
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual({
        ...body,
        id: expect.stringMatching(/^sub_/),
        state: 'active',
        granted: true,
        price: { amount: '0', currency: 'EUR' },
        lifetime: false,
        started_at: iso(T),
        current_period_start: iso(T),
        current_period_end: '2026-12-20T09:00:00Z',
        cancel_at: null,
        next_charge_at: null,
        created_at: iso(T),
        updated_at: iso(T),
      })
      const { id } = answer.body as { id: string }
      const until = T + 30 * DAY
      const course = { until, lifetime: false, suspended: false, source: 'MEMBERSHIP' }
      expect(await coursesOf(id)).toEqual([
        { ...course, course: 'crs_l01' },
        { ...course, course: 'crs_l04' },
      ])
      expect(await grant(body)).toMatchObject(
        conflict(`the member already has this membership: ${id}`),
      )
      school.clock.now = until
      expect(await read(id)).toMatchObject({ state: 'expired' })
      expect(await act(id, 'extend', { days: 1 })).toMatchObject(
        conflict('the membership is expired: grant a new one'),
      )
      expect((await grant(body, '?dry_run=true')).status).toBe(200)
      school.clock.now = T
    })

    it('for good have no end, and leave alone what the member has for good', async () => {
      const id = await granted('mem_l05', 'plan_l03')
      expect(await read(id)).toMatchObject({ lifetime: true, current_period_end: null })
      expect(await coursesOf(id)).toMatchObject(
        ['crs_l02', 'crs_l03', 'crs_l04', 'crs_l05', 'crs_l06'].map((course) => ({
          course,
          until: null,
          lifetime: true,
        })),
      )
      expect(await act(id, 'extend', { days: 3 })).toMatchObject(
        conflict('the membership has no end'),
      )
      expect(await act(id, 'cancel')).toMatchObject(
        conflict('the membership has no current period to end with: cancel it immediately'),
      )
      expect(await act(id, 'cancel', { at_period_end: false })).toMatchObject({
        body: { state: 'canceled', cancel_at: iso(T) },
      })
      expect(await coursesOf(id)).toMatchObject(
        Array.from({ length: 5 }, () => ({ until: T, lifetime: false })),
      )
    })

    it.each([
      ['nobody', { member_id: 'mem_nobody' }, 422, 'member_id: there is no such member'],
      ['a member of another school', { member_id: 'mem_k02' }, 422, 'member_id: there is no such member'], // prettier-ignore
      ['a suspended member', { member_id: 'mem_l12' }, 409, 'the member is suspended'],
      ['a plan of another school', { plan_id: 'plan_k01' }, 422, 'plan_id: there is no such plan'],
      ['an end that is past', { until: iso(T) }, 422, 'until: must be in the future'],
      ['an end of its own', { plan_id: 'plan_l04', until: iso(T + DAY) }, 422, 'until: a plan of the kind fixed_date determines its own end'], // prettier-ignore
    ])('are not for %s', async (_, more, status, detail) => {
      const body = { member_id: 'mem_l07', plan_id: 'plan_l01', ...more }
      expect(await grant(body)).toMatchObject({ status, body: { detail } })
    })

    it('are not for one who is gone, and are for one who never finished paying', async () => {
      await school.execute(
        "update school_person set deleted_at = 1 where member_id = 'mem_l11'",
        [],
      )
      const gone = { member_id: 'mem_l11', plan_id: 'plan_l01' }
      expect(await grant(gone)).toMatchObject({
        status: 422,
        body: { detail: 'member_id: there is no such member' },
      })
      await school.execute(
        `insert into school_subscription (site, id, member_id, plan_id, state, started_at)
         values ('site_lantern', 'half', 'mem_l08', 'plan_l01', 'INCOMPLETE', $1)`,
        [T - DAY],
      )
      const body = { member_id: 'mem_l08', plan_id: 'plan_l01' }
      expect((await grant(body, '?dry_run=true')).status).toBe(200)
    })

    it('cannot be charged, priced or dated by who grants them', async () => {
      for (const more of [{ price: '0' }, { next_charge_at: iso(T) }, { state: 'active' }])
        expect((await grant({ member_id: 'mem_l07', plan_id: 'plan_l01', ...more })).status).toBe(
          400,
        )
    })
  })

  it('that end with their period can be resumed, and are charged again only then', async () => {
    const cancel = await act('sub_l4', 'cancel')
    expect(cancel).toMatchObject({
      status: 200,
      body: { state: 'canceling', cancel_at: iso(T + 10 * DAY), next_charge_at: null },
    })
    expect((await act('sub_l4', 'cancel')).body).toEqual(cancel.body)
    school.clock.now = T + 10 * DAY
    expect(await read('sub_l4')).toMatchObject({ state: 'canceled' })
    expect(await act('sub_l4', 'resume')).toMatchObject(
      conflict('the membership is canceled: only one that ends with its period can be resumed'),
    )
    school.clock.now = T
    const resume = await act('sub_l4', 'resume')
    expect(resume).toMatchObject({
      status: 200,
      body: { state: 'active', cancel_at: null, next_charge_at: iso(T + 10 * DAY) },
    })
    expect((await act('sub_l4', 'resume')).body).toEqual(resume.body)
  })

  it('close what they opened, and open it again without an end, with their state', async () => {
    const [ink] = await coursesOf('sub_l2')
    expect(ink).toMatchObject({ course: 'crs_l02', until: T + 6 * DAY })
    await act('sub_l2', 'resume')
    expect(await coursesOf('sub_l2')).toMatchObject([{ until: null }])
    await act('sub_l2', 'cancel')
    expect(await coursesOf('sub_l2')).toEqual([ink])
  })

  it('are extended by days or until a moment, with the next charge and the courses', async () => {
    const id = await granted('mem_l07', 'plan_l01', { until: iso(T + 5 * DAY) })
    expect(await act(id, 'extend', { days: 2 })).toMatchObject({
      status: 200,
      body: { current_period_end: iso(T + 7 * DAY), next_charge_at: null, state: 'active' },
    })
    expect(await act(id, 'extend', { until: iso(T + 9 * DAY) })).toMatchObject({
      body: { current_period_end: iso(T + 9 * DAY) },
    })
    expect(await coursesOf(id)).toMatchObject([{ until: T + 9 * DAY }, { until: T + 9 * DAY }])
    for (const [body, detail] of [
      [{}, 'send either days or until'],
      [{ days: 1, until: iso(T + 20 * DAY) }, 'send either days or until'],
      [{ until: iso(T + 9 * DAY) }, 'until: must be later than the current end'],
      [{ until: '2099-01-01T00:00:00Z' }, 'the end must be at most 3650 days from now'],
    ] as const)
      expect(await act(id, 'extend', body)).toMatchObject({
        status: 422,
        body: { code: 'unprocessable', detail },
      })
  })

  it('leave alone a course that was closed, ended or taken away by itself', async () => {
    const id = await granted('mem_l08', 'plan_l02')
    const set = (course: string, column: string, value: unknown) =>
      school.execute(
        `update school_enrollment set ${column} = $3 where subscription_id = $1 and course_id = $2`,
        [id.slice('sub_'.length), course, value],
      )
    await set('crs_l01', 'suspended', true)
    await set('crs_l02', 'expire_date', T)
    await set('crs_l04', 'revoked_at', T)
    const before = await coursesOf(id)
    expect((await act(id, 'extend', { days: 1 })).status).toBe(200)
    const [closed, ended, taken] = before as [object, object, object]
    expect(await coursesOf(id)).toEqual([
      { ...closed, until: Date.parse('2027-11-21T09:00:00Z') / 1000 },
      ended,
      taken,
    ])
  })

  it('that are past due are so no more once they are extended', async () => {
    expect(await coursesOf('sub_l1')).toMatchObject([{ suspended: true }, { suspended: true }])
    expect(await act('sub_l1', 'cancel')).toMatchObject(
      conflict('the membership has no current period to end with: cancel it immediately'),
    )
    expect(await act('sub_l1', 'extend', { days: 14 })).toMatchObject({
      status: 200,
      body: {
        state: 'active',
        current_period_end: iso(T + 14 * DAY),
        next_charge_at: iso(T + 14 * DAY),
      },
    })
    const open = { suspended: false, until: null }
    expect(await coursesOf('sub_l1')).toMatchObject([open, open])
  })

  it('that stop at once take away what they opened', async () => {
    const cancel = await school.call('POST', `${PATH}/sub_k1/cancel`, {
      site: KILN_SITE,
      body: { at_period_end: false },
    })
    expect(cancel).toMatchObject({
      status: 200,
      body: { state: 'canceled', cancel_at: iso(T), next_charge_at: null },
    })
    expect(await coursesOf('sub_k1')).toMatchObject([{ until: T }, { until: T }])
    const again = await school.call('POST', `${PATH}/sub_k1/cancel`, { site: KILN_SITE })
    expect(again.body).toEqual(cancel.body)
  })
})

describe('what becomes of a membership', () => {
  const states = [
    'incomplete', 'trialing', 'active', 'past_due', 'canceling', 'canceled', 'expired',
  ] as const // prettier-ignore
  const facts = { periodEnd: T + DAY, nextChargeAt: T + DAY, isRenewing: true }
  const over = (decide: (one: SubscriptionFacts) => unknown): unknown[] =>
    states.map((state) => {
      const decided = decide({ ...facts, state })
      if (decided === null) return null
      return isProblem(decided) ? decided.code : (decided as SubscriptionFacts).state
    })

  it('depends on its state', () => {
    const at = (atPeriodEnd: boolean) => over((one) => decideCancellation(one, { atPeriodEnd, now: T })) // prettier-ignore
    expect(at(true)).toEqual([
      'canceling', 'canceling', 'canceling', 'canceling', null, null, 'conflict',
    ]) // prettier-ignore
    expect(at(false)).toEqual([
      'canceled', 'canceled', 'canceled', 'canceled', 'canceled', null, 'conflict',
    ]) // prettier-ignore
    expect(over(decideResumption)).toEqual([
      'conflict', null, null, 'conflict', 'active', 'conflict', 'conflict',
    ]) // prettier-ignore
    expect(over((one) => decideExtension(one, { days: 1, until: null, now: T }))).toEqual([
      'conflict', 'trialing', 'active', 'active', 'canceling', 'conflict', 'conflict',
    ]) // prettier-ignore
  })

  it('keeps an end that was announced, only later', () => {
    const canceling = { ...facts, state: 'canceling', nextChargeAt: null } as const
    expect(decideExtension(canceling, { days: 2, until: null, now: T })).toEqual({
      state: 'canceling',
      periodEnd: T + 3 * DAY,
      nextChargeAt: null,
      cancelAt: T + 3 * DAY,
      accessUntil: T + 3 * DAY,
    })
  })

  it('is no renewal where nothing renewed it before', () => {
    const canceling = { ...facts, state: 'canceling', nextChargeAt: null, isRenewing: false } as const // prettier-ignore
    expect(decideResumption(canceling)).toEqual({
      state: 'active',
      periodEnd: T + DAY,
      nextChargeAt: null,
      cancelAt: null,
      accessUntil: T + DAY,
    })
  })

  it('is not granted of a plan that is archived or over', () => {
    const plan = { kind: 'fixed_date', isArchived: false, endsAt: T + 1 } as const
    const order = { until: null, now: T }
    expect(decideGrant(plan, order)).toEqual({ endsAt: T + 1 })
    expect(decideGrant({ ...plan, endsAt: T }, order)).toMatchObject({ code: 'conflict' })
    expect(decideGrant({ ...plan, isArchived: true }, order)).toMatchObject({ code: 'conflict' })
  })
})
