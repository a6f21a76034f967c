import type { Spent } from 'hallpass/operations'
import { expect, it } from 'vitest'
import { createSpendPoints } from '../../src/account/api/cost-bucket.js'
import type { Access } from '../../src/policy/bearer.js'
import { createSchool, STUDENT } from '../support/school/school.js'

it('a person has four grants of points through all clients together [LIM-09]', async () => {
  const payer = (await createSchool()).site.payerOf(null)
  const spendPoints = createSpendPoints({ capacity: 100, restoreRate: 10 })
  const of = (grantId: string, subject: string, cost: number): Promise<Spent> =>
    spendPoints(payer, { grantId, person: { ...STUDENT, subject } } as Access, cost)

  expect(await of('grant_1', 'mei', 60)).toEqual({ ok: true, remaining: 40, retryAfterSeconds: 0 })
  expect(await of('grant_1', 'mei', 60)).toEqual({ ok: false, remaining: 40, retryAfterSeconds: 2 })
  for (const grantId of ['grant_2', 'grant_3', 'grant_4'])
    expect((await of(grantId, 'mei', 100)).ok).toBe(true)
  // The rest of the person is smaller than that of the grant.
  expect(await of('grant_5', 'mei', 30)).toEqual({ ok: true, remaining: 10, retryAfterSeconds: 0 })
  expect(await of('grant_6', 'mei', 30)).toEqual({ ok: false, remaining: 10, retryAfterSeconds: 1 })
  // What the person could not pay, the grant has not spent.
  expect((await of('grant_6', 'tomasz', 100)).ok).toBe(true)
})
