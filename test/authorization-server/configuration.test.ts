import { OptionsError, type SiteOptions } from 'hallpass'
import {
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  routesOf,
} from 'hallpass/authorization-server'
import { REFRESH_POLICY } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { createSchool } from '../support/school/school.js'
import { BARE_SERVER, every, split } from '../support/school/bare-server.js'
import { REFRESH_POLICIES } from '../../src/policy/refresh-policy.js'

function configure(changes: Partial<SiteOptions & AuthorizationServerOptions> = {}) {
  const { ofSite, own } = split<AuthorizationServerOptions>(changes)
  return configureAuthorizationServer(testSite(ofSite).site, { ...BARE_SERVER, ...own })
}

describe('the configuration of an authorization server', () => {
  it('has the lifetimes that were decided, unless told otherwise [D-03, D-04, D-05, D-06, D-21]', () => {
    expect(configure()).toMatchObject({
      codeSeconds: 60,
      accessTokenSeconds: 3600,
      refreshIdleSeconds: 30 * 86_400,
      grantSeconds: 180 * 86_400,
      refreshPolicies: REFRESH_POLICIES,
      interactionSeconds: 600,
      requireState: true,
      defaultScopes: null,
      baselineScopes: schoolScopes.names.filter((scope) => !scope.endsWith(':write')),
      introspectionClientIds: [],
    })
    expect(configure({ codeSeconds: 600 }).codeSeconds).toBe(600)
  })

  it('has a policy for each kind of holder, and keeps those that are not named [D-06]', () => {
    expect(REFRESH_POLICIES).toEqual({
      confidential: {
        repeatSeconds: 30 * 86_400,
        catchUpSeconds: 7 * 86_400,
        forgiveSeconds: 3650 * 86_400,
      },
      native: { repeatSeconds: 30 * 86_400, catchUpSeconds: 7 * 86_400, forgiveSeconds: 0 },
      public: { repeatSeconds: 600, catchUpSeconds: 600, forgiveSeconds: 0 },
    })
    const refreshPolicies = { native: REFRESH_POLICY.strict, public: undefined } as never
    expect(configure({ refreshPolicies }).refreshPolicies).toEqual({
      ...REFRESH_POLICIES,
      native: REFRESH_POLICY.strict,
    })
  })

  it('takes every option that it reads', () => {
    const everything: Partial<AuthorizationServerOptions> = {
      extraClaims: () => ({}),
      introspectionClientIds: ['api'],
      baselineScopes: ['openid'],
      requireState: false,
      defaultScopes: ['openid'],
      codeSeconds: 60,
      accessTokenSeconds: 60,
      refreshIdleSeconds: 60,
      grantSeconds: 60,
      refreshPolicies: every(REFRESH_POLICY.strict),
      interactionSeconds: 60,
      errorUri: () => 'https://school.example/errors',
    }
    const { errorUri: _, ...kept } = everything
    expect(configure(everything)).toMatchObject(kept)
  })

  it('keeps a default where an option is undefined, as plain JavaScript hands it over', () => {
    const { codeSeconds, requireState } = configure({
      codeSeconds: undefined,
      requireState: undefined,
    } as never)
    expect([codeSeconds, requireState]).toEqual([60, true])
  })

  it.each<[string, object, ...string[]]>([
    ['an option nobody reads', { skipPkce: true }, 'skipPkce is not an option'],
    [
      'a page that is misspelt',
      { interact: { ...BARE_SERVER.interact, signIn: undefined, singIn: () => {} } },
      'interact lacks the function signIn: { currentPerson, signIn, consent, error }',
      'interact.singIn is not an option: did you mean signIn?',
    ],
    ['no keys', { keys: undefined }, 'keys is missing: createKeyRing(site, { sealingSecret })'],
    [
      'an unknown baseline scope',
      { baselineScopes: ['x'] },
      'baselineScopes names the scope "x", which is not in the scope registry',
    ],
    [
      'an unknown default scope',
      { defaultScopes: ['x'] },
      'defaultScopes names the scope "x", which is not in the scope registry',
    ],
    [
      'a default that writes',
      { defaultScopes: ['openid', 'courses:write', 'courses:read'] },
      'defaultScopes names the scope "courses:write", which writes: a client that requests nothing gets identity and read scopes only',
    ],
    [
      'ends that are no function',
      { grantEnds: [] },
      "grantEnds must be a function such as () => [{ id: 'term', label: 'Until the end of term', endsAt: 1798761600 }], not an array",
    ],
    ...(
      [
        ['a code of eleven minutes', 'codeSeconds', 660, 1, 600],
        ['a code that never counts', 'codeSeconds', 0, 1, 600],
        ['half a second', 'accessTokenSeconds', 0.5, 1, 86_400],
        ['a second and a half', 'accessTokenSeconds', 1.5, 1, 86_400],
        ['a grant of eleven years', 'grantSeconds', 3650 * 86_400 + 1, 1, 3650 * 86_400],
        ['no number', 'refreshIdleSeconds', Number.NaN, 1, 365 * 86_400],
        ['a request that waits a day', 'interactionSeconds', 86_400, 30, 3600],
      ] as const
    ).map(([what, name, value, least, most]): [string, object, string] => [
      what,
      { [name]: value },
      `${name} must be a whole number from ${least} to ${most}, not ${value}`,
    ]),
    [
      'a negative window',
      { refreshPolicies: { native: { ...REFRESH_POLICY.strict, repeatSeconds: -1 } } },
      'refreshPolicies.native.repeatSeconds must be a whole number from 0 to 31536000, not -1',
    ],
    [
      'more time to catch up than to repeat',
      { refreshPolicies: { public: { ...REFRESH_POLICY.lostResponse, catchUpSeconds: 61 } } },
      'refreshPolicies.public.catchUpSeconds must not be more than its repeatSeconds, 60',
    ],
    [
      'one policy for all holders',
      { refreshPolicies: 'strict' },
      'refreshPolicies must be { native: REFRESH_POLICY.oneHolder }, not a string',
    ],
    [
      'a number of seconds for a policy',
      { refreshPolicies: { native: 60 } },
      'refreshPolicies.native must be { repeatSeconds, catchUpSeconds, forgiveSeconds }, not a number',
    ],
    [
      'a policy that forgives for more than ten years',
      {
        refreshPolicies: {
          native: { ...REFRESH_POLICY.withSecret, forgiveSeconds: 3650 * 86_400 + 1 },
        },
      },
      'refreshPolicies.native.forgiveSeconds must be a whole number from 0 to 315360000, not 315360001',
    ],
    [
      'a policy for a holder that does not exist',
      { refreshPolicies: { nativ: REFRESH_POLICY.strict } },
      'refreshPolicies.nativ is not an option: did you mean native?',
    ],
    [
      'the option of an earlier version',
      { refreshRetrySeconds: 60 },
      'refreshRetrySeconds is not an option',
    ],
    [
      'a lifetime in words',
      { grantSeconds: '180' },
      'grantSeconds must be a whole number from 1 to 315360000, not "180"',
    ],
  ])('does not start with %s', (_, changes, ...mistakes) => {
    expect(() => configure(changes)).toThrow(new OptionsError('authorization server', mistakes))
  })
})

describe('the routes of an authorization server', () => {
  it('are every endpoint by its path, the interaction with a segment more', async () => {
    const { server } = await createSchool()
    expect(routesOf(server).map(([path]) => path)).toEqual([
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/mcp/signed-in',
      '/.well-known/oauth-protected-resource/mcp/member',
      '/.well-known/oauth-protected-resource/account/graphql',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/api/oauth/register',
      '/oauth/authorize',
      '/oauth/interaction/:id',
      '/api/oauth/token',
      '/api/oauth/userinfo',
      '/api/oauth/revoke',
      '/api/oauth/introspect',
    ])
    for (const [path, endpoint] of routesOf(server)) {
      const name = Object.entries(server).find(([, one]) => one === endpoint)?.[0]
      expect(name, path).toBeDefined()
    }
  })

  it('are those of blocks by the names that are paths, and of no other name', async () => {
    const { server } = await createSchool()
    const { token: endpoint } = server
    expect(routesOf({ '/api/oauth/par': endpoint, par: endpoint } as never)).toEqual([
      ['/api/oauth/par', endpoint],
    ])
  })

  it('are fewer for fewer endpoints', async () => {
    const { server } = await createSchool()
    expect(routesOf({ token: server.token })).toEqual([['/api/oauth/token', server.token]])
  })
})
