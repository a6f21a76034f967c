import { hashToken } from 'hallpass/token'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stagesOf, watchedSchool } from '../attempts/support.js'
import { createDocumentSchool, NOTES_REQUEST } from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  PORTFOLIO,
  REDIRECT,
  STATE,
} from '../support/school/flow.js'
import { recordingStore } from '../support/school/stores.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'

const QUERY_URI = 'https://portfolio.example/cb?tenant=7&x=a%20b'

/** The one redirect of a request, taken apart: where to, and each parameter once. */
const challenge = (code_challenge: string): Fields => ({ code_challenge })
/** What is wrong with a request, and is told the client by a redirect. */
const REFUSED: readonly (readonly [string, Fields, string, string])[] = [
  ['no response_type [AUTH-08]', { response_type: null }, 'invalid_request', 'response_type_missing'],
  ['response_type=token [AUTH-08]', { response_type: 'token' }, 'unsupported_response_type', 'response_type_not_supported'],
  ['response_type=code id_token [AUTH-08]', { response_type: 'code id_token' }, 'unsupported_response_type', 'response_type_not_supported'],
  ['response_type=none [AUTH-08]', { response_type: 'none' }, 'unsupported_response_type', 'response_type_not_supported'],
  ['response_mode=fragment [AUTH-09]', { response_mode: 'fragment' }, 'invalid_request', 'response_mode_not_supported'],
  ['response_mode=form_post [AUTH-09]', { response_mode: 'form_post' }, 'invalid_request', 'response_mode_not_supported'],
  ['response_mode=web_message [AUTH-09]', { response_mode: 'web_message' }, 'invalid_request', 'response_mode_not_supported'],
  ['response_mode twice [AUTH-09]', { response_mode: ['query', 'query'] }, 'invalid_request', 'parameter_repeated'],
  ['scope twice [AUTH-05]', { scope: ['openid', 'account:read'] }, 'invalid_request', 'parameter_repeated'],
  ['code_challenge twice [AUTH-05]', { code_challenge: ['x', 'y'] }, 'invalid_request', 'parameter_repeated'],
  ['an unknown parameter twice [AUTH-05]', { foo: ['1', '1'] }, 'invalid_request', 'parameter_repeated'],
  ['no code_challenge [AUTH-10]', { code_challenge: null }, 'invalid_request', 'code_challenge_missing'],
  ['no code_challenge of a confidential client [AUTH-10]', { ...PORTFOLIO, code_challenge: null }, 'invalid_request', 'code_challenge_missing'],
  ['no code_challenge_method, which would mean plain [AUTH-11]', { code_challenge_method: null }, 'invalid_request', 'code_challenge_method_missing'],
  ['plain [AUTH-11]', { code_challenge_method: 'plain' }, 'invalid_request', 'code_challenge_method_not_supported'],
  ['s256 [AUTH-11]', { code_challenge_method: 's256' }, 'invalid_request', 'code_challenge_method_not_supported'],
  ['S512 [AUTH-11]', { code_challenge_method: 'S512' }, 'invalid_request', 'code_challenge_method_not_supported'],
  ['a challenge of 42 characters [AUTH-12]', challenge('A'.repeat(42)), 'invalid_request', 'code_challenge_malformed'],
  ['a challenge of 44 characters [AUTH-12]', challenge('A'.repeat(44)), 'invalid_request', 'code_challenge_malformed'],
  ['a challenge in base64 [AUTH-12]', challenge(`${'A'.repeat(41)}+A`), 'invalid_request', 'code_challenge_malformed'],
  ['a padded challenge [AUTH-12]', challenge(`${'A'.repeat(43)}=`), 'invalid_request', 'code_challenge_malformed'],
  ['a request object [AUTH-13]', { request: 'e30.e30.' }, 'request_not_supported', 'request_object_not_supported'],
  ['a request_uri [AUTH-13]', { request_uri: 'https://evil.test/r' }, 'request_uri_not_supported', 'request_uri_not_supported'],
  ['an operator client that asks account:read [AUTH-15]', { ...DESK_REQUEST, scope: 'openid account:read' }, 'invalid_scope', 'scope_of_other_audience'],
  ['an operator client that asks account:write [AUTH-15]', { ...DESK_REQUEST, scope: 'account:write' }, 'invalid_scope', 'scope_of_other_audience'],
  ['a member client that asks an operator scope [AUTH-17]', { scope: 'openid courses:read' }, 'invalid_scope', 'scope_of_other_audience'],
  ['a member client that asks what nobody picked [AUTH-17]', { scope: 'openid account:write' }, 'invalid_scope', 'scope_not_allowed_for_client'],
  ['a vendor that asks beyond its cap', { client_id: 'acme-agents', redirect_uri: 'https://agents.acme.example/callback', scope: 'orders:read' }, 'invalid_scope', 'scope_not_allowed_for_client'],
  ['an unknown scope [AUTH-16]', { scope: 'openid <script>' }, 'invalid_scope', 'scope_unknown'],
  ['__proto__ as a scope [AUTH-16]', { scope: '__proto__' }, 'invalid_scope', 'scope_unknown'],
  ['a quote in the scope [AUTH-16]', { scope: 'openid "' }, 'invalid_scope', 'scope_malformed'],
  ['a scope of spaces [AUTH-16]', { scope: '  ' }, 'invalid_scope', 'scope_missing'],
  ['a tab in the scope [AUTH-16]', { scope: 'openid\temail' }, 'invalid_scope', 'scope_malformed'],
  ['a line break in the scope [AUTH-16]', { scope: 'openid\r\nx' }, 'invalid_scope', 'scope_malformed'],
  ['no scope [D-08]', { scope: null }, 'invalid_scope', 'scope_missing'],
  ['offline_access alone', { scope: 'offline_access' }, 'invalid_scope', 'scope_missing'],
  ['a member client without resource [AUTH-18]', { resource: null }, 'invalid_target', 'resource_missing'],
  ['another origin [AUTH-18]', { resource: 'https://other.example' }, 'invalid_target', 'resource_unknown'],
  ['a resource with a fragment [AUTH-18]', { resource: `${ISSUER}#x` }, 'invalid_target', 'resource_unknown'],
  ['a relative resource [AUTH-18]', { resource: '/mcp' }, 'invalid_target', 'resource_unknown'],
  ['a path in capitals [AUTH-18]', { resource: `${ISSUER}/MCP` }, 'invalid_target', 'resource_unknown'],
  ['two resources, one wrong [AUTH-18]', { resource: [ISSUER, 'https://other.example'] }, 'invalid_target', 'resource_unknown'],
  ['an operator client with another origin [AUTH-18]', { ...DESK_REQUEST, resource: 'https://other.example' }, 'invalid_target', 'resource_unknown'],
  ['a negative max_age [AUTH-24]', { max_age: '-1' }, 'invalid_request', 'max_age_malformed'],
  ['a max_age in words [AUTH-24]', { max_age: '1e3' }, 'invalid_request', 'max_age_malformed'],
  ['prompt=none login [AUTH-24]', { prompt: 'none login' }, 'invalid_request', 'prompt_malformed'],
  ['a nonce over 512 characters', { nonce: 'n'.repeat(513) }, 'invalid_request', 'nonce_malformed'],
  ['a control character in the nonce', { nonce: 'a\u0000b' }, 'invalid_request', 'nonce_malformed'],
] // prettier-ignore

function redirectOf(response: Response): readonly [string, Record<string, string>] {
  expect(response.status).toBe(303)
  const url = new URL(response.headers.get('location')!)
  const parameters = Object.fromEntries(url.searchParams)
  expect([...url.searchParams.keys()]).toEqual(Object.keys(parameters))
  return [url.origin + url.pathname, parameters]
}

async function expectRedirected(changes: Fields, error: string, reason: string): Promise<void> {
  const school = await createSchool()
  await school.store.insertClient(DESK_CLI)
  const response = await school.fetch(authorizationUrl(changes))
  const target = (changes['redirect_uri'] ?? REDIRECT) as string
  expect(redirectOf(response)).toEqual([
    target,
    {
      error,
      error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
      state: STATE,
      iss: ISSUER,
    },
  ])
  expect(response.headers.has('set-cookie')).toBe(false)
  const clientId = (changes['client_id'] ?? 'study-buddy') as string
  expect(school.refusals).toEqual([{ at: T, endpoint: 'authorize', error, reason, clientId }])
}

async function expectPage(url: URL, error: string, reason: string, status = 400): Promise<void> {
  const { store, calls } = recordingStore()
  const school = await createSchool({ store })
  const response = await school.fetch(url)
  expect([response.status, response.headers.get('location')]).toEqual([status, null])
  expect(school.view).toEqual({
    page: 'error',
    view: { status, error, reason, description: expect.stringMatching(/^[\x20-\x7e]+$/) },
  })
  expect(school.refusals).toMatchObject([{ endpoint: 'authorize', error, reason }])
  expect(calls.filter(({ method }) => method === 'savePending')).toEqual([])
}

describe('a valid authorization request', () => {
  it('comes back with code, state and iss, each once [AUTH-01, AUTH-27, AUTH-32]', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const callback = await createBrowser(school).authorize(authorizationUrl())
    expect(callback.origin + callback.pathname).toBe(REDIRECT)
    expect([...callback.searchParams]).toEqual([
      ['code', expect.stringMatching(/^hpc_[\w-]{43}$/)],
      ['state', STATE],
      ['iss', ISSUER],
    ])
  })

  it('keeps the query that the redirect URI has [AUTH-01]', async () => {
    const school = await createSchool()
    await school.store.insertClient({
      ...STUDY_BUDDY, clientId: 'web', redirectUris: [QUERY_URI],
    }) // prettier-ignore
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ client_id: 'web', redirect_uri: QUERY_URI }))
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    const answer = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect(answer.headers.get('location')).toMatch(
      /^https:\/\/portfolio\.example\/cb\?tenant=7&x=a%20b&code=hpc_[\w-]{43}&state=/,
    )
  })

  it('is kept under hashes, bound to the browser by a __Host- cookie [AUTH-33, UX-06, ST-01]', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const response = await school.fetch(
      authorizationUrl({ nonce: 'n-1', login_hint: 'a@b.c', ui_locales: 'ar' }),
    )
    expect(response.status).toBe(303)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const id = /^\/oauth\/interaction\/([\w-]{43})$/.exec(response.headers.get('location')!)![1]!
    const cookie = /^__Host-hallpass=([\w-]{43}); Path=\/; HttpOnly; SameSite=Lax; Secure$/.exec(
      response.headers.get('set-cookie')!,
    )![1]!
    expect(calls.at(-1)).toEqual({
      method: 'savePending',
      parameters: [
        {
          idHash: hashToken(id),
          browserHash: hashToken(cookie),
          clientId: 'study-buddy',
          redirectUri: REDIRECT,
          scopes: ['openid', 'account:read'],
          resource: ISSUER,
          resourceSent: true,
          state: STATE,
          codeChallenge: authorizationUrl().searchParams.get('code_challenge'),
          nonce: 'n-1',
          prompt: [],
          maxAge: null,
          loginHint: 'a@b.c',
          uiLocales: ['ar'],
          hintedHash: null,
          createdAt: T,
          expiresAt: T + 600,
        },
      ],
      result: undefined,
    })
    expect(school.events).toEqual([
      {
        type: 'oauth.authorization.requested',
        at: T,
        clientId: 'study-buddy',
        scopes: ['openid', 'account:read'],
      },
    ])
  })

  it('uses a cookie without __Host- on http loopback, where browsers refuse that prefix', async () => {
    const issuer = 'http://127.0.0.1:4000'
    const school = await createSchool({ issuer })
    const url = authorizationUrl({ resource: issuer })
    const response = await school.fetch(`${issuer}${url.pathname}${url.search}`)
    expect(response.headers.get('set-cookie')).toMatch(
      /^hallpass=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  it.each([
    ['parameters nobody knows', { extra: 'foobar' }],
    [
      'what OpenID Connect allows [AUTH-25]',
      {
        display: 'popup',
        ui_locales: 'de zh-TW',
        claims_locales: 'de',
        acr_values: '1',
        claims: '{"userinfo":{}}',
        login_hint: 'x@y.z',
        id_token_hint: 'x',
      },
    ],
    ['scopes the other way round', { scope: 'account:read openid' }],
    ['a scope twice and offline_access', { scope: 'openid account:read openid offline_access' }],
    ['response_mode=query', { response_mode: 'query' }],
    ['an empty parameter, which counts as absent', { response_mode: '', nonce: '' }],
    ['the same resource in two spellings', { resource: [ISSUER, `${ISSUER}/mcp`] }],
    ['a nonce of 64 characters [AUTH-29]', { nonce: 'n'.repeat(64) }],
    ['another port on loopback [AUTH-06]', { redirect_uri: 'http://127.0.0.1:50123/callback' }],
    ['no port on loopback [AUTH-06]', { redirect_uri: 'http://127.0.0.1/callback' }],
  ])('takes %s [AUTH-14]', async (_, changes) => {
    const code = await approve(await createSchool(), changes)
    expect(code).toMatch(/^hpc_/)
  })

  it.each(['', '/', '/mcp', '/account/graphql'])(
    'binds the resource %j of the origin to the origin [DISC-13]',
    async (path) => {
      const school = await createSchool()
      const code = await approve(school, { resource: ISSUER + path })
      expect((await school.store.findCode(hashToken(code)))?.resource).toBe(ISSUER)
    },
  )

  it('needs no resource of an operator client, and binds it to the origin', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const code = await approve(school, { ...DESK_REQUEST, resource: null }, OWNER)
    expect(await school.store.findCode(hashToken(code))).toMatchObject({
      resource: ISSUER,
      resourceSent: false,
    })
  })

  it.each(['x', 'x'.repeat(2048), '林 🎨', 'a+b c', '&state=2#"<>', '%00%0d%0a'])(
    'brings the state back byte for byte: %j [AUTH-28]',
    async (state) => {
      const school = await createSchool()
      school.signedIn = { subject: STUDENT.subject, authTime: T }
      const callback = await createBrowser(school).authorize(authorizationUrl({ state }))
      expect(callback.searchParams.getAll('state')).toEqual([state])
    },
  )

  it.each([' openid account:read', 'openid account:read ', 'openid   account:read'])(
    'reads the scope %j as without the further spaces [AUTH-43]',
    async (scope) => {
      const school = await createSchool()
      const code = await approve(school, { scope })
      expect((await school.store.findCode(hashToken(code)))?.scopes).toEqual([
        'openid',
        'account:read',
      ])
    },
  )

  it('may go without state and scope where the school says so [D-08]', async () => {
    const school = await createSchool({
      options: { requireState: false, defaultScopes: ['openid', 'account:read'] },
    })
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const url = authorizationUrl({ state: null, scope: null })
    const callback = await createBrowser(school).authorize(url)
    expect([...callback.searchParams.keys()]).toEqual(['code', 'iss'])
    const code = callback.searchParams.get('code')!
    expect((await school.store.findCode(hashToken(code)))?.scopes).toEqual([
      'openid',
      'account:read',
    ])
  })
})

describe('an authorization request that names no client or redirect URI it can trust', () => {
  it.each([
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client', 'client_unknown'],
    ['no client', { client_id: null }, 'invalid_request', 'client_id_missing'],
    ['an empty client', { client_id: '' }, 'invalid_request', 'client_id_missing'],
    [
      'a client twice',
      { client_id: ['study-buddy', 'nobody'] },
      'invalid_request',
      'parameter_repeated',
    ],
    [
      'a metadata document',
      { client_id: 'https://app.test/client.json' },
      'invalid_client',
      'documents_not_supported',
    ],
    ['__proto__', { client_id: '__proto__' }, 'invalid_client', 'client_unknown'],
    ['an injection', { client_id: "' OR 1=1--" }, 'invalid_client', 'client_unknown'],
  ])(
    'gets a page for %s and is redirected nowhere [AUTH-02]',
    async (_, changes, error, reason) => {
      await expectPage(authorizationUrl(changes), error, reason)
    },
  )

  it.each([
    null, '', 'https://evil.test/cb', `${REDIRECT}/x`, `${REDIRECT}/`, `${REDIRECT}?a=1`, `${REDIRECT}#x`,
    'http://127.0.0.1:7777/Callback', 'http://127.0.0.1:7777/%63allback', 'HTTP://127.0.0.1:7777/callback',
    'http://127.0.0.1:7777/x/../callback', 'http://127.0.0.1:7777\\callback', `${REDIRECT}\t`, ` ${REDIRECT}`,
    'http://127.0.0.1:07777/callback', 'http://127.0.0.1:99999/callback', 'http://127.0.0.1:/callback',
    'http://localhost:7777/callback', 'http://[::1]:7777/callback', 'https://127.0.0.1:7777/callback',
    'http://127.1:7777/callback', 'http://u@127.0.0.1:7777/callback', 'http://127.0.0.1:7777@evil.test/callback',
    `${REDIRECT}\u0000`, `${REDIRECT}\r\nSet-Cookie: a=b`,
  ])('gets a page for the redirect URI %j [AUTH-03, AUTH-07, UX-16]', async (redirect_uri) => {
    const reason =
      redirect_uri === null || redirect_uri === ''
        ? 'redirect_uri_missing'
        : 'redirect_uri_not_registered'
    await expectPage(authorizationUrl({ redirect_uri }), 'invalid_request', reason)
  }) // prettier-ignore

  it.each([
    [[REDIRECT, 'https://evil.test/cb']],
    [['https://evil.test/cb', REDIRECT]],
    [[REDIRECT, REDIRECT]],
  ])('gets a page for two redirect URIs %j [AUTH-04]', async (redirect_uri) => {
    await expectPage(authorizationUrl({ redirect_uri }), 'invalid_request', 'parameter_repeated')
  })

  it('gets a page for a client that is switched off [AUTH-34]', async () => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'off', disabled: true })
    const response = await school.fetch(authorizationUrl({ client_id: 'off' }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.refusals).toMatchObject([{ error: 'invalid_client', reason: 'client_disabled' }])
  })

  it.each([
    ['a target over 8 KiB', authorizationUrl({ extra: 'x'.repeat(8192) })],
    [
      '300 parameters',
      authorizationUrl(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, '1']))),
    ],
  ])('gets a page with 414 for %s [AUTH-35]', async (_, url) => {
    await expectPage(url, 'invalid_request', 'request_too_long', 414)
  })
})

describe('an authorization request that is refused at its redirect URI', () => {
  it.each(REFUSED)('for %s', async (_, changes, error, reason) => {
    await expectRedirected(changes, error, reason)
  })

  it.each(REFUSED)(
    'with the state that it came with, byte for byte, for %s [AUTH-28]',
    async (_, changes) => {
      const school = await createSchool()
      await school.store.insertClient(DESK_CLI)
      const states = fc.string({ unit: 'binary', minLength: 1, maxLength: 600 })
      await fc.assert(
        fc.asyncProperty(states, async (state) => {
          const url = authorizationUrl({ ...changes, state })
          fc.pre(url.pathname.length + url.search.length <= 8192)
          const location = new URL((await school.fetch(url)).headers.get('location')!)
          expect(location.searchParams.getAll('state')).toEqual([state])
        }),
        { numRuns: 8 },
      )
    },
  )

  it.each([
    ['no state', { state: null }, 'state_missing'],
    ['two states', { state: ['a', 'b'] }, 'parameter_repeated'],
  ])('for %s, without a state [AUTH-05, AUTH-28]', async (_, changes, reason) => {
    const school = await createSchool()
    const [, parameters] = redirectOf(await school.fetch(authorizationUrl(changes)))
    expect(Object.keys(parameters)).toEqual(['error', 'error_description', 'iss'])
    expect(parameters['error']).toBe('invalid_request')
    expect(school.refusals).toMatchObject([{ reason }])
  })

  it.each([
    ['a line break', 'a\r\nSet-Cookie: x=y'],
    ['a NUL', 'a\u0000'],
    ['more than 2 KiB', 'x'.repeat(2049)],
    ['as much as a request holds', 'x'.repeat(7800)],
  ])('for %s in the state, which comes back all the same [AUTH-28]', async (_, state) => {
    const school = await createSchool()
    const response = await school.fetch(authorizationUrl({ state }))
    expect(redirectOf(response)[1]).toMatchObject({ error: 'invalid_request', state })
    expect([...response.headers.keys()]).not.toContain('set-cookie')
    expect(school.refusals).toMatchObject([{ reason: 'state_malformed' }])
  })

  it('for an unknown scope of a loopback client, before anybody has signed in', async () => {
    await expectRedirected({ ...DESK_REQUEST, scope: 'nothing' }, 'invalid_scope', 'scope_unknown')
  })
})

describe('prompt=none', () => {
  const silent = async (school: School, changes: Fields = {}): Promise<Record<string, string>> =>
    redirectOf(await school.fetch(authorizationUrl({ prompt: 'none', ...changes })))[1]
  const rememberedConsent = async (): Promise<School> => {
    const school = await createSchool()
    await approve(school, PORTFOLIO)
    return school
  }

  it('says login_required where nobody is signed in [AUTH-22]', async () => {
    expect(await silent(await createSchool())).toMatchObject({
      error: 'login_required',
      state: STATE,
      iss: ISSUER,
    })
  })

  it('says consent_required where nobody allowed it yet [AUTH-22]', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    expect(await silent(school, PORTFOLIO)).toMatchObject({ error: 'consent_required' })
  })

  it('gives a code for a consent that is remembered [AUTH-22]', async () => {
    const school = await rememberedConsent()
    expect(Object.keys(await silent(school, PORTFOLIO))).toEqual(['code', 'state', 'iss'])
    expect(school.events.at(-1)).toMatchObject({
      type: 'oauth.authorization.approved',
      remembered: true,
    })
  })

  it.each<[string, Fields]>([
    ['more scopes', { scope: 'openid email account:read' }],
    ['fewer scopes', { scope: 'openid' }],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:7778/callback' }],
  ])('asks again for %s [UX-09]', async (_, changes) => {
    const school = await rememberedConsent()
    const answer = await silent(school, { ...PORTFOLIO, ...changes })
    expect(answer['error']).toBe('consent_required')
  })

  it('asks again for another person [UX-09]', async () => {
    const school = await rememberedConsent()
    school.signedIn = { subject: OWNER.subject, authTime: T }
    expect((await silent(school, PORTFOLIO))['error']).toBe('consent_required')
  })

  it('is never silent for public clients on loopback [AUTH-22, UX-08]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    await approve(school)
    expect((await silent(school))['error']).toBe('consent_required')
    await approve(school, DESK_REQUEST, OWNER)
    expect((await silent(school, DESK_REQUEST))['error']).toBe('consent_required')
  })

  it('is never silent for a client that registered itself, with a secret or without [AUTH-22, UX-08]', async () => {
    const school = await createSchool()
    for (const tokenEndpointAuthMethod of ['none', 'client_secret_post'] as const) {
      const clientId = `app_${tokenEndpointAuthMethod}`
      await school.store.insertClient({ ...DESK_CLI, clientId, tokenEndpointAuthMethod })
      const request = { ...DESK_REQUEST, client_id: clientId }
      await approve(school, request, OWNER)
      expect((await silent(school, request))['error']).toBe('consent_required')
    }
  })

  it('answers equally whether a role or only a consent is missing [AUTH-19, AUTH-22]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const unasked = await silent(school, DESK_REQUEST)
    expect(unasked).toMatchObject({ error: 'consent_required', state: STATE, iss: ISSUER })
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    expect(await silent(school, DESK_REQUEST)).toEqual(unasked)
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    expect(await silent(school, DESK_REQUEST)).toEqual(unasked)
    expect(school.refusals.map(({ reason }) => reason)).toEqual([
      'consent_missing',
      'person_not_staff',
      'person_has_no_role',
    ])
  })

  it('gives no code for a remembered consent of a person who lost every role [AUTH-19]', async () => {
    const school = await rememberedConsent()
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    expect((await silent(school, PORTFOLIO))['error']).toBe('consent_required')
    school.people.delete(STUDENT.subject)
    expect((await silent(school, PORTFOLIO))['error']).toBe('login_required')
  })

  it('says login_required where the sign-in is older than max_age [AUTH-23]', async () => {
    const school = await rememberedConsent()
    school.clock.now = T + 2
    expect((await silent(school, { ...PORTFOLIO, max_age: '1' }))['error']).toBe('login_required')
    expect(await silent(school, { ...PORTFOLIO, max_age: '2' })).toHaveProperty('code')
  })

  it('asks whoever knows: a person who is signed in but unknown here is signed out', async () => {
    const school = await rememberedConsent()
    school.signedIn = { subject: 'mem_nobody', authTime: T }
    expect((await silent(school, PORTFOLIO))['error']).toBe('login_required')
  })
})

describe('whoever only looks ahead', () => {
  it.each<[string, RequestInit]>([
    ['HEAD', { method: 'HEAD' }],
    ['Sec-Purpose: prefetch', { headers: { 'sec-purpose': 'prefetch' } }],
    ['Sec-Purpose: prefetch;prerender', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    ['Purpose: prefetch', { headers: { purpose: 'prefetch' } }],
  ])('gets nothing with %s, and nothing is kept [AUTH-31]', async (_, init) => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    await approve(school, PORTFOLIO)
    const before = calls.length
    const response = await school.fetch(authorizationUrl({ ...PORTFOLIO, prompt: 'none' }), init)
    expect([response.status, await response.text(), response.headers.get('location')]).toEqual([
      204,
      '',
      null,
    ])
    expect(calls.slice(before)).toEqual([])
  })
})

describe('an authorization request by POST', () => {
  const sendForm = (school: School, body: string, query = ''): Promise<Response> =>
    school.fetch(`${ISSUER}/oauth/authorize${query}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const formOf = (changes: Fields = {}): string => authorizationUrl(changes).search.slice(1)

  it.each<[string, Fields]>([
    ['a request', {}],
    ['prompt=none', { ...PORTFOLIO, prompt: 'none' }],
    ['a request that is refused', { scope: 'nothing' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['a repeated parameter', { scope: ['openid', 'account:read'] }],
    ['a state that needs escapes', { state: '林 🎨\r\nSet-Cookie: a=b&x=%00' }],
  ])('is the GET with the same parameters, for %s [AUTH-30, AUTH-27]', async (_, changes) => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    await approve(school, PORTFOLIO)
    const before = calls.length
    const response = await sendForm(school, formOf(changes))
    const location = new URL(response.headers.get('location')!, ISSUER)
    expect([response.status, location.origin + location.pathname]).toEqual([
      303,
      `${ISSUER}/oauth/authorize`,
    ])
    expect([...location.searchParams]).toEqual([...authorizationUrl(changes).searchParams])
    expect([calls.slice(before), school.refusals]).toEqual([[], []])
  })

  it('leaves alone what the browser has begun: it sets no cookie and stores nothing', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    // Browsers send no Lax cookie with a form of another site.
    expect((await sendForm(school, formOf())).headers.has('set-cookie')).toBe(false)
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    const allowed = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect(allowed.headers.get('location')).toContain('?code=hpc_')
  })

  it('ends with a code [AUTH-30]', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const { headers } = await sendForm(school, formOf())
    const url = new URL(headers.get('location')!, ISSUER)
    const callback = await createBrowser(school).authorize(url)
    expect([...callback.searchParams.keys()]).toEqual(['code', 'state', 'iss'])
  })

  it('does not read the query', async () => {
    const school = await createSchool()
    const response = await sendForm(school, 'client_id=study-buddy', `?${formOf()}`)
    expect(response.headers.get('location')).toBe('/oauth/authorize?client_id=study-buddy')
  })

  it('gets a page with 414 over 8 KiB, and 413 over 16 [AUTH-35]', async () => {
    const school = await createSchool()
    const response = await sendForm(school, formOf({ extra: 'x'.repeat(8192) }))
    expect([response.status, response.headers.get('location')]).toEqual([414, null])
    expect(school.view).toMatchObject({ view: { reason: 'request_too_long' } })
    // Each of these characters takes three in the query.
    expect((await sendForm(school, `state=${'林'.repeat(1500)}`)).status).toBe(414)
    expect((await sendForm(school, `x=${'x'.repeat(16 * 1024)}`)).status).toBe(413)
  })

  it.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain'])(
    'gets 415 as %s',
    async (type) => {
      const headers = { 'content-type': type }
      const init = { method: 'POST', body: formOf(), headers }
      const response = await (await createSchool()).fetch(`${ISSUER}/oauth/authorize`, init)
      expect(response.status).toBe(415)
    },
  )
})

describe('the length of an authorization request', () => {
  const statusOf = async (url: URL): Promise<number> =>
    (await (await createSchool()).fetch(url)).status

  it('may be 8192 characters and no more', async () => {
    const bare = authorizationUrl({ extra: '' })
    const room = 8192 - (bare.pathname + bare.search).length
    expect(await statusOf(authorizationUrl({ extra: 'x'.repeat(room) }))).toBe(303)
    expect(await statusOf(authorizationUrl({ extra: 'x'.repeat(room + 1) }))).toBe(414)
  })

  it('may be a hundred parameters and no more', async () => {
    const own = [...authorizationUrl().searchParams].length
    const more = (count: number): Fields =>
      Object.fromEntries(Array.from({ length: count - own }, (_, index) => [`p${index}`, '1']))
    expect(await statusOf(authorizationUrl(more(100)))).toBe(303)
    expect(await statusOf(authorizationUrl(more(101)))).toBe(414)
  })
})

describe('the attempt of an authorization request', () => {
  it.each<[string | null, string | null, string]>([
    ['study-buddy', 'Study Buddy', 'authorize'],
    ['nobody', null, 'authorize client_unknown'],
    [null, null, 'authorize client_id_missing'],
  ])('names its client, if it is known: %s [ATT-01]', async (client_id, clientName, step) => {
    const school = await watchedSchool()
    const { status } = await school.fetch(authorizationUrl({ client_id }))
    expect(status).toBe(clientName === null ? 400 : 303)
    const attempt = await school.only()
    expect(attempt).toMatchObject({ clientId: client_id, clientName })
    expect(stagesOf(attempt)).toEqual([step])
    expect(school.faults).toEqual([])
  })
})

describe('the authorization endpoint', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 405 to %s [AUTH-30]', async (method) => {
    const response = await (await createSchool()).fetch(authorizationUrl(), { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD'])
  })

  it('gives codes that do not resemble each other [AUTH-32]', async () => {
    const school = await createSchool()
    await approve(school, PORTFOLIO)
    const codes = new Set<string>()
    for (let time = 0; time < 100; time++) {
      const response = await school.fetch(authorizationUrl({ ...PORTFOLIO, prompt: 'none' }))
      codes.add(redirectOf(response)[1]['code']!)
    }
    expect(codes.size).toBe(100)
    const positions = Array.from(
      { length: 43 },
      (_, at) => new Set([...codes].map((code) => code[at + 4])),
    )
    for (const characters of positions.slice(0, 42)) expect(characters.size).toBeGreaterThan(20)
  })
})

describe('the network of an authorization request', () => {
  it('may have so many requests wait, and is then refused with a page [LIM-09]', async () => {
    const allowances = { requestsOfNetwork: { amount: 1, seconds: 600 } }
    const school = await createSchool({ options: { networkOf: () => 'a', allowances } })
    expect((await school.fetch(authorizationUrl())).status).toBe(303)
    const refused = await school.fetch(authorizationUrl())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
    expect(school.view?.view).toEqual({
      status: 429,
      error: 'temporarily_unavailable',
      reason: 'request_paced',
      description: 'too many authorization requests came from this network: try again later',
    })
  })

  it('is that of the request which fetches a document, and of the one that is kept [LIM-09]', async () => {
    const asked: (string | null)[] = []
    const networkOf = ({ headers }: Request): null => {
      asked.push(headers.get('x-network'))
      return null
    }
    const { school } = await createDocumentSchool({ options: { networkOf } })
    const url = authorizationUrl(NOTES_REQUEST)
    const response = await school.fetch(url, { headers: { 'x-network': 'a' } })
    expect(response.status).toBe(303)
    // Asked once: the payer of a request is made once.
    expect(asked).toEqual(['a'])
    expect(school.faults).toEqual([])
  })
})
