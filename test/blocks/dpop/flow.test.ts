import { describe, expect, it } from 'vitest'
import { createDpopSchool, createKeys } from '../../support/school/dpop-school.js'

describe('a client that sends proofs', () => {
  it('gets bound tokens, which open nothing without its key', async () => {
    const school = await createDpopSchool()
    const { issue, redeem, proofFor, proofOf, userinfo } = school
    const keys = await createKeys()
    await issue('a')
    const { status, body } = await redeem('a', await proofFor(keys))
    expect([status, body.token_type]).toEqual([200, 'DPoP'])
    const { access_token: token } = body

    expect(await userinfo(`DPoP ${token}`, await proofOf(keys, token))).toMatchObject({
      status: 200,
    })
    expect(await userinfo(`Bearer ${token}`)).toMatchObject({
      status: 401,
      reason: 'access_token_bound',
    })
    expect(await userinfo(`Bearer ${token}`, await proofOf(keys, token))).toMatchObject({
      status: 401,
      reason: 'access_token_bound',
    })
    const other = await createKeys()
    expect(await userinfo(`DPoP ${token}`, await proofOf(other, token))).toMatchObject({
      status: 401,
      reason: 'access_token_of_other_key',
    })
    expect(await userinfo(`DPoP ${token}`)).toMatchObject({
      status: 401,
      reason: 'dpop_proof_missing',
    })
    expect(school.faults).toEqual([])
  })
})
