import type { Client, Person } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import {
  approve,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  notAuthenticated,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  redeem,
  refresh,
  refusalOf,
  signIn,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import { recordingStore, withClient } from '../support/school/stores.js'
import {
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_HUB,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const INTROSPECT = '/api/oauth/introspect'
const INACTIVE = [200, { active: false }]

const introspect = (school: School, token: string, changes: Fields = {}): Promise<Response> =>
  post(school, INTROSPECT, { token, ...PORTFOLIO_FORM, ...changes })
const answerOf = async (school: School, token: string, changes: Fields = {}) =>
  refusalOf(await introspect(school, token, changes))
const signInPortfolio = (school: School): Promise<Tokens> =>
  signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })

const ACTIVE = {
  active: true,
  scope: 'openid account:read account:write',
  client_id: 'portfolio-hub',
  sub: STUDENT.subject,
  aud: ISSUER,
  iss: ISSUER,
  iat: T,
}

describe('introspection of an active token', () => {
  it('says what an access token holds, and nobody caches it [INT-02, INT-06]', async () => {
    const school = await createSchool()
    const { access_token } = await signInPortfolio(school)
    const response = await introspect(school, access_token)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await refusalOf(response)).toEqual([
      200,
      { ...ACTIVE, exp: T + 3600, token_type: 'Bearer' },
    ])
  })

  it('says how long a refresh token may lie, and does not call it a bearer token [INT-02]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signInPortfolio(school)
    expect(await answerOf(school, refresh_token)).toEqual([
      200,
      { ...ACTIVE, exp: T + 30 * 86_400 },
    ])
  })

  it('looks up each token once, by its prefix', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const { access_token, refresh_token } = await signInPortfolio(school)
    calls.length = 0
    await introspect(school, access_token)
    await introspect(school, refresh_token)
    const lookUps = calls.map(({ method }) => method).filter((method) => method.endsWith('Token'))
    expect(lookUps).toEqual(['findAccessToken', 'findRefreshToken'])
  })

  it('says the narrowed scope of a narrowed token [INT-02]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signInPortfolio(school)
    const narrow = await tokensOf(
      await refresh(school, refresh_token, { ...PORTFOLIO_FORM, scope: 'openid' }),
    )
    expect(await answerOf(school, narrow.access_token)).toMatchObject([200, { scope: 'openid' }])
    expect(await answerOf(school, narrow.refresh_token)).toMatchObject([
      200,
      { scope: ACTIVE.scope },
    ])
  })

  it.each(['access_token', 'refresh_token', 'x'])(
    'does not depend on token_type_hint=%s',
    async (token_type_hint) => {
      const school = await createSchool()
      const { access_token } = await signInPortfolio(school)
      expect(await answerOf(school, access_token, { token_type_hint })).toMatchObject([
        200,
        { active: true },
      ])
    },
  )

  it('answers plain JSON to whoever would rather have a JWT [INT-07]', async () => {
    const school = await createSchool()
    const { access_token } = await signInPortfolio(school)
    const headers = { accept: 'application/token-introspection+jwt' }
    const response = await post(
      school,
      INTROSPECT,
      { token: access_token, ...PORTFOLIO_FORM },
      headers,
    )
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('is for every token of the site where the caller is a resource server [INT-02]', async () => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    await school.store.insertClient(DESK_CLI)
    const member = await signIn(school)
    const operator = await signIn(school, DESK_REQUEST, { person: OWNER })
    expect(await answerOf(school, member.access_token)).toMatchObject([
      200,
      { client_id: 'study-buddy' },
    ])
    expect(await answerOf(school, operator.access_token)).toMatchObject([
      200,
      { client_id: DESK_CLI.clientId, sub: OWNER.subject, aud: ISSUER },
    ])
  })

  it('tells a resource server what a gate decides with, and no one else [INT-08]', async () => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    await school.store.insertClient(DESK_CLI)
    const member = await signIn(school)
    const told = { ...ACTIVE, exp: T + 3600, token_type: 'Bearer' }
    expect(await answerOf(school, member.access_token)).toEqual([
      200,
      {
        ...told,
        client_id: 'study-buddy',
        scope: 'openid account:read',
        grant_id: expect.any(String),
        token_scope: 'openid account:read',
        client_name: 'Study Buddy',
        client_kind: 'member',
        client_scope: 'account:read',
        org_id: STUDENT.orgId,
        roles: ['student'],
      },
    ])
    const { access_token: own } = await signInPortfolio(school)
    expect(await answerOf(school, own)).toMatchObject([
      200,
      { client_scope: PORTFOLIO_HUB.scopes!.join(' ') },
    ])
    const [, refreshed] = await answerOf(school, member.refresh_token)
    expect(Object.keys(refreshed as object)).toEqual(Object.keys({ ...ACTIVE, exp: 0 }))
    const operator = await signIn(school, DESK_REQUEST, { person: OWNER })
    school.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
    const [, narrowed] = await answerOf(school, operator.access_token)
    expect(narrowed).toMatchObject({
      scope: 'openid courses:read',
      token_scope: 'openid courses:read courses:write',
      client_kind: DESK_CLI.kind,
      roles: ['assistant'],
    })
    expect(narrowed).not.toHaveProperty('client_scope')
  })
})

describe('introspection of anything else is {"active":false} and no more', () => {
  it.each(['x', 'hpa_'.padEnd(47, 'A'), "' OR 1=1--", '\u0000', '{"$gt":""}', 'x'.repeat(10_000)])(
    'for what is no token: %.20j [INT-03, ST-04]',
    async (token) => {
      expect(await answerOf(await createSchool(), token)).toEqual(INACTIVE)
    },
  )

  it('for a forged JWT that names a live token [INT-04]', async () => {
    const school = await createSchool()
    const { access_token, id_token } = await signInPortfolio(school)
    const jwt = [{ alg: 'none' }, { active: true, jti: access_token, sub: 'mem_ines' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    expect(await answerOf(school, `${jwt}.`)).toEqual(INACTIVE)
    expect(await answerOf(school, id_token!)).toEqual(INACTIVE)
  })

  it('for an authorization code [INT-03]', async () => {
    const school = await createSchool()
    expect(await answerOf(school, await approve(school, PORTFOLIO_REQUEST))).toEqual(INACTIVE)
  })

  it('for an access token from the second it expires [INT-03]', async () => {
    const school = await createSchool()
    const { access_token } = await signInPortfolio(school)
    school.clock.now = T + 3599
    expect(await answerOf(school, access_token)).toMatchObject([200, { active: true }])
    school.clock.now = T + 3600
    expect(await answerOf(school, access_token)).toEqual(INACTIVE)
  })

  it('for a refresh token that lay 30 days [INT-03]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signInPortfolio(school)
    school.clock.now = T + 30 * 86_400
    expect(await answerOf(school, refresh_token)).toEqual(INACTIVE)
  })

  it('for a refresh token that was rotated [INT-03]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signInPortfolio(school)
    const next = await tokensOf(await refresh(school, refresh_token, PORTFOLIO_FORM))
    expect(await answerOf(school, refresh_token)).toEqual(INACTIVE)
    expect(await answerOf(school, next.refresh_token)).toMatchObject([200, { active: true }])
  })

  it('for what was revoked, alone or with its grant [INT-03]', async () => {
    const school = await createSchool()
    const tokens = await signInPortfolio(school)
    await post(school, '/api/oauth/revoke', { token: tokens.access_token, ...PORTFOLIO_FORM })
    expect(await answerOf(school, tokens.access_token)).toEqual(INACTIVE)
    expect(await answerOf(school, tokens.refresh_token)).toMatchObject([200, { active: true }])
    const next = await tokensOf(await refresh(school, tokens.refresh_token, PORTFOLIO_FORM))
    await post(school, '/api/oauth/revoke', { token: next.refresh_token, ...PORTFOLIO_FORM })
    expect(await answerOf(school, next.access_token)).toEqual(INACTIVE)
    expect(await answerOf(school, next.refresh_token)).toEqual(INACTIVE)
  })

  it('for the tokens of a code that was replayed [INT-03]', async () => {
    const school = await createSchool()
    const code = await approve(school, PORTFOLIO_REQUEST)
    const tokens = await tokensOf(await redeem(school, code, PORTFOLIO_FORM))
    school.clock.now += 6
    await redeem(school, code, PORTFOLIO_FORM)
    expect(await answerOf(school, tokens.access_token)).toEqual(INACTIVE)
  })

  it('for the token of another client [INT-03, INT-05]', async () => {
    const school = await createSchool()
    const { access_token, refresh_token } = await signIn(school)
    expect(await answerOf(school, access_token)).toEqual(INACTIVE)
    expect(await answerOf(school, refresh_token)).toEqual(INACTIVE)
  })

  it('for the token of another site, also for a resource server [INT-05, F-20]', async () => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    const { access_token } = await signInPortfolio(await createSchool())
    expect(await answerOf(school, access_token)).toEqual(INACTIVE)
  })

  it('for a person who is gone or suspended [INT-03]', async () => {
    const school = await createSchool()
    const { access_token, refresh_token } = await signInPortfolio(school)
    school.people.delete(STUDENT.subject)
    expect(await answerOf(school, access_token)).toEqual(INACTIVE)
    expect(await answerOf(school, refresh_token)).toEqual(INACTIVE)
  })

  it.each<[string, (client: Client) => Client | null]>([
    ['switched off', (client) => ({ ...client, disabled: true })],
    ['gone', () => null],
  ])('for a client that is %s [INT-03]', async (_, change) => {
    let changing = false
    const store = withClient(createMemoryStore(), (client) =>
      changing && client?.clientId === 'study-buddy' ? change(client) : client,
    )
    const school = await createSchool({
      store,
      options: { introspectionClientIds: ['portfolio-hub'] },
    })
    const { access_token } = await signIn(school)
    expect(await answerOf(school, access_token)).toMatchObject([200, { active: true }])
    changing = true
    expect(await answerOf(school, access_token)).toEqual(INACTIVE)
  })
})

describe('introspection is refused', () => {
  it.each<[string, Fields]>([
    ['nobody', { client_id: null, client_secret: null }],
    ['a secret without a client', { client_id: null }],
  ])('to %s [INT-01]', async (_, changes) => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    expect(await refusalOf(await introspect(school, access_token, changes))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'client_id is required' },
    ])
    expect(school.refusals.map(({ reason }) => reason)).toEqual(['client_id_missing'])
  })

  it.each<[string, Fields, Record<string, string>, string]>([
    ['an unknown client', { client_id: 'nobody' }, {}, 'client_unknown'],
    [
      'a public client',
      { client_id: 'study-buddy', client_secret: null },
      {},
      'client_not_confidential',
    ],
    ['a public client with a secret', { client_id: 'study-buddy' }, {}, 'client_secret_unexpected'],
    [
      'a vendor platform',
      { client_id: 'acme-agents', client_secret: null },
      {},
      'client_not_confidential',
    ],
    ['a client without its secret', { client_secret: null }, {}, 'client_secret_missing'],
    ['a client with a wrong secret', { client_secret: 'wrong' }, {}, 'client_secret_mismatch'],
    [
      'a bearer token',
      { client_secret: null },
      { authorization: 'Bearer x' },
      'client_auth_method_not_supported',
    ],
    ['a client that is switched off', { client_id: 'off' }, {}, 'client_disabled'],
  ])('to %s [INT-01]', async (_, changes, headers, reason) => {
    const school = await createSchool()
    await school.store.insertClient({ ...PORTFOLIO_HUB, clientId: 'off', disabled: true })
    const { access_token } = await signInPortfolio(school)
    const response = await post(
      school,
      INTROSPECT,
      { token: access_token, ...PORTFOLIO_FORM, ...changes },
      headers,
    )
    const sent = 'authorization' in headers ? 'header' : 'secret'
    const isBare = sent === 'secret' && changes['client_secret'] === null
    expect(await refusalOf(response)).toEqual(notAuthenticated(isBare ? 'no secret' : sent))
    expect(school.refusals).toMatchObject([{ endpoint: 'introspect', reason }])
  })

  it.each<[string, Fields, string]>([
    ['without a token', { token: null }, 'token is required'],
    ['with an empty token', { token: '' }, 'token is required'],
    ['with two tokens', { token: ['x', 'y'] }, 'a parameter was sent more than once'],
  ])('%s [INT-06]', async (_, changes, error_description) => {
    expect(await answerOf(await createSchool(), 'x', changes)).toEqual([
      400,
      { error: 'invalid_request', error_description },
    ])
  })

  it.each(['GET', 'PUT', 'DELETE'])('with %s [INT-06]', async (method) => {
    const response = await (await createSchool()).fetch(ISSUER + INTROSPECT, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('introspection after the person or the client lost something', () => {
  it.each<[string, Person, object]>([
    ['nothing is active of a person without a role', { ...OWNER, roles: [] }, { active: false }],
    [
      'a role that allows less shows',
      { ...OWNER, roles: ['assistant'] },
      { scope: 'openid courses:read' },
    ],
  ])('%s [RS-07, AUTH-20]', async (_, changed, answer) => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    await school.store.insertClient(DESK_CLI)
    const { access_token } = await signIn(school, DESK_REQUEST, { person: OWNER })
    school.people.set(OWNER.subject, changed)
    expect(await answerOf(school, access_token)).toMatchObject([200, answer])
  })

  it('states what was allowed in token responses, and what has an effect at introspection [INT-02]', async () => {
    const school = await createSchool({ options: { introspectionClientIds: ['portfolio-hub'] } })
    await school.store.insertClient(DESK_CLI)
    const [lecturer, scope] = [{ ...OWNER, roles: ['lecturer'] }, 'openid courses:read orders:read']
    const first = await signIn(school, { ...DESK_REQUEST, scope }, { person: lecturer })
    const second = await tokensOf(
      await refresh(school, first.refresh_token, { client_id: DESK_CLI.clientId }),
    )
    expect([first.scope, second.scope]).toEqual([scope, scope])
    const states = async (changed: Person): Promise<unknown[]> => {
      school.people.set(OWNER.subject, changed)
      const tokens = [first.access_token, second.access_token, second.refresh_token]
      const answers = await Promise.all(tokens.map((token) => answerOf(school, token)))
      return answers.map(([, body]) => (body as { scope: string }).scope)
    }
    expect(await states(lecturer)).toEqual(Array(3).fill('openid courses:read'))
    expect(await states(OWNER)).toEqual(Array(3).fill(scope))
  })
})
