import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { everyStore } from '../../support/databases/stores-of-file.js'
import { createDpopSchool, createKeys } from '../../support/school/dpop-school.js'

const STORES = everyStore()

describe.each(STORES)('bound tokens on %s', (_, makeStore) => {
  it('are bound from the request to the last refresh [DPOP-45]', async () => {
    const school = await createDpopSchool({ store: makeStore() })
    const { issue, redeem, refresh, proofFor, proofOf, userinfo, store } = school
    const [keys, thief] = [await createKeys(), await createKeys()]
    await issue('a', 'notes', keys.jkt)
    expect(await redeem('a', await proofFor(thief))).toMatchObject({ reason: 'code_bound' })
    const first = await redeem('a', await proofFor(keys))
    expect(await refresh(first.body.refresh_token)).toMatchObject({ reason: 'refresh_token_bound' })
    const { body } = await refresh(first.body.refresh_token, await proofFor(keys))
    const { access_token: token } = body
    expect(await userinfo(`DPoP ${token}`, await proofOf(keys, token))).toMatchObject({
      status: 200,
    })
    expect(await userinfo(`Bearer ${token}`)).toMatchObject({ reason: 'access_token_bound' })
    const found = await store.findAccessToken(hashToken(token))
    expect([found?.accessToken.boundTo, found?.grant.boundTo]).toEqual([keys.jkt, keys.jkt])
    expect(school.faults).toEqual([])
  })

  it('are given to one of fifty requests with one proof, and open for one [DPOP-46]', async () => {
    const school = await createDpopSchool({ store: makeStore() })
    const { issue, redeem, proofFor, proofOf, userinfo } = school
    const keys = await createKeys()
    const names = Array.from({ length: 50 }, (_unused, index) => `code_${index}`)
    await Promise.all(names.map((name) => issue(name)))
    const proof = await proofFor(keys)
    const all = await Promise.all(names.map((name) => redeem(name, proof)))
    const won = all.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(new Set(school.refusals.map(({ reason }) => reason))).toEqual(
      new Set(['dpop_proof_used_before']),
    )
    const token = won[0]!.body.access_token
    const one = await proofOf(keys, token)
    const opened = await Promise.all(names.map(() => userinfo(`DPoP ${token}`, one)))
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})
