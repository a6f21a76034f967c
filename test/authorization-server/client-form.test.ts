import { describe, expect, it } from 'vitest'
import { approve, PORTFOLIO_FORM, post, redeem, refresh, signIn } from '../support/school/flow.js'
import { recordingStore } from '../support/school/stores.js'
import { createSchool, ISSUER } from '../support/school/school.js'

describe('the form of a client', () => {
  it('may repeat resource at the token endpoint, and nothing elsewhere [TOKC-19]', async () => {
    const school = await createSchool()
    const resource = [ISSUER, ISSUER]
    const code = await approve(school)
    expect((await redeem(school, code, { resource })).status).toBe(200)
    const revoked = await post(school, '/api/oauth/revoke', { ...PORTFOLIO_FORM, token: 'x', resource }) // prettier-ignore
    expect(revoked.status).toBe(400)
    expect(await revoked.json()).toEqual({
      error: 'invalid_request',
      error_description: 'a parameter was sent more than once',
    })
  })

  it('names the client of its code or token, which is not looked up again', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const { refresh_token } = await signIn(school)
    const lookUps = (): number => calls.filter(({ method }) => method === 'findClient').length
    const before = lookUps()
    expect((await refresh(school, refresh_token)).status).toBe(200)
    expect(lookUps()).toBe(before)
    await refresh(school, refresh_token, { client_id: 'nobody' })
    expect(lookUps()).toBe(before + 1)
  })
})
