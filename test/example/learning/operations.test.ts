import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccessState,
  decideExtension,
  decideOrder,
  type EnrollmentOrder,
  refuseGrant,
  type Standing,
} from '../../../examples/school/src/learning/rules.js'
import { studentOperations } from '../../../examples/school/src/learning/operations.js'
import { openLearningDemo } from '../support/learning-demo.js'
import {
  type Body,
  bodyOf,
  idsIn,
  KILN_SITE,
  type OperatorSchool,
} from '../support/operator-school.js'
import { T } from '../../support/school/school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openLearningDemo(studentOperations)
})
afterAll(() => school.close())

const read = async (id: string) => bodyOf(await school.call('GET', `/enrollments/${id}`))
const post = (path: string, body?: object) =>
  school.call('POST', `/enrollments${path}`, body === undefined ? {} : { body })
/** Somebody new who gets a course for ten days. */
async function enroll(
  member: string,
  more: object = { expires_at: '2026-11-30T09:00:00Z' },
): Promise<Body> {
  await school.execute(
    `insert into school_person (site, member_id, role) values ('site_lantern', $1, 'student')
     on conflict do nothing`,
    [member],
  )
  const answer = await post('', { course_id: 'crs_l02', member_id: member, ...more })
  expect(answer.status).toBe(201)
  return bodyOf(answer)
}

describe('enrollments in a list', () => {
  it.each([
    ['/enrollments?member_id=mem_l05&sort=created_at', ['enr_l2', 'enr_l3', 'enr_l1']],
    ['/enrollments?member_id=mem_l05&sort=expires_at', ['enr_l1', 'enr_l3', 'enr_l2']],
    ['/enrollments?access_state=suspended', ['enr_l5', 'enr_l4']],
    ['/enrollments?access_state=scheduled', ['enr_l7']],
    ['/enrollments?access_source=membership&access_state=active', ['enr_l2']],
    ['/enrollments?member_id=mem_l05&lifetime=true', ['enr_l1']],
    ['/enrollments?q=nair', ['enr_l6']],
    ['/enrollments?q=portraits&member_id=mem_l05', ['enr_l3']],
    ['/enrollments?updated_since=2026-11-20T00:00:00Z', ['enr_l1']],
    ['/courses/crs_l05/students?access_state=scheduled', ['enr_l7']],
    ['/courses/crs_l06/students?lifetime=true&access_source=purchase', ['enr_l6']],
    ['/courses/crs_l08/students', []],
  ])('are found by %s', async (path, ids) => {
    expect(idsIn(await school.call('GET', path))).toEqual(ids)
  })
})

describe('an enrollment', () => {
  it('says until when somebody has access, how far they are and where they stopped', async () => {
    expect(await read('enr_l1')).toEqual({
      id: 'enr_l1',
      course_id: 'crs_l01',
      course_title: 'Foundations of Drawing',
      member_id: 'mem_l05',
      member_name: 'Mei-Ling Chou',
      access_state: 'active',
      access_source: 'purchase',
      starts_at: null,
      expires_at: null,
      lifetime: true,
      subscription_id: null,
      progress: { completed: 8, total: 13, ratio: 8 / 13, completed_at: null },
      last_watched: {
        lecture_id: 'lec_l01_09',
        title: 'Where the light falls',
        position_seconds: 847,
        watched_at: '2026-11-20T06:00:00Z',
      },
      created_at: '2026-07-23T09:00:00Z',
      updated_at: '2026-11-20T06:00:00Z',
    })
    expect(await read('enr_l7')).toMatchObject({
      access_state: 'scheduled',
      starts_at: '2026-11-30T09:00:00Z',
      progress: { completed: 0, ratio: 0 },
      last_watched: null,
    })
    expect(await read('enr_l2')).toMatchObject({
      subscription_id: 'sub_l2',
      expires_at: '2026-11-26T09:00:00Z',
    })
    const kiln = { site: KILN_SITE }
    expect(bodyOf(await school.call('GET', '/enrollments/enr_k4', kiln))).toMatchObject({
      access_state: 'revoked',
      expires_at: '2026-10-21T09:00:00Z',
      lifetime: false,
    })
    expect(bodyOf(await school.call('GET', '/enrollments/enr_k3', kiln))).toMatchObject({
      progress: { completed: 4, total: 4, ratio: 1, completed_at: '2026-11-12T09:00:00Z' },
    })
  })

  it('counts no lecture that is a draft', async () => {
    await school.execute("update school_lecture set state = 'draft' where site = 'site_lantern' and id in ('lec_l03_06')", []) // prettier-ignore
    expect(await read('enr_l3')).toMatchObject({ progress: { total: 5 } })
  })

  it('is given for a time, for good or from a day on', async () => {
    const timed = await enroll('mem_timed')
    expect(timed).toMatchObject({
      course_id: 'crs_l02',
      member_id: 'mem_timed',
      access_state: 'active',
      access_source: 'granted',
      starts_at: null,
      expires_at: '2026-11-30T09:00:00Z',
      lifetime: false,
      created_at: '2026-11-20T09:00:00Z',
    })
    expect(await read(timed.id)).toEqual(timed)
    expect(timed.id).toMatch(/^enr_[\w-]{16}$/)
    expect(await enroll('mem_good', { lifetime: true, access_source: 'gift' })).toMatchObject({
      access_state: 'active',
      access_source: 'gift',
      lifetime: true,
    })
    const starts_at = '2026-12-01T00:00:00+01:00'
    expect(await enroll('mem_later', { starts_at, lifetime: true })).toMatchObject({
      access_state: 'scheduled',
      starts_at: '2026-11-30T23:00:00Z',
    })
  })

  it('is given to one who has it by a membership alone, and to nobody who has it already', async () => {
    const body = { course_id: 'crs_l02', member_id: 'mem_l05', lifetime: true }
    const given = await post('', body)
    expect(given.status).toBe(201)
    expect(await post('', body)).toMatchObject({
      status: 409,
      body: { detail: `the member already has ${bodyOf(given).id}: extend or resume it` },
    })
    expect((await post(`/${bodyOf(given).id}/suspend`)).status).toBe(200)
    expect((await post('', body)).status).toBe(409)
    expect((await post(`/${bodyOf(given).id}/revoke`)).status).toBe(200)
    expect((await post('', body)).status).toBe(201)
  })

  it.each([
    ['nobody', { member_id: 'mem_nobody' }, 422],
    ['a member of another school', { member_id: 'mem_k03' }, 422],
    ['no course', { course_id: 'crs_nobody' }, 422],
    ['a course of another school', { course_id: 'crs_k01' }, 422],
    ['a draft', { course_id: 'crs_l08' }, 409],
    ['an archived course', { course_id: 'crs_l09' }, 409],
    ['a suspended member', { member_id: 'mem_l12' }, 409],
    ['a deleted member', { member_id: 'mem_l14' }, 409],
    ['an end and none', { expires_at: '2026-12-01T00:00:00Z' }, 422],
    ['neither an end nor none', { lifetime: false }, 422],
    ['an end in the past', { lifetime: false, expires_at: '2026-11-19T00:00:00Z' }, 422],
    [
      'an end before its beginning',
      { lifetime: false, starts_at: '2026-12-02T00:00:00Z', expires_at: '2026-12-01T00:00:00Z' },
      422,
    ],
    ['a purchase', { access_source: 'purchase' }, 400],
    ['a site', { site: KILN_SITE }, 400],
  ])('is not given with %s', async (_, fields, status) => {
    const body = { course_id: 'crs_l04', member_id: 'mem_l10', lifetime: true, ...fields }
    expect((await post('', body)).status).toBe(status)
    expect(idsIn(await school.call('GET', '/enrollments?member_id=mem_l10'))).toEqual([])
  })

  it('may be of an unlisted course', async () => {
    expect(await enroll('mem_alum', { course_id: 'crs_l07', lifetime: true })).toMatchObject({
      course_title: 'Alumni Critique',
    })
  })

  it('lasts longer by days, until a day and for good, and comes back by it', async () => {
    const { id } = await enroll('mem_longer')
    const extend = (body: object) => post(`/${id}/extend`, body)
    expect(await extend({ days: 3 })).toMatchObject({ status: 200, body: { expires_at: '2026-12-03T09:00:00Z' } }) // prettier-ignore
    const until = { until: '2026-12-10T09:00:00+00:00' }
    const later = await extend(until)
    expect(later.body).toMatchObject({ expires_at: '2026-12-10T09:00:00Z' })
    school.clock.now += 60
    expect(await extend(until)).toMatchObject({ status: 200, body: later.body })
    expect((await extend({ until: '2026-12-09T09:00:00Z' })).status).toBe(422)
    expect((await extend({ days: 1, lifetime: true })).status).toBe(422)
    expect((await extend({})).status).toBe(422)
    expect((await extend({ days: 0 })).status).toBe(400)
    expect((await extend({ lifetime: false })).status).toBe(400)
    school.clock.now = T + 40 * 86_400
    expect(await read(id)).toMatchObject({ access_state: 'expired' })
    expect((await extend({ days: 1 })).body).toMatchObject({
      access_state: 'active',
      expires_at: '2026-12-31T09:00:00Z',
      updated_at: '2026-12-30T09:00:00Z',
    })
    school.clock.now = T
    const forGood = await extend({ lifetime: true })
    expect(forGood.body).toMatchObject({ access_state: 'active', lifetime: true, expires_at: null })
    expect((await extend({ lifetime: true })).body).toEqual(forGood.body)
    expect(await extend({ days: 1 })).toMatchObject({ status: 409, body: { detail: 'access already has no end' } }) // prettier-ignore
    expect(await read(id)).toEqual(forGood.body)
  })

  it('by a membership that renews itself is extended by the membership', async () => {
    expect(await post('/enr_l4/extend', { days: 3 })).toMatchObject({
      status: 409,
      body: { detail: 'access lasts as long as the membership: extend that' },
    })
  })

  it('is suspended, resumed, ended and taken away, each twice without harm', async () => {
    const { id } = await enroll('mem_states')
    for (const [verb, state] of [
      ['suspend', 'suspended'],
      ['resume', 'active'],
      ['expire', 'expired'],
      ['revoke', 'revoked'],
    ] as const) {
      school.clock.now += 60
      const first = await post(`/${id}/${verb}`)
      expect(first).toMatchObject({ status: 200, body: { access_state: state } })
      school.clock.now += 60
      expect((await post(`/${id}/${verb}`)).body).toEqual(first.body)
      expect(await read(id)).toEqual(first.body)
    }
    expect(await read(id)).toMatchObject({ expires_at: '2026-11-20T09:07:00Z', lifetime: false })
    expect(await post(`/${id}/resume`)).toMatchObject({ status: 409, body: { code: 'conflict', detail: 'access is revoked: it cannot resume' } }) // prettier-ignore
    expect(await post(`/${id}/extend`, { days: 1 })).toMatchObject({ status: 409, body: { detail: 'access was revoked: enrol the member again' } }) // prettier-ignore
    school.clock.now = T
  })

  it('for good ends when it is ended', async () => {
    const { id } = await enroll('mem_forever', { lifetime: true })
    expect((await post(`/${id}/expire`)).body).toMatchObject({
      access_state: 'expired',
      lifetime: false,
      expires_at: '2026-11-20T09:00:00Z',
    })
  })
})

describe('what is decided about access', () => {
  const day = 86_400
  const standing = (more: Partial<Standing> = {}): Standing => ({
    state: 'active',
    startsAt: null,
    expiresAt: T + day,
    isLifetime: false,
    ...more,
  })

  it('is extended from its end, or from now where that is over', () => {
    const days = { days: 2 }
    const until = (expiresAt: number | null) => ({ expiresAt, isLifetime: false })
    expect(decideExtension(standing(), days, T)).toEqual(until(T + 3 * day))
    expect(decideExtension(standing({ state: 'suspended' }), days, T)).toEqual(until(T + 3 * day))
    const expired = standing({ state: 'expired', expiresAt: T - 9 * day })
    expect(decideExtension(expired, days, T)).toEqual(until(T + 2 * day))
    expect(decideExtension(expired, { until: T + 1 }, T)).toEqual(until(T + 1))
    expect(decideExtension(expired, { until: T }, T)).toMatchObject({ code: 'unprocessable' })
    expect(decideExtension(expired, { until: T - 9 * day }, T)).toMatchObject({ code: 'unprocessable' }) // prettier-ignore
    const ahead = standing({ state: 'scheduled', startsAt: T + 5 * day, expiresAt: T + 6 * day })
    expect(decideExtension(ahead, days, T)).toEqual(until(T + 8 * day))
    expect(decideExtension(standing({ expiresAt: null }), { isLifetime: true }, T)).toMatchObject({ code: 'conflict' }) // prettier-ignore
    expect(decideExtension(standing({ state: 'revoked' }), { isLifetime: true }, T)).toMatchObject({ code: 'conflict' }) // prettier-ignore
    expect(decideExtension(standing(), { isLifetime: true }, T)).toEqual({ expiresAt: null, isLifetime: true }) // prettier-ignore
  })

  it('moves along these ways and no others', () => {
    const states: AccessState[] = ['scheduled', 'active', 'suspended', 'expired', 'revoked']
    const table = (order: EnrollmentOrder) =>
      states.map((state) => {
        const decided = decideOrder(state, order)
        return typeof decided === 'string' ? decided : decided.code
      })
    expect(table('expire')).toEqual(['conflict', 'apply', 'apply', 'done', 'conflict'])
    expect(table('suspend')).toEqual(['conflict', 'apply', 'done', 'conflict', 'conflict'])
    expect(table('resume')).toEqual(['conflict', 'done', 'apply', 'conflict', 'conflict'])
    expect(table('revoke')).toEqual(['apply', 'apply', 'apply', 'apply', 'done'])
  })

  it('is given to those who are here or invited', () => {
    const request = {
      courseState: 'published',
      memberState: 'active',
      standing: null,
      startsAt: null,
      end: { expiresAt: null, isLifetime: true },
      now: T,
    }
    expect(refuseGrant(request)).toBeNull()
    expect(refuseGrant({ ...request, memberState: 'invited' })).toBeNull()
    expect(refuseGrant({ ...request, memberState: 'suspended' })?.code).toBe('conflict')
    expect(refuseGrant({ ...request, memberState: null })?.code).toBe('unprocessable')
    expect(refuseGrant({ ...request, courseState: 'draft' })?.code).toBe('conflict')
    expect(refuseGrant({ ...request, standing: 'enr_1' })?.code).toBe('conflict')
    const end = { expiresAt: T, isLifetime: false }
    expect(refuseGrant({ ...request, end })?.code).toBe('unprocessable')
  })
})
