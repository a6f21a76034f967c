import { createProtectedResource, OptionsError } from 'hallpass'
import { moveGrant } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { PORTFOLIO_FORM, post, reasonsOf, refresh, refusalOf, tokensOf, userinfo } from '../support/school/flow.js' // prettier-ignore
import { createSchool, ISSUER, STUDENT, T } from '../support/school/school.js'
import {
  grantsOf,
  MOVED,
  type MovedGrant,
  moves,
  OLD,
  outcomeOf,
  REST,
} from './move-grant-support.js'

moves('memory', () => createMemoryStore())

describe('a moved token', () => {
  it('is described, revoked and refused at a gate like every refresh token of the site [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { clientId: 'portfolio-hub' })
    const form = { token: OLD, ...PORTFOLIO_FORM }
    expect(await refusalOf(await post(school, '/api/oauth/introspect', form))).toEqual([
      200,
      {
        active: true,
        scope: 'openid account:read',
        client_id: 'portfolio-hub',
        sub: STUDENT.subject,
        aud: ISSUER,
        iss: ISSUER,
        iat: T,
        exp: T + 86_400,
      },
    ])
    const gate = createProtectedResource(school.site).gate('account:read')
    const headers = { authorization: `Bearer ${OLD}` }
    const refused = await gate(new Request(`${ISSUER}/api`, { headers }))
    expect(refused instanceof Response && refused.status).toBe(401)
    expect((await userinfo(school, OLD)).status).toBe(401)

    expect((await post(school, '/api/oauth/revoke', form)).status).toBe(200)
    expect((await refresh(school, OLD, PORTFOLIO_FORM)).status).toBe(400)
    expect(reasonsOf(school).at(-1)).toBe('grant_revoked')
  })

  it('ends when it did, and its grant when the script says [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { grantEndsAt: T + 200_000 })
    await outcomeOf(school, { refreshToken: `${OLD}2` })
    school.clock.now = T + 86_399
    const { refresh_token } = await tokensOf(await refresh(school, OLD))
    const { refresh_token: short } = await tokensOf(await refresh(school, `${OLD}2`))
    school.clock.now = T + 86_400
    expect((await refresh(school, short)).status).toBe(400)
    const next = await tokensOf(await refresh(school, refresh_token))
    school.clock.now = T + 200_000
    expect((await refresh(school, next.refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['grant_expired', 'grant_expired'])
  })

  it('is refused unused after its end [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { grantEndsAt: T + 200_000 })
    school.clock.now = T + 86_400
    expect((await refresh(school, OLD)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_expired'])
  })

  it('that was bound to a key is refused without it [MOVE-01]', async () => {
    const school = await createSchool()
    expect(await outcomeOf(school, { boundTo: hashToken('a key') })).toBe('moved')
    expect((await refresh(school, OLD)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_bound'])
  })
})

describe('what a sign-in would refuse', () => {
  const CASES: readonly (readonly [string, object])[] = [
    ['invalid_client client_unknown', { clientId: 'nobody' }],
    ['invalid_request redirect_uri_not_registered', { redirectUri: 'https://thief.example/cb' }],
    ['invalid_scope scope_unknown', { scopes: ['openid', 'tokens:all'] }],
    ['invalid_scope scope_malformed', { scopes: ['account:"read"'] }],
    ['invalid_scope scope_missing', { scopes: ['offline_access'] }],
    ['invalid_scope scope_of_other_audience', { scopes: ['courses:read'] }],
    ['invalid_scope scope_not_allowed_for_client', { scopes: ['account:write'] }],
    ['invalid_grant person_gone', { subject: 'mem_nobody' }],
    ['access_denied person_not_staff', { clientId: 'acme-agents', redirectUri: 'http://127.0.0.1/', scopes: ['courses:read'] }], // prettier-ignore
    ['invalid_grant refresh_token_expired', { expiresAt: T }],
  ]
  it.each(CASES)('is refused with %s, and stores nothing [MOVE-03]', async (refusal, changes) => {
    const school = await createSchool()
    expect(await outcomeOf(school, changes)).toBe(refusal)
    expect([await grantsOf(school), school.events]).toEqual([[], []])
    expect((await refresh(school, OLD)).status).toBe(400)
  })

  it('is a client that is disabled, or a person without a role [MOVE-03]', async () => {
    const school = await createSchool()
    const client = (await school.store.findClient('study-buddy'))!
    await school.store.replaceClient({ ...client, disabled: true, revision: client.revision + 1 })
    expect(await outcomeOf(school)).toBe('invalid_client client_disabled')
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    expect(await outcomeOf(school, { clientId: 'portfolio-hub' })).toBe('access_denied person_has_no_role') // prettier-ignore
    expect(await grantsOf(school)).toEqual([])
  })
})

describe('a value of a wrong form', () => {
  const CASES: readonly (readonly [string, object])[] = [
    ['subject must be a string such as String(row.id), not a number', { ...MOVED, subject: 7 }],
    ['subject must be a string such as String(row.id), not null', { ...MOVED, subject: null }],
    ['expiresAt must be epoch seconds such as 1795165200, not milliseconds', { ...MOVED, expiresAt: T * 1000 }], // prettier-ignore
    ['expiresAt must be epoch seconds such as 1795165200, not milliseconds', { ...MOVED, expiresAt: T + 0.5 }], // prettier-ignore
    ['expiresAt must be at most 3650 days from now: choose an end for a token without one', { ...MOVED, expiresAt: T + 3651 * 86_400 }], // prettier-ignore
    ['grantEndsAt must not be before expiresAt', { ...MOVED, grantEndsAt: T + 1 }],
    ['refreshToken must be the token itself: 22 to 8,192 printable ASCII characters', { ...MOVED, refreshToken: '123456' }], // prettier-ignore
    ['refreshToken must be the token itself: 22 to 8,192 printable ASCII characters', { ...MOVED, refreshToken: 'a'.repeat(8193) }], // prettier-ignore
    ['refreshTokenHash must be hashToken(token), which is 43 base64url characters', { ...REST, refreshTokenHash: 'ab'.repeat(32) }], // prettier-ignore
    ['pass either refreshToken or refreshTokenHash', REST],
    [
      'pass either refreshToken or refreshTokenHash',
      { ...MOVED, refreshTokenHash: hashToken(OLD) },
    ],
    ['refreshtoken is not an option: did you mean refreshToken?', { ...REST, refreshtoken: OLD }],
  ]
  it.each(CASES)('is told: %s [MOVE-03]', async (mistake, moved) => {
    const school = await createSchool()
    const call = moveGrant(school.site, moved as MovedGrant)
    await expect(call).rejects.toThrow(new OptionsError('moveGrant', [mistake]))
    await expect(call).rejects.not.toThrow(OLD)
    expect(await grantsOf(school)).toEqual([])
  })

  it('is a token that is stored for another person [MOVE-03]', async () => {
    const school = await createSchool()
    await outcomeOf(school)
    await expect(outcomeOf(school, { subject: 'mem_noor' })).rejects.toThrow(
      'moveGrant: the refresh token is stored for another client or person: pass the column with the token itself or its hash',
    )
  })
})
