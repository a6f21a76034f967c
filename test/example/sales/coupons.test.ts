import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { couponOperations } from '../../../examples/school/src/sales/coupons.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(couponOperations)
})
afterAll(() => school.close())

const MADE_HERE = ['SPRING-10', 'ONCE', 'STOPPED']
const SPRING = { code: 'SPRING-10', name: 'Spring', kind: 'percentage', amount: '10' }

describe('discount codes', () => {
  it('are created, found, changed, and stopped for good', async () => {
    const created = await school.call('POST', '/coupons', { body: SPRING })
    expect(created).toMatchObject({
      status: 201,
      body: { ...SPRING, state: 'active', redeemed_count: 0, created_at: '2026-11-20T09:00:00Z' },
    })
    const { id } = created.body as { id: string }
    const read = await school.call('GET', `/coupons/${id}`)
    expect(read.body).toEqual(created.body)
    expect(await school.call('GET', '/coupons?code=SPRING-10&fields=id,code')).toMatchObject({
      body: { data: [{ id, code: 'SPRING-10' }], page: { has_more: false } },
    })
    const changed = await school.call('PATCH', `/coupons/${id}`, { body: { amount: '12.5' } })
    expect(changed.body).toMatchObject({ amount: '12.5', state: 'active' })
    expect((await school.call('POST', `/coupons/${id}/deactivate`)).body).toMatchObject({
      state: 'deactivated',
    })
  })

  it.each([
    ['state=active', ['WELCOME100']],
    ['state=used_up', ['EARLY-BIRD']],
    ['state=expired', ['SUMMER-10']],
    ['state=scheduled', ['NEW-YEAR']],
    ['state=deactivated', []],
    ['q=twenty', ['EARLY-BIRD']],
    ['sort=-redeemed_count&limit=2', ['EARLY-BIRD', 'SUMMER-10']],
    ['sort=code&limit=2', ['EARLY-BIRD', 'NEW-YEAR']],
    ['updated_since=2026-10-12T00:00:00Z', []],
  ])('of the demo are found by %s', async (query, codes) => {
    const { body } = await school.call('GET', `/coupons?fields=code&${query}`)
    const found = (body as { data: { code: string }[] }).data.map(({ code }) => code)
    // Those of the other tests are made today.
    expect(found.filter((code) => !MADE_HERE.includes(code))).toEqual(codes)
  })

  it('are changed no more once they are stopped', async () => {
    const { body } = await school.call('POST', '/coupons', { body: { ...SPRING, code: 'STOPPED' } })
    const { id } = body as { id: string }
    await school.call('POST', `/coupons/${id}/deactivate`)
    expect(await school.call('PATCH', `/coupons/${id}`, { body: { name: 'Again' } })).toMatchObject(
      {
        status: 409,
        body: { code: 'conflict', detail: 'the discount code is deactivated' },
      },
    )
    const again = await school.call('POST', `/coupons/${id}/deactivate`)
    expect(again).toMatchObject({ status: 200, body: { name: 'Spring', state: 'deactivated' } })
  })

  it('end by the clock and by their last redemption', async () => {
    const stateOf = async (id: string) =>
      ((await school.call('GET', `/coupons/${id}`)).body as { state: string }).state
    const { now } = school.clock
    school.clock.now = now + 30 * 86_400
    expect(await stateOf('cpn_l04')).toBe('active')
    school.clock.now = now + 60 * 86_400
    expect(await stateOf('cpn_l04')).toBe('expired')
    school.clock.now = now
    await school.call('PATCH', '/coupons/cpn_l02', { body: { max_redemptions: 21 } })
    expect(await stateOf('cpn_l02')).toBe('active')
    await school.call('PATCH', '/coupons/cpn_l02', { body: { max_redemptions: 20 } })
    expect(await stateOf('cpn_l02')).toBe('used_up')
  })

  it('have a code that nothing else has, at one school', async () => {
    const body = { ...SPRING, code: 'ONCE' }
    expect((await school.call('POST', '/coupons', { body })).status).toBe(201)
    expect((await school.call('POST', '/coupons', { body })).status).toBe(409)
    expect((await school.call('POST', '/coupons', { body, site: KILN_SITE })).status).toBe(201)
  })

  it.each([
    ['a percentage over 100', { amount: '101' }],
    ['a fixed amount without a currency', { kind: 'fixed_amount' }],
    [
      'an end before its beginning',
      { starts_at: '2026-12-02T00:00:00Z', ends_at: '2026-12-01T00:00:00Z' },
    ],
  ])('are refused with %s', async (_, fields) => {
    const body = { ...SPRING, code: 'NEVER', ...fields }
    expect((await school.call('POST', '/coupons', { body })).status).toBe(422)
  })
})
