import { decideAccess, decideRedemption, decideRefresh } from 'hallpass/policy'
import * as testing from 'hallpass/testing'
import { describe, expect, it } from 'vitest'

const { bearerSample, exchangeSample, rotationSample, testSite } = testing

describe('decideRedemption', () => {
  it('refuses a code that has expired', () => {
    const { now } = exchangeSample()
    expect(decideRedemption(exchangeSample({ expiresAt: now }))).toMatchObject({ reason: 'code_expired' }) // prettier-ignore
  })
})

describe('a sample', () => {
  it('of a request succeeds', () => {
    const granted = { ok: true }
    expect(decideRedemption(exchangeSample())).toMatchObject(granted)
    expect(decideRefresh(rotationSample())).toMatchObject({ ...granted, outcome: 'rotate' })
    expect(decideAccess(bearerSample())).toMatchObject({
      ok: true,
      access: { scopes: ['openid', 'account:read'] },
    })
  })

  it('of a request is refused for one member that a test changes', () => {
    const { now } = exchangeSample()
    expect([
      decideRedemption(exchangeSample({ redeemedAt: now - 60 })),
      decideRedemption({
        ...exchangeSample(),
        client: testing.callerSample({ clientId: 'app_2' }),
      }),
      decideRefresh(rotationSample({ expiresAt: now })),
      decideAccess(bearerSample({ expiresAt: now })),
      decideAccess({ ...bearerSample(), client: testing.clientSample({ endsAt: now }) }),
    ]).toMatchObject([
      { reason: 'code_replayed' },
      { reason: 'code_of_other_client' },
      { reason: 'refresh_token_expired' },
      { reason: 'access_token_expired' },
      { reason: 'client_ended' },
    ])
  })

  const records = [
    testing.accessSample,
    testing.clientSample,
    testing.codeSample,
    testing.eventSample,
    testing.grantSample,
    testing.keySample,
    testing.pendingSample,
    testing.refreshSample,
  ]

  it.each(records.map((sample) => [sample.name, sample] as const))(
    'of a record is new at each call: %s',
    (_, sample) => {
      expect(sample()).toEqual(sample())
      expect(sample()).not.toBe(sample())
    },
  )

  it('lives in the store of a test site, at its time', async () => {
    const { site, clock } = testSite()
    const { store } = site
    const [code, grant, accessToken] = [testing.codeSample(), testing.grantSample(), testing.accessSample()] // prettier-ignore
    await store.insertClient(testing.clientSample())
    await store.issueCode({ code, pendingIdHash: null, consentKey: null })
    clock.advance(1)
    const refreshToken = testing.refreshSample()
    await store.redeemCode({ codeHash: code.codeHash, redeemedAt: clock.now(), grant, accessToken, refreshToken }) // prettier-ignore
    const found = await store.findAccessToken(accessToken.tokenHash)
    expect(found).toMatchObject({ accessToken, grant })
    const client = await store.findClient(grant.clientId)
    const request = { ...bearerSample(), client, found, now: clock.now(), resource: site.resource.canonical } // prettier-ignore
    expect(decideAccess(request)).toMatchObject({ ok: true })
  })
})
