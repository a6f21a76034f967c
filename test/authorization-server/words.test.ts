import { createMemoryStore } from 'hallpass/store'
import { withFault } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  codeForm,
  type Fields,
  post,
  REDIRECT,
  refusalOf,
} from '../support/school/flow.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const SECRET = { client_id: 'portfolio-hub', client_secret: PORTFOLIO_SECRET }

/** What a client is told, and what the operator is. */
async function told(
  school: School,
  path: string,
  fields: Fields,
): Promise<{ status: number; body: unknown; notices: unknown }> {
  const answer = await post(school, path, fields)
  return { status: answer.status, body: await answer.json(), notices: school.refusals }
}
const refusal = (endpoint: string, reason: string, description: string, clientId: string) => ({
  status: 400,
  body: { error: 'invalid_request', error_description: description },
  notices: [{ at: T, endpoint, error: 'invalid_request', reason, clientId }],
})

describe('a form that lacks what it is about', () => {
  it.each([
    ['authorization_code', 'code_missing', 'code is required'],
    ['refresh_token', 'refresh_token_missing', 'refresh_token is required'],
  ])('is refused at the token endpoint: %s', async (grant_type, reason, description) => {
    const school = await createSchool()
    expect(
      await told(school, '/api/oauth/token', { grant_type, client_id: 'study-buddy' }),
    ).toEqual(refusal('token', reason, description, 'study-buddy'))
  })

  it('is refused at the introspection endpoint', async () => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    expect(await told(school, '/api/oauth/introspect', SECRET)).toEqual(
      refusal('introspect', 'token_missing', 'token is required', 'portfolio-hub'),
    )
  })

  it('is refused at the revocation endpoint', async () => {
    const school = await createSchool()
    expect(await told(school, '/api/oauth/revoke', { client_id: 'study-buddy' })).toEqual(
      refusal('revoke', 'token_missing', 'token is required', 'study-buddy'),
    )
  })
})

describe('a form with a parameter twice', () => {
  it.each([
    [
      'token',
      { grant_type: ['a', 'b'] },
      'a parameter other than resource was sent more than once',
    ],
    ['revoke', { token: ['a', 'b'] }, 'a parameter was sent more than once'],
  ])('is refused at the endpoint %s', async (name, fields, description) => {
    const school = await createSchool()
    expect(
      await told(school, `/api/oauth/${name}`, { client_id: 'study-buddy', ...fields }),
    ).toEqual(refusal(name, 'parameter_repeated', description, 'study-buddy'))
  })
})

describe('what a budget allows no more', () => {
  const once = { amount: 1, seconds: 600 }
  const notice = (endpoint: string, reason: string, clientId: string | null) => ({
    at: T,
    endpoint,
    error: 'temporarily_unavailable',
    reason,
    clientId,
  })

  it('is an authorization code, in the redirect to the client', async () => {
    const school = await createSchool({ options: { allowances: { codesOfPerson: once } } })
    await approve(school)
    const { searchParams } = await createBrowser(school).authorize(authorizationUrl())
    expect([searchParams.get('error'), searchParams.get('error_description')]).toEqual([
      'temporarily_unavailable',
      'this person authorized the client too often: use the refresh token, or try again later',
    ])
    expect(school.refusals).toEqual([notice('interaction', 'code_paced', 'study-buddy')])
  })

  it('is a registration, with 429', async () => {
    const school = await createSchool({
      options: { networkOf: () => 'a', allowances: { registrationsOfNetwork: once } },
    })
    const register = () =>
      school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Notes', redirect_uris: ['http://127.0.0.1/cb'] }),
      })
    await register()
    expect(await refusalOf(await register())).toEqual([
      429,
      {
        error: 'temporarily_unavailable',
        error_description:
          'too many clients were registered from this network: keep the client_id, or try again later',
      },
    ])
    expect(school.refusals).toEqual([notice('register', 'registration_paced', null)])
  })
})

describe('a silent request', () => {
  const silent = async (school: School, changes: Fields = {}): Promise<unknown> => {
    const url = authorizationUrl({ prompt: 'none', ...changes })
    const answer = await school.fetch(url)
    const query = new URL(answer.headers.get('location')!).searchParams
    return [query.get('error'), query.get('error_description'), school.refusals]
  }
  const notice = (error: string, reason: string) => ({
    at: T,
    endpoint: 'authorize',
    error,
    reason,
    clientId: 'study-buddy',
  })

  it.each<[string, { subject: string; authTime: number } | null, Fields, string, string, string]>([
    ['signed out', null, {}, 'login_required', 'person_signed_out', 'the person is not signed in'],
    [
      'gone',
      { subject: 'mem_gone', authTime: T },
      {},
      'login_required',
      'person_signed_out',
      'the person is not signed in',
    ],
    [
      'signed in too long ago',
      { subject: STUDENT.subject, authTime: T - 61 },
      { max_age: '60' },
      'login_required',
      'sign_in_not_fresh',
      'the person must sign in again',
    ],
    [
      'signed in and asked nothing yet',
      { subject: STUDENT.subject, authTime: T },
      {},
      'consent_required',
      'consent_missing',
      'the person must give consent first',
    ],
  ])('says why nobody who is %s can answer', async (_, signedIn, changes, ...words) => {
    const [error, reason, description] = words
    const school = await createSchool()
    school.signedIn = signedIn
    expect(await silent(school, changes)).toEqual([error, description, [notice(error, reason)]])
  })

  it('is told of where its own words are wrong', async () => {
    const school = await createSchool()
    expect(await silent(school, { response_type: null })).toEqual([
      'invalid_request',
      'response_type=code is required',
      [notice('invalid_request', 'response_type_missing')],
    ])
  })
})

describe('a person who says no', () => {
  it('sends the app away with a reason', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const answer = await school.fetch(authorizationUrl())
    const cookie = answer.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const path = answer.headers.get('location')!
    await school.fetch(new URL(path, ISSUER), { headers: { cookie } })
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const left = await post(
      school,
      school.view.view.action,
      { csrf_token: school.view.view.csrfToken, decision: 'deny' },
      { cookie },
    )
    const query = new URL(left.headers.get('location')!).searchParams
    expect([query.get('error'), query.get('error_description')]).toEqual([
      'access_denied',
      'the person denied the request or may not authorize this app',
    ])
    expect(school.refusals).toEqual([
      {
        at: T,
        endpoint: 'interaction',
        error: 'access_denied',
        reason: 'person_denied',
        clientId: 'study-buddy',
      },
    ])
  })
})

describe('a token that came twice', () => {
  it('opens nothing, and leads to the metadata', async () => {
    const school = await createSchool()
    const answer = await school.fetch(`${ISSUER}/api/oauth/userinfo?access_token=a`, {
      headers: { authorization: 'Bearer a' },
    })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_request", error_description="send the access token only in the Authorization header", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
    expect(school.refusals).toEqual([
      {
        at: T,
        endpoint: 'userinfo',
        error: 'invalid_request',
        reason: 'access_token_sent_twice',
        clientId: null,
      },
    ])
  })
})

describe('a code', () => {
  it.each([
    ['says when the person signed in, where max_age asked', { max_age: '600' }, T],
    ['says when the person signed in, where prompt=login asked', { prompt: 'login' }, T],
    ['does not say it where nobody asked', {}, undefined],
  ])('%s', async (_, changes, authTime) => {
    const school = await createSchool()
    const answer = await post(school, '/api/oauth/token', codeForm(await approve(school, changes)))
    const { id_token } = (await answer.json()) as { id_token: string }
    const claims = JSON.parse(Buffer.from(id_token.split('.')[1]!, 'base64url').toString()) as {
      auth_time?: number
    }
    expect(claims.auth_time).toBe(authTime)
  })
})

describe('a registration', () => {
  const register = (school: School): Promise<Response> =>
    school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Desk', redirect_uris: [REDIRECT] }),
    })

  it('is a fault where the store says that a new identifier is taken', async () => {
    const memory = createMemoryStore()
    const school = await createSchool({
      store: { ...memory, insertClient: async () => 'exists' as const },
    })
    expect((await register(school)).status).toBe(500)
    expect(school.faults).toEqual([
      { at: T, endpoint: 'register', fault: new Error('client identifier is taken') },
    ])
  })
})

describe('a fault', () => {
  it.each<[string, 'findClient' | null, () => string | URL]>([
    ['authorize', 'findClient', () => authorizationUrl()],
    ['jwks', null, () => `${ISSUER}/.well-known/jwks.json`],
    ['authorizationServerMetadata', null, () => `${ISSUER}/.well-known/oauth-authorization-server`],
    ['openidConfiguration', null, () => `${ISSUER}/.well-known/openid-configuration`],
  ])('of %s is told under its name', async (endpoint, method, url) => {
    const store = createMemoryStore()
    const away = (): never => {
      throw new Error('away')
    }
    const school = await createSchool({
      store: method === null ? store : withFault(store, { method }),
      options:
        method === null
          ? {
              keys: {
                jwks: async () => away(),
                signer: async () => away(),
                refreshSecrets: () => [],
              },
            }
          : {},
    })
    await school.fetch(url())
    expect(school.faults).toEqual([{ at: T, endpoint, fault: expect.any(Error) }])
  })
})
