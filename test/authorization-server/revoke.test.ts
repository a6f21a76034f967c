import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  type Fields,
  generic,
  notAuthenticated,
  TOLD,
  isAlive,
  PORTFOLIO,
  PORTFOLIO_FORM,
  post,
  reasonsOf,
  refresh,
  refusalOf,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { breakableStore } from '../support/school/stores.js'
import type { StoreMethod } from '../../src/store/store.js'
import {
  createSchool,
  ISSUER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'

const REVOKE = '/api/oauth/revoke'

const revoke = (school: School, token: string, changes: Fields = {}): Promise<Response> =>
  post(school, REVOKE, { token, client_id: 'study-buddy', ...changes })

async function expectDone(response: Response): Promise<void> {
  expect([response.status, await response.text()]).toEqual([200, '{}'])
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
}

describe('the revocation', () => {
  it('of an access token ends that token alone, at once [REV-01]', async () => {
    const school = await createSchool()
    const first = await signIn(school)
    const second = await tokensOf(await refresh(school, first.refresh_token))
    await expectDone(await revoke(school, second.access_token))
    expect(await isAlive(school, second.access_token)).toBe(false)
    expect(await isAlive(school, first.access_token)).toBe(true)
    expect((await refresh(school, second.refresh_token)).status).toBe(200)
    const found = await school.store.findAccessToken(hashToken(second.access_token))
    expect(school.events.filter(({ type }) => type === 'oauth.token.revoked')).toEqual([
      {
        type: 'oauth.token.revoked',
        at: T,
        clientId: 'study-buddy',
        subject: STUDENT.subject,
        grantId: found?.grant.grantId,
      },
    ])
  })

  it.each(['current', 'rotated'])(
    'of a %s refresh token ends the grant with every token [REV-02]',
    async (which) => {
      const school = await createSchool()
      const first = await signIn(school)
      const second = await tokensOf(await refresh(school, first.refresh_token))
      await expectDone(await revoke(school, (which === 'current' ? second : first).refresh_token))
      for (const { access_token, refresh_token } of [first, second]) {
        expect(await isAlive(school, access_token)).toBe(false)
        expect(await refusalOf(await refresh(school, refresh_token))).toEqual(
          generic('invalid_grant'),
        )
      }
      expect(reasonsOf(school)).toContain('grant_revoked')
      const found = await school.store.findAccessToken(hashToken(first.access_token))
      expect(found?.grant).toMatchObject({ revokedAt: T, revokedReason: 'client_revoked' })
      expect(school.events).toContainEqual({
        type: 'oauth.grant.revoked',
        at: T,
        clientId: 'study-buddy',
        subject: STUDENT.subject,
        grantId: found?.grant.grantId,
      })
    },
  )

  it('of one grant leaves the other grants of the person alone', async () => {
    const school = await createSchool()
    const [one, other] = [await signIn(school), await signIn(school)]
    await expectDone(await revoke(school, one.refresh_token))
    expect(await isAlive(school, other.access_token)).toBe(true)
  })

  it('is answered the same a second time, and told once [REV-03]', async () => {
    const school = await createSchool()
    const { access_token, refresh_token } = await signIn(school)
    for (const token of [access_token, access_token, refresh_token, refresh_token, access_token])
      await expectDone(await revoke(school, token))
    const told = school.events.map(({ type }) => type).filter((type) => type.endsWith('revoked'))
    expect(told).toEqual(['oauth.token.revoked', 'oauth.grant.revoked'])
  })

  it.each([
    'x',
    'hpa_'.padEnd(47, 'A'),
    'hpr_'.padEnd(47, 'A'),
    'eyJhbGciOiJub25lIn0.e30.',
    "' OR 1=1--",
    '\u0000',
    '{"$gt":""}',
  ])('of what is no token is answered alike: %j [REV-03, ST-04]', async (token) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    await expectDone(await revoke(school, token))
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it('of a token that has expired is answered alike [REV-03]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    school.clock.now = T + 3600
    await expectDone(await revoke(school, access_token))
  })

  it.each<[string, Fields]>([
    ['public', { client_id: 'reader' }],
    ['confidential', PORTFOLIO_FORM],
  ])('by another client, %s, is answered alike and changes nothing [REV-04]', async (_, client) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
    const tokens = await signIn(school)
    await expectDone(await revoke(school, tokens.access_token, client))
    await expectDone(await revoke(school, tokens.refresh_token, client))
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
  })

  it.each(['access_token', 'refresh_token', 'saml2', ''])(
    'does not depend on token_type_hint=%j [REV-07]',
    async (hint) => {
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const school = await createSchool()
        const tokens = await signIn(school)
        await expectDone(await revoke(school, tokens[kind], { token_type_hint: hint }))
        expect(await isAlive(school, tokens.access_token)).toBe(false)
      }
    },
  )
})

describe('a revocation that is refused', () => {
  it.each([null, ''])('says what is missing: token=%j [REV-05]', async (token) => {
    const school = await createSchool()
    expect(await refusalOf(await revoke(school, 'x', { token }))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'token is required' },
    ])
    expect(school.refusals).toMatchObject([{ endpoint: 'revoke', reason: 'token_missing' }])
  })

  it.each([null, ''])('says that it names no client: client_id=%j [REV-05]', async (client_id) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    expect(await refusalOf(await revoke(school, access_token, { client_id }))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'client_id is required' },
    ])
    expect(reasonsOf(school)).toEqual(['client_id_missing'])
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it.each<[string, Fields, string]>([
    ['an unknown client_id [REV-05]', { client_id: 'nobody' }, 'client_unknown'],
    ['a secret for a public client', { client_secret: 'x' }, 'client_secret_unexpected'],
    ['a client that is switched off', { client_id: 'off' }, 'client_disabled'],
  ])('does not know who asks, with %s', async (_, changes, reason) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'off', disabled: true })
    const { access_token } = await signIn(school)
    expect(await refusalOf(await revoke(school, access_token, changes))).toEqual(
      notAuthenticated('client_secret' in changes ? 'secret' : 'no secret'),
    )
    expect(reasonsOf(school)).toEqual([reason])
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it.each<[keyof typeof TOLD, Fields, Record<string, string>]>([
    ['no secret', PORTFOLIO, {}],
    ['secret', { ...PORTFOLIO, client_secret: 'wrong' }, {}],
    ['header', PORTFOLIO, { authorization: `Basic ${btoa(`portfolio-hub:${PORTFOLIO_SECRET}`)}` }],
  ])(
    'leaves the token of a confidential client alive, with a wrong %s [REV-06]',
    async (sent, client, headers) => {
      const school = await createSchool()
      const { access_token } = await signIn(school, PORTFOLIO, { form: PORTFOLIO_FORM })
      const response = await post(school, REVOKE, { token: access_token, ...client }, headers)
      expect(await refusalOf(response)).toEqual(notAuthenticated(sent))
      expect(await isAlive(school, access_token)).toBe(true)
      await expectDone(await revoke(school, access_token, PORTFOLIO_FORM))
      expect(await isAlive(school, access_token)).toBe(false)
    },
  )

  it.each(['token', 'client_id', 'token_type_hint'])('sent %s twice', async (name) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const response = await revoke(school, access_token, { [name]: [access_token, access_token] })
    expect(await refusalOf(response)).toEqual([
      400,
      { error: 'invalid_request', error_description: 'a parameter was sent more than once' },
    ])
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it('was not a form, or had its token in the query [REV-09]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const json = await school.fetch(ISSUER + REVOKE, {
      method: 'POST',
      body: JSON.stringify({ token: access_token, client_id: 'study-buddy' }),
      headers: { 'content-type': 'application/json' },
    })
    const query = `?token=${access_token}&client_id=study-buddy&callback=alert`
    const inQuery = await post(school, REVOKE + query, {})
    expect([json.status, inQuery.status]).toEqual([415, 400])
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it.each(['GET', 'PUT', 'DELETE'])('came as %s, and runs no callback [REV-09]', async (method) => {
    const response = await (
      await createSchool()
    ).fetch(`${ISSUER}${REVOKE}?callback=alert`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect(await response.text()).not.toContain('alert')
  })
})

describe('a revocation in which the store fails', () => {
  it.each<[StoreMethod, 'access_token' | 'refresh_token']>([
    ['findClient', 'access_token'],
    ['findRefreshToken', 'access_token'],
    ['findAccessToken', 'access_token'],
    ['revokeAccessToken', 'access_token'],
    ['revokeGrant', 'refresh_token'],
  ])('at %s is 503, never 200, and works the next time [REV-08, F-08]', async (method, kind) => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store })
    const tokens = await signIn(school)
    fail(method)
    const response = await revoke(school, tokens[kind])
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'the service is temporarily unavailable: try again shortly',
    })
    fail(null)
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    await expectDone(await revoke(school, tokens[kind]))
    expect(await isAlive(school, tokens.access_token)).toBe(false)
  })
})
