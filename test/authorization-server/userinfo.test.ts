import type { Client, Person } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import {
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  GENERIC,
  generic,
  post,
  refusalOf,
  signIn,
  userinfo,
} from '../support/school/flow.js'
import { withClient, withResult } from '../support/school/stores.js'
import { createSchool, ISSUER, OWNER, type School, STUDENT, T } from '../support/school/school.js'

const USERINFO = `${ISSUER}/api/oauth/userinfo`
const METADATA = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`
const INVALID = `Bearer error="invalid_token", error_description="${GENERIC.invalid_token}", ${METADATA}`

const ask = (school: School, authorization: string, init: RequestInit = {}): Promise<Response> =>
  school.fetch(USERINFO, { ...init, headers: { authorization } })

/** Asserts the 401 that leads a client to sign in again. */
async function expectInvalid(school: School, response: Response, reason: string): Promise<void> {
  expect(response.headers.get('www-authenticate')).toBe(INVALID)
  expect(response.headers.get('vary')).toBe('Authorization')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await refusalOf(response)).toEqual(generic('invalid_token'))
  expect(school.refusals.at(-1)).toEqual({
    at: school.clock.now,
    endpoint: 'userinfo',
    error: 'invalid_token',
    reason,
    clientId: FOUND.has(reason) ? 'study-buddy' : null,
  })
}

/** The reasons for which the token was found, so that its client is known. */
const FOUND: ReadonlySet<string> = new Set([
  'access_token_expired',
  'access_token_revoked',
  'grant_revoked',
  'access_token_for_other_resource',
  'client_disabled',
  'client_gone',
  'person_gone',
  'person_has_no_role',
])

describe('UserInfo', () => {
  it.each<[string, Record<string, unknown>]>([
    ['openid', {}],
    ['openid email', { email: 'mei-ling.chou@example.com' }],
    ['openid profile', { name: 'Mei-Ling Chou', roles: ['student'] }],
    [
      'openid profile email',
      { name: 'Mei-Ling Chou', roles: ['student'], email: 'mei-ling.chou@example.com' },
    ],
  ])('opens what %s opens, and nobody caches it [UI-01, RS-12]', async (scope, claims) => {
    const school = await createSchool()
    const response = await userinfo(school, (await signIn(school, { scope })).access_token)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('vary')).toBe('Authorization')
    expect(await response.json()).toStrictEqual({
      sub: 'mem_mei',
      org_id: 'site_lantern',
      ...claims,
    })
  })

  it('answers POST as it answers GET [UI-02]', async () => {
    const school = await createSchool()
    const authorization = `Bearer ${(await signIn(school)).access_token}`
    const [get, posted] = [
      await ask(school, authorization),
      await ask(school, authorization, { method: 'POST' }),
    ]
    expect([posted.status, await posted.json()]).toEqual([200, await get.json()])
  })

  it('answers a form without a token in it, beside the header', async () => {
    const school = await createSchool()
    const authorization = `Bearer ${(await signIn(school)).access_token}`
    const body = new URLSearchParams({ schema: 'openid' })
    const posted = await ask(school, authorization, { method: 'POST', body })
    expect(posted.status).toBe(200)
  })

  it('answers HEAD without a body', async () => {
    const school = await createSchool()
    const authorization = `Bearer ${(await signIn(school)).access_token}`
    const head = await ask(school, authorization, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each(['bearer', 'BEARER', 'BeArEr'])('takes the scheme as %s [RS-01]', async (scheme) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    expect((await ask(school, `${scheme} ${access_token}`)).status).toBe(200)
  })

  it('challenges a request without a token, without an error [UI-03, RS-03, RS-09]', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const response = await school.fetch(USERINFO, {
      headers: { cookie: '__Host-hallpass=x; session=y' },
    })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${METADATA}`,
    ])
    expect(school.refusals).toMatchObject([{ reason: 'access_token_missing' }])
  })

  it.each(['Bearer  ', 'bearer   ', `Bearer${' '.repeat(100)}`])(
    'accepts %j before the token, as RFC 9110 does [UI-04, RS-14]',
    async (scheme) => {
      const school = await createSchool()
      const { access_token } = await signIn(school)
      expect((await ask(school, scheme + access_token)).status).toBe(200)
    },
  )

  it.each<[string, (token: string) => string]>([
    ['no token', () => 'Bearer'],
    ['an empty token', () => 'Bearer '],
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['a list', (token) => `Bearer ${token}, Bearer ${token}`],
    ['a parameter', (token) => `Bearer token="${token}"`],
    ['Basic', (token) => `Basic ${token}`],
    ['DPoP [RS-11]', (token) => `DPoP ${token}`],
    ['no scheme', (token) => token],
    ['a tab', (token) => `Bearer\t${token}`],
    ['characters no token has', () => 'Bearer <script>'],
  ])('refuses %s in the header [UI-04, UI-06, RS-02]', async (_, header) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    await expectInvalid(school, await ask(school, header(access_token)), 'authorization_malformed')
  })

  it.each<[string, (token: string) => string]>([
    ['a token nobody issued', () => `hpa_${'A'.repeat(43)}`],
    ['a token with a character more', (token) => `${token}A`],
    ['a token with a character less', (token) => token.slice(0, -1)],
    ['a JWT', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZW1fbWVpIn0.'],
    ['a very long token', (token) => token + 'x'.repeat(10_000)],
  ])('refuses %s [UI-04]', async (_, change) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const response = await ask(school, `Bearer ${change(access_token)}`)
    await expectInvalid(school, response, 'access_token_unknown')
  })

  it('refuses a token that is an hour old [UI-04, D-04]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    school.clock.now = T + 3599
    expect((await userinfo(school, access_token)).status).toBe(200)
    school.clock.now = T + 3600
    await expectInvalid(school, await userinfo(school, access_token), 'access_token_expired')
  })

  it.each([
    ['access_token', 'access_token_revoked'],
    ['refresh_token', 'grant_revoked'],
  ] as const)(
    'refuses a token once its %s was revoked, at the next request [UI-04, RS-07]',
    async (which, reason) => {
      const school = await createSchool()
      const tokens = await signIn(school)
      const form = { token: tokens[which], client_id: 'study-buddy' }
      expect((await post(school, '/api/oauth/revoke', form)).status).toBe(200)
      await expectInvalid(school, await userinfo(school, tokens.access_token), reason)
    },
  )

  it('asks for openid where the token does not hold it [UI-05, RS-04]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school, { scope: 'account:read' })
    const response = await userinfo(school, access_token)
    const description = 'This needs the permission openid. Connect the app again to allow it.'
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="${description}", scope="openid", ${METADATA}`,
    )
    expect(await refusalOf(response)).toEqual([
      403,
      { error: 'insufficient_scope', error_description: description },
    ])
  })

  it('does not look for a token in the query [UI-06, RS-08]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const response = await school.fetch(`${USERINFO}?access_token=${access_token}`)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${METADATA}`,
    ])
  })

  it('does not look for a token in the body [UI-06]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    expect((await post(school, '/api/oauth/userinfo', { access_token })).status).toBe(401)
  })

  it.each<[string, string, Fields]>([
    ['the query', 'query', {}],
    ['the body', 'body', {}],
  ])('answers 400 to a token in the header and in %s [UI-06]', async (_, place) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const query = place === 'query' ? `?access_token=${access_token}` : ''
    const fields = place === 'body' ? { access_token } : {}
    const headers = { authorization: `Bearer ${access_token}` }
    const response = await post(school, `/api/oauth/userinfo${query}`, fields, headers)
    expect(response.status).toBe(400)
  })

  it('checks who it is before what it may: an expired token without openid is 401 [RS-05]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school, { scope: 'account:read' })
    school.clock.now = T + 3600
    await expectInvalid(school, await userinfo(school, access_token), 'access_token_expired')
  })

  it('says what is so now [UI-08]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school, { scope: 'openid profile email' })
    const now: Person = {
      ...STUDENT, roles: ['assistant'], name: 'Mei', email: null, picture: 'https://lantern.example/mei.png',
    } // prettier-ignore
    school.people.set(STUDENT.subject, now)
    expect(await (await userinfo(school, access_token)).json()).toStrictEqual({
      sub: 'mem_mei',
      org_id: 'site_lantern',
      name: 'Mei',
      picture: 'https://lantern.example/mei.png',
      roles: ['assistant'],
    })
  })

  it('refuses the token of a person who is gone or suspended [UI-07, RS-07]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    school.people.delete(STUDENT.subject)
    await expectInvalid(school, await userinfo(school, access_token), 'person_gone')
  })

  it('opens nothing for a person who lost every role [UI-07, AUTH-20]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    const response = await userinfo(school, access_token)
    expect([response.status, school.refusals.at(-1)?.reason]).toEqual([401, 'person_has_no_role'])
  })

  it.each<[string, (client: Client) => Client | null, string]>([
    ['gone', () => null, 'client_gone'],
    ['switched off', (client) => ({ ...client, disabled: true }), 'client_disabled'],
  ])('refuses the token of a client that is %s [UI-07]', async (_, change, reason) => {
    let changing = false
    const store = withClient(createMemoryStore(), (client) =>
      changing && client !== null ? change(client) : client,
    )
    const school = await createSchool({ store })
    const { access_token } = await signIn(school)
    changing = true
    await expectInvalid(school, await userinfo(school, access_token), reason)
  })

  it('refuses a token that is bound to another origin [RS-06]', async () => {
    const other = 'https://other.example'
    const store = withResult(
      createMemoryStore(),
      'findAccessToken',
      (found) => found && { ...found, grant: { ...found.grant, resource: other } },
    )
    const school = await createSchool({ store })
    const { access_token } = await signIn(school)
    await expectInvalid(
      school,
      await userinfo(school, access_token),
      'access_token_for_other_resource',
    )
  })

  it('knows no token of another site [RS-06, F-20]', async () => {
    const [here, there] = [await createSchool(), await createSchool()]
    const { access_token } = await signIn(there)
    await expectInvalid(here, await userinfo(here, access_token), 'access_token_unknown')
  })

  it('answers for a person of the staff with the role they have', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const request = { ...DESK_REQUEST, scope: 'openid profile' }
    const { access_token } = await signIn(school, request, { person: OWNER })
    expect(await (await userinfo(school, access_token)).json()).toMatchObject({ roles: ['owner'] })
  })

  it('may be read from any origin, which sees the challenge, without credentials [RS-10]', async () => {
    const response = await userinfo(await createSchool(), 'x')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'WWW-Authenticate, Retry-After, X-Request-Id',
    )
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it.each(['PUT', 'DELETE'])('answers 405 to %s', async (method) => {
    const response = await (await createSchool()).fetch(USERINFO, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([
      405,
      'GET, POST, HEAD, OPTIONS',
    ])
  })
})

describe('the claims of the host in UserInfo', () => {
  it('are told the person and the scopes, and cannot override who it is [IDT-05]', async () => {
    const asked: unknown[] = []
    const extraClaims = (question: unknown): Record<string, unknown> => {
      asked.push(question)
      return { sub: 'evil', org_id: 'evil', locale: 'de' }
    }
    const school = await createSchool({ options: { extraClaims } })
    const { access_token } = await signIn(school)
    asked.length = 0
    expect(await (await userinfo(school, access_token)).json()).toStrictEqual({
      sub: 'mem_mei',
      org_id: 'site_lantern',
      locale: 'de',
    })
    expect(asked).toEqual([{ person: STUDENT, scopes: ['openid', 'account:read'] }])
  })

  it('cannot add protocol claims, as in the ID token [IDT-03, IDT-05]', async () => {
    const extraClaims = () => ({ iss: 'https://evil.test', aud: 'evil', exp: 9_999_999_999 })
    const school = await createSchool({ options: { extraClaims } })
    const { access_token } = await signIn(school)
    expect(await (await userinfo(school, access_token)).json()).toStrictEqual({
      sub: 'mem_mei',
      org_id: 'site_lantern',
    })
  })
})
