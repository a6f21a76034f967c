import { OptionsError } from 'hallpass'
import type { OAuthErrorCode } from 'hallpass/policy'
import { configureAuthorizationServer } from 'hallpass/authorization-server'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import {
  authorizationUrl,
  type Fields,
  post,
  refusalOf,
  signIn,
  userinfo,
  TOLD,
} from '../support/school/flow.js'
import { breakableStore } from '../support/school/stores.js'
import { BARE_SERVER } from '../support/school/bare-server.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const PAGE = `${ISSUER}/auth.md#error-`

const form = (path: string, fields: Fields) => (school: School) => post(school, path, fields)

const json = (path: string, body: string) => (school: School) =>
  school.fetch(ISSUER + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })

const REFUSED: readonly (readonly [
  endpoint: string,
  ask: (school: School) => Promise<Response>,
  status: number,
  error: OAuthErrorCode,
  description: string,
])[] = [
  [
    'the token endpoint',
    form('/api/oauth/token', { client_id: 'study-buddy', grant_type: 'password' }),
    400,
    'unsupported_grant_type',
    'grant_type must be authorization_code or refresh_token',
  ],
  [
    'the token endpoint, of a client it does not know,',
    form('/api/oauth/token', { client_id: 'nobody', grant_type: 'refresh_token' }),
    401,
    'invalid_client',
    TOLD['no secret'],
  ],
  [
    'the revocation endpoint',
    form('/api/oauth/revoke', { client_id: 'study-buddy' }),
    400,
    'invalid_request',
    'token is required',
  ],
  [
    'the introspection endpoint',
    form('/api/oauth/introspect', { client_id: 'study-buddy', token: 'x' }),
    401,
    'invalid_client',
    TOLD['no secret'],
  ],
  [
    'the registration endpoint',
    json('/api/oauth/register', '{'),
    400,
    'invalid_client_metadata',
    'the body must be valid JSON, nested at most 64 levels deep',
  ],
  [
    'UserInfo',
    (school) => userinfo(school, 'hpa_unknown'),
    401,
    'invalid_token',
    'the access token is missing, malformed, expired, revoked or was issued for another resource',
  ],
  [
    'an endpoint that is called with another method',
    (school) => school.fetch(`${ISSUER}/api/oauth/token`),
    405,
    'invalid_request',
    'use POST',
  ],
  [
    'an endpoint that is sent another media type',
    json('/api/oauth/revoke', '{}'),
    415,
    'invalid_request',
    'send Content-Type: application/x-www-form-urlencoded',
  ],
  [
    'the authorization endpoint, where it redirects nothing,',
    (school) => school.fetch(authorizationUrl(), { method: 'PUT' }),
    405,
    'invalid_request',
    'use GET or POST',
  ],
  [
    'a metadata document',
    (school) => school.fetch(`${ISSUER}/.well-known/jwks.json`, { method: 'POST' }),
    405,
    'invalid_request',
    'use GET',
  ],
]

/** The parameters of the redirect that an authorization request ends in. */
async function redirectOf(school: School, changes: Fields): Promise<object> {
  const response = await school.fetch(authorizationUrl(changes))
  return Object.fromEntries(new URL(response.headers.get('location') ?? '').searchParams)
}

describe('error_uri', () => {
  it.each(REFUSED)(
    'leads from a refusal of %s to the place of the error in /auth.md',
    async (_, ask, status, error, error_description) => {
      const response = await ask(await createSchool({ errorPages: true }))
      expect(response.headers.get('www-authenticate') ?? '').not.toContain('error_uri')
      expect(await refusalOf(response)).toEqual([
        status,
        { error, error_description, error_uri: PAGE + error },
      ])
    },
  )

  it.each(REFUSED)(
    'is not sent by %s where the host names no page',
    async (_, ask, status, error, error_description) => {
      const school = await createSchool()
      expect(await refusalOf(await ask(school))).toEqual([status, { error, error_description }])
    },
  )

  it('stands in the answer to what threw', async () => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store, errorPages: true })
    fail('findAccessToken')
    expect(await refusalOf(await userinfo(school, 'hpa_x'))).toEqual([
      503,
      {
        error: 'temporarily_unavailable',
        error_description: 'the service is temporarily unavailable: try again shortly',
        error_uri: `${PAGE}temporarily_unavailable`,
      },
    ])
  })

  it('stands in the redirect of a request that cannot be granted', async () => {
    const school = await createSchool({ errorPages: true })
    expect(await redirectOf(school, { response_type: 'token' })).toEqual({
      error: 'unsupported_response_type',
      error_description: expect.any(String),
      error_uri: `${PAGE}unsupported_response_type`,
      state: 'af0ifjsldkj',
      iss: ISSUER,
    })
  })

  it('stands in the redirect of a request without a page', async () => {
    const school = await createSchool({ errorPages: true })
    expect(await redirectOf(school, { prompt: 'none' })).toEqual({
      error: 'login_required',
      error_description: 'the person is not signed in',
      error_uri: `${PAGE}login_required`,
      state: 'af0ifjsldkj',
      iss: ISSUER,
    })
  })

  it('stands in the redirect after Cancel', async () => {
    const school = await createSchool({ errorPages: true })
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const callback = await createBrowser(school).authorize(authorizationUrl(), 'deny')
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the person denied the request or may not authorize this app',
      error_uri: `${PAGE}access_denied`,
      state: 'af0ifjsldkj',
      iss: ISSUER,
    })
  })

  it('is in no redirect where the host names no page', async () => {
    const school = await createSchool()
    expect(await redirectOf(school, { prompt: 'none' })).toEqual({
      error: 'login_required',
      error_description: 'the person is not signed in',
      state: 'af0ifjsldkj',
      iss: ISSUER,
    })
  })

  it("is no part of the host's own pages", async () => {
    const school = await createSchool({ errorPages: true })
    const response = await school.fetch(authorizationUrl({ client_id: 'nobody' }))
    expect([response.status, await response.json()]).toEqual([
      400,
      JSON.parse(JSON.stringify(school.view)),
    ])
    expect(JSON.stringify(school.view)).not.toContain('auth.md')
  })

  it('is no part of an answer that is no error', async () => {
    const school = await createSchool({ errorPages: true })
    const revoked = await post(school, '/api/oauth/revoke', {
      client_id: 'study-buddy',
      token: 'x',
    })
    expect([revoked.status, await revoked.text()]).toEqual([200, '{}'])
    const head = await school.fetch(`${ISSUER}/api/oauth/userinfo`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([401, ''])
  })

  it('is no part of claims that a host calls by the name of an error', async () => {
    const school = await createSchool({
      errorPages: true,
      options: { extraClaims: () => ({ error: 'invalid_token' }) },
    })
    const { access_token } = await signIn(school)
    expect(await refusalOf(await userinfo(school, access_token))).toEqual([
      200,
      { sub: STUDENT.subject, org_id: STUDENT.orgId, error: 'invalid_token' },
    ])
  })

  it('is what the host says, asked for each error once and never again', async () => {
    const asked: OAuthErrorCode[] = []
    const errorUri = (error: OAuthErrorCode): string => {
      asked.push(error)
      return `https://help.example/oauth?about=${error}&n=${asked.length}`
    }
    const school = await createSchool({ options: { errorUri } })
    const before = asked.length
    expect([new Set(asked).size, before]).toEqual([18, 18])
    const error_uri = `https://help.example/oauth?about=login_required&n=${asked.indexOf('login_required') + 1}`
    expect(await redirectOf(school, { prompt: 'none' })).toMatchObject({ error_uri })
    expect(await (await userinfo(school, 'x')).json()).toMatchObject({
      error_uri: `https://help.example/oauth?about=invalid_token&n=${asked.indexOf('invalid_token') + 1}`,
    })
    expect(asked).toHaveLength(before)
  })
})

describe('errorUri', () => {
  const configure = (changes: object) =>
    configureAuthorizationServer(testSite({ issuer: ISSUER }).site, { ...BARE_SERVER, ...changes })

  it.each([
    'https://school.example/errors/x#y',
    'http://127.0.0.1:3000/e',
    'https://school.example/%C3%A4?a=(1);b',
  ])('may give %s', (uri) => {
    expect(configure({ errorUri: () => uri }).errorUris).toMatchObject({ invalid_grant: uri })
  })

  it.each([
    '/auth.md#error', 'school.example/errors', 'https://', 'https://school.example/a b',
    'https://school.example/"', 'https://school.example/\\', 'https://school.example/ä',
    'https://school.example/<x>', 'https://school.example:99999/', 'https://school.example/%4', 'https://school.example/\n',
    'javascript:alert(1)', 'x-https://school.example/a', 'mailto:help@school.example', '', undefined, null, 7,
    Promise.resolve('https://school.example/'), new URL('https://school.example/'),
  ])('may not give %j', (uri) => {
    const errorUri = (error: string): unknown => (error === 'invalid_grant' ? uri : PAGE)
    expect(() => configure({ errorUri })).toThrow(
      new OptionsError('authorization server', [
        'errorUri does not return an absolute http(s) URI in ASCII for invalid_grant',
      ]),
    )
  }) // prettier-ignore

  it.each(['https://school.example/errors', {}, true])('may not be %j', (errorUri) => {
    expect(() => configure({ errorUri })).toThrow(
      /^authorization server: errorUri must be a function such as [^;]+$/,
    )
  })

  it('is off unless it is given', () => {
    expect(configure({}).errorUris).toBeNull()
  })
})
