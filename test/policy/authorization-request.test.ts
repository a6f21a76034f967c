import fc from 'fast-check'
import {
  type Client,
  decideAuthorizationRequest,
  decideRedirectUri,
  defineResource,
  LOOPBACK_HOSTS,
  mayRedirectUnasked,
  parseFormParameters,
} from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { ISSUER, STUDY_BUDDY } from '../support/school/school.js'
import { anyUrl } from '../support/http/urls.js'
import { APPENDIX_B } from '../vectors/rfc7636.js'

const policy: Parameters<typeof decideAuthorizationRequest>[0]['policy'] = {
  registry: schoolScopes,
  resource: defineResource(ISSUER),
  requireState: true,
  defaultScopes: null,
  loopbackHosts: LOOPBACK_HOSTS,
}
const REDIRECT = 'http://127.0.0.1:7777/callback'
const VALID = {
  response_type: 'code',
  client_id: 'study-buddy',
  redirect_uri: REDIRECT,
  scope: 'openid account:read',
  resource: ISSUER,
  code_challenge: APPENDIX_B.codeChallenge,
  code_challenge_method: 'S256',
  state: 'xyz',
  nonce: 'n-0S6_WzA2Mj',
}
type Changes = Readonly<Record<string, string | null>>

const queryOf = (changes: Changes): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...VALID, ...changes }))
    if (value !== null) query.set(name, value)
  return query.toString()
}
const decide = (
  query: string,
  client: Client | null = STUDY_BUDDY,
  change: Partial<typeof policy> = {},
): ReturnType<typeof decideAuthorizationRequest> =>
  decideAuthorizationRequest({
    parameters: parseFormParameters(query),
    client,
    policy: { ...policy, ...change },
  })
const ask = (changes: Changes, client: Client | null = STUDY_BUDDY): ReturnType<typeof decide> =>
  decide(queryOf(changes), client)

describe('mayRedirectUnasked', () => {
  const reviewed: Client = { ...STUDY_BUDDY, kind: 'document', scopes: [] }
  it.each<[string, Client, boolean]>([
    ['a document without review', { ...reviewed, scopes: null }, false],
    ['a document with a review that allows no write scope', reviewed, true],
    ['a client that registered itself', DESK_CLI, true],
    ['a vendor', { ...DESK_CLI, kind: 'vendor' }, true],
    ['a member client', STUDY_BUDDY, true],
  ])('decides for %s', (_, client, may) => {
    expect(mayRedirectUnasked(client)).toBe(may)
  })
})

describe('decideAuthorizationRequest', () => {
  it('grants a valid request, whole', () => {
    expect(ask({})).toEqual({
      ok: true,
      request: {
        clientId: 'study-buddy',
        redirectUri: REDIRECT,
        scopes: ['openid', 'account:read'],
        resource: ISSUER,
        resourceSent: true,
        state: 'xyz',
        codeChallenge: APPENDIX_B.codeChallenge,
        nonce: 'n-0S6_WzA2Mj',
        prompt: [],
        maxAge: null,
        loginHint: null,
        uiLocales: [],
      },
    })
  })

  it('does not mind unknown parameters, another order, or display hints', () => {
    const query = `extra=foobar&display=popup&claims_locales=fr&acr_values=x&claims=x&${queryOf({})}`
    expect(decide(query).ok).toBe(true)
    expect(decide(query.split('&').toReversed().join('&'))).toEqual(decide(queryOf({})))
  })

  it('reads prompt, max_age and login_hint', () => {
    expect(ask({ prompt: 'login consent new', max_age: '0', login_hint: 'mei' })).toMatchObject({
      request: { prompt: ['login', 'consent'], maxAge: 0, loginHint: 'mei' },
    })
  })

  it('lets an operator client leave the resource out, and gives it the origin', () => {
    const client: Client = { ...DESK_CLI, redirectUris: [REDIRECT] }
    expect(ask({ resource: null, scope: 'courses:read' }, client)).toMatchObject({
      ok: true,
      request: { resource: ISSUER },
    })
  })

  it.each([
    ['no client_id', { client_id: null }, STUDY_BUDDY, 'invalid_request', 'client_id_missing'],
    ['an unknown client', {}, null, 'invalid_client', 'client_unknown'],
    [
      'a disabled client',
      {},
      { ...STUDY_BUDDY, disabled: true },
      'invalid_client',
      'client_disabled',
    ],
    [
      'no redirect_uri',
      { redirect_uri: null },
      STUDY_BUDDY,
      'invalid_request',
      'redirect_uri_missing',
    ],
    [
      'a foreign redirect_uri',
      { redirect_uri: 'https://evil.test/' },
      STUDY_BUDDY,
      'invalid_request',
      'redirect_uri_not_registered',
    ],
  ] as const)('has only a page for %s', (_, changes, client, error, reason) => {
    expect(ask(changes, client)).toMatchObject({ ok: false, error, reason, redirect: null })
  })

  it.each(['client_id', 'redirect_uri'])(
    'has only a page for a repeated %s, in either order',
    (name) => {
      for (const query of [
        `${queryOf({})}&${name}=https%3A%2F%2Fevil.test`,
        `${name}=https%3A%2F%2Fevil.test&${queryOf({})}`,
      ])
        expect(decide(query)).toMatchObject({ reason: 'parameter_repeated', redirect: null })
    },
  )

  it.each([
    ['no state', { state: null }, 'invalid_request', 'state_missing'],
    ['no response_type', { response_type: null }, 'invalid_request', 'response_type_missing'],
    [
      'the implicit flow',
      { response_type: 'token' },
      'unsupported_response_type',
      'response_type_not_supported',
    ],
    [
      'the hybrid flow',
      { response_type: 'code id_token' },
      'unsupported_response_type',
      'response_type_not_supported',
    ],
    [
      'response_type none',
      { response_type: 'none' },
      'unsupported_response_type',
      'response_type_not_supported',
    ],
    ['fragment', { response_mode: 'fragment' }, 'invalid_request', 'response_mode_not_supported'],
    ['form_post', { response_mode: 'form_post' }, 'invalid_request', 'response_mode_not_supported'],
    [
      'a request object',
      { request: 'e30.e30.' },
      'request_not_supported',
      'request_object_not_supported',
    ],
    [
      'a request by reference',
      { request_uri: 'https://x.test/' },
      'request_uri_not_supported',
      'request_uri_not_supported',
    ],
    ['no code_challenge', { code_challenge: null }, 'invalid_request', 'code_challenge_missing'],
    [
      'no method',
      { code_challenge_method: null },
      'invalid_request',
      'code_challenge_method_missing',
    ],
    [
      'plain',
      { code_challenge_method: 'plain' },
      'invalid_request',
      'code_challenge_method_not_supported',
    ],
    ['no scope', { scope: null }, 'invalid_scope', 'scope_missing'],
    ['an empty scope', { scope: '' }, 'invalid_scope', 'scope_missing'],
    [
      'only the scope without effect',
      { scope: 'offline_access' },
      'invalid_scope',
      'scope_missing',
    ],
    ['a malformed scope', { scope: 'openid\temail' }, 'invalid_scope', 'scope_malformed'],
    ['an unknown scope', { scope: 'openid nope' }, 'invalid_scope', 'scope_unknown'],
    ['an operator scope', { scope: 'courses:read' }, 'invalid_scope', 'scope_of_other_audience'],
    ['no resource', { resource: null }, 'invalid_target', 'resource_missing'],
    ['an empty resource', { resource: '' }, 'invalid_target', 'resource_missing'],
    [
      'a foreign resource',
      { resource: 'https://kiln.example' },
      'invalid_target',
      'resource_unknown',
    ],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request', 'prompt_malformed'],
    ['a negative max_age', { max_age: '-1' }, 'invalid_request', 'max_age_malformed'],
    ['max_age in words', { max_age: 'ten' }, 'invalid_request', 'max_age_malformed'],
    ['a nonce of 513 characters', { nonce: 'n'.repeat(513) }, 'invalid_request', 'nonce_malformed'],
    ['a nonce with a control', { nonce: 'n\u0000' }, 'invalid_request', 'nonce_malformed'],
  ])('redirects the refusal of %s', (_, changes, error, reason) => {
    const state = 'state' in changes ? null : 'xyz'
    expect(ask(changes)).toMatchObject({
      ok: false,
      error,
      reason,
      redirect: { redirectUri: REDIRECT, state },
    })
  })

  it.each([
    ['request', 'request_not_supported', 'request_object_not_supported'],
    ['request_uri', 'request_uri_not_supported', 'request_uri_not_supported'],
  ])('refuses %s before it misses what may be inside [AUTH-13]', (name, error, reason) => {
    const inside = { state: null, response_type: null, code_challenge: null, scope: null }
    expect(ask({ ...inside, resource: null, [name]: 'x' })).toMatchObject({
      error,
      reason,
      redirect: { redirectUri: REDIRECT, state: null },
    })
    expect(ask({ ...inside, state: 'a', [name]: 'x' })).toMatchObject({ redirect: { state: 'a' } })
  })

  it('drops a login_hint that no address can be', () => {
    for (const hint of ['a'.repeat(255), 'mei\u0000@example.com'])
      expect(ask({ login_hint: hint })).toMatchObject({ request: { loginHint: null } })
    expect(ask({ login_hint: 'mei@example.com' })).toMatchObject({
      request: { loginHint: 'mei@example.com' },
    })
  })

  it.each([
    ['zh-hant-tw en', ['zh-Hant-TW', 'en']],
    ['AR ar', ['ar']],
    ['fr_CA  <script> e de', ['de']],
    ['en-x-aaaaaaaa-bbbbbbbb-cccccccc-ddd', ['en-x-aaaaaaaa-bbbbbbbb-cccccccc-ddd']],
    ['en-x-aaaaaaaa-bbbbbbbb-cccccccc-dddd', []],
    ['a'.repeat(5000), []],
    ['en de fr it es pt nl sv ar', ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'sv']],
  ])('keeps the language tags of ui_locales=%s, and drops the rest [AUTH-25]', (given, kept) => {
    expect(ask({ ui_locales: given })).toMatchObject({ ok: true, request: { uiLocales: kept } })
  })

  it('refuses account:read from an operator client', () => {
    expect(ask({ scope: 'account:read' }, { ...DESK_CLI, redirectUris: [REDIRECT] })).toMatchObject(
      {
        error: 'invalid_scope',
        reason: 'scope_of_other_audience',
      },
    )
  })

  it('returns any state that came once, also one that is too long or holds controls', () => {
    expect(decide(`${queryOf({})}&state=other`)).toMatchObject({
      reason: 'parameter_repeated',
      redirect: { state: null },
    })
    for (const state of ['s'.repeat(2049), 's\u0000', 's\r\n'])
      expect(ask({ state })).toMatchObject({
        error: 'invalid_request',
        reason: 'state_malformed',
        redirect: { state },
      })
    expect(ask({ state: 's'.repeat(2048) }).ok).toBe(true)
  })

  it.each(
    Object.keys(VALID).filter((name) => !['client_id', 'redirect_uri', 'resource'].includes(name)),
  )('refuses a repeated %s', (name) => {
    expect(decide(`${queryOf({})}&${name}=x`)).toMatchObject({
      error: 'invalid_request',
      reason: 'parameter_repeated',
    })
  })

  it('counts empty resources as left out', () => {
    expect(decide(`resource=&${queryOf({})}&resource=`)).toEqual(decide(queryOf({})))
  })

  it.each([
    [{ state: null }, 'state_missing', 'state is required: send a random value'],
    [
      { state: 's\u0000' },
      'state_malformed',
      'state must have at most 2048 characters, and no control characters',
    ],
  ])('says of a state what is wrong with it', (changes, reason, description) => {
    expect(ask(changes)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason,
      description,
      redirect: { redirectUri: REDIRECT, state: changes.state },
    })
  })

  it('takes defaults where the host allows leaving out state and scope', () => {
    const query = queryOf({ state: null, scope: null })
    expect(
      decide(query, STUDY_BUDDY, { requireState: false, defaultScopes: ['openid'] }),
    ).toMatchObject({
      ok: true,
      request: { state: null, scopes: ['openid'] },
    })
  })

  it.each([
    ['a member client', STUDY_BUDDY, ['openid', 'account:read']],
    ['an operator client', DESK_CLI, ['openid', 'courses:read', 'orders:read']],
    [
      'a vendor of few scopes',
      { ...DESK_CLI, scopes: ['courses:read'] },
      ['openid', 'courses:read'],
    ],
  ])('gives %s those default scopes that it may request [AUTH-40]', (_, client, scopes) => {
    const defaultScopes = ['openid', 'courses:read', 'account:read', 'orders:read']
    const query = queryOf({ scope: null, redirect_uri: client.redirectUris[0]! })
    expect(decide(query, client, { defaultScopes })).toMatchObject({
      ok: true,
      request: { scopes },
    })
  })

  it('refuses a request without scope if no default is left for its client [AUTH-40]', () => {
    const query = queryOf({ scope: null })
    expect(decide(query, STUDY_BUDDY, { defaultScopes: ['courses:read'] })).toMatchObject({
      error: 'invalid_scope',
      reason: 'scope_missing',
    })
  })

  it('never grants a redirect to an address that is not registered', () => {
    const value = fc.oneof(fc.constantFrom(...Object.values(VALID)), anyUrl(), fc.string())
    const name = fc.constantFrom(...Object.keys(VALID), 'prompt', 'max_age', 'request', 'extra')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 14 }),
        fc.boolean(),
        (pairs, based) => {
          const query = new URLSearchParams(based ? VALID : {})
          for (const [key, one] of pairs) query.append(key, one)
          const decided = decide(query.toString())
          const to = decided.ok ? decided.request.redirectUri : decided.redirect?.redirectUri
          if (to === undefined) return
          expect(
            decideRedirectUri({ redirectUri: to, registered: STUDY_BUDDY.redirectUris }).ok,
          ).toBe(true)
          expect(query.getAll('redirect_uri').filter((one) => one !== '')).toEqual([to])
        },
      ),
    )
  })
})
