import { describe, expect, it } from 'vitest'
import { DESK_CLI, tokensOf, userinfo } from '../../support/school/flow.js'
import {
  createDeviceSchool,
  DEVICE_GRANT,
  DEVICE_PATH,
} from '../../support/school/device-school.js'
import { ISSUER, OWNER, STUDENT, T } from '../../support/school/school.js'

describe('a device', () => {
  it('gets a code, waits for a person, and gets their tokens', async () => {
    const one = await createDeviceSchool()
    const { school, begin, errorOf, poll, enter, decide, pageOf } = one
    const asked = await begin()
    expect(asked).toEqual({
      device_code: expect.stringMatching(/^hpd_[\w-]{43}\.1795165800$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ISSUER}${DEVICE_PATH}`,
      verification_uri_complete: `${ISSUER}${DEVICE_PATH}?user_code=${asked.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(await errorOf(asked.device_code)).toBe('authorization_pending')

    await enter(asked.user_code)
    expect(pageOf('consent')).toMatchObject({ userCode: asked.user_code, requestedAt: T })
    school.clock.now += 5
    await decide('allow')
    expect(pageOf('done')).toMatchObject({ allowed: true, client: { name: 'Desk CLI' } })
    const tokens = await tokensOf(await poll(asked.device_code))
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid courses:read courses:write',
    })
    expect((await userinfo(school, tokens.access_token)).status).toBe(200)
    expect(school.faults).toEqual([])
    expect(school.refusals).toEqual([])
    const grants = await school.store.listGrants({
      of: { clientId: DESK_CLI.clientId, subject: OWNER.subject }, after: null, limit: 2, now: T,
    }) // prettier-ignore
    expect(grants.map(({ grant }) => grant.redirectUri)).toEqual([DEVICE_GRANT])
    expect(STUDENT.subject).not.toBe(OWNER.subject)
  })
})
