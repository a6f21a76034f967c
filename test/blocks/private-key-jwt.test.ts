import {
  createAuthorizationServer,
  createServer,
  defineSite,
  OptionsError,
  type Site,
} from 'hallpass'
import {
  configureAuthorizationServer,
  createMetadataEndpoints,
  createTokenEndpoint,
} from 'hallpass/authorization-server'
import { describeAuthorizationServer } from 'hallpass/openapi'
import { defineClientAuthentication, privateKeyJwt } from 'hallpass/blocks'
import { explainRefusal } from 'hallpass/clients'
import type { RefusalReason } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ASSERTION_REFUSALS } from '../../src/policy/client-assertion.js'
import { T } from '../support/school/school.js'
import { coreOf } from '../support/school/stores.js'
import {
  createSigningSchool,
  type Fields,
  form,
  INTERACT,
  ISSUER,
  NOTES,
  part,
  REDIRECT,
  SEALING,
  type SigningSchool,
  TOKEN,
  TYPE,
  VERIFIER,
} from '../support/school/signing-client.js'
import type { AssertionReason } from '../../src/policy/client-assertion.js'
import { decideClientAssertion } from '../../src/policy/client-assertion.js'

type Options = NonNullable<Parameters<typeof privateKeyJwt>[0]>

describe('a client with private_key_jwt', () => {
  it.each<[AssertionReason | RefusalReason, (one: SigningSchool) => Promise<Fields>]>([
    ['assertion_malformed', async () => form('no.jwt')],
    ['assertion_malformed', async () => ({ client_id: 'notes', client_assertion_type: TYPE })],
    ['assertion_malformed', async ({ sign }) => form(await sign({ jti: 'x'.repeat(257) }))],
    ['assertion_of_other_client', async ({ sign }) => form(await sign({ iss: 'other' }))],
    [
      'assertion_for_other_audience',
      async ({ sign }) => form(await sign({ aud: 'https://other.example' })),
    ],
    [
      'assertion_for_other_audience',
      async ({ sign }) => form(await sign({ aud: [ISSUER, 'https://other.example'] })),
    ],
    ['assertion_expired', async ({ sign }) => form(await sign({ exp: T - 30 }))],
    ['assertion_not_yet_valid', async ({ sign }) => form(await sign({ nbf: T + 31 }))],
    ['assertion_too_long_lived', async ({ sign }) => form(await sign({ exp: T + 3631 }))],
    [
      'assertion_signature_wrong',
      async ({ sign }) => form(await sign({}, (await jose.generateKeyPair('ES256')).privateKey)),
    ],
    [
      'assertion_alg_not_accepted',
      async ({ sign }) => {
        const [, claims] = (await sign()).split('.')
        return form(`${part({ alg: 'none' })}.${claims}.`)
      },
    ],
    [
      'assertion_alg_not_accepted',
      async ({ jwks }) => {
        const secret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]))
        const claims = { iss: 'notes', sub: 'notes', aud: ISSUER, exp: T + 60, jti: 'a' }
        return form(
          await new jose.SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
        )
      },
    ],
    [
      'assertion_alg_not_accepted',
      async ({ sign }) =>
        form(await sign({}, (await jose.generateKeyPair('RS256')).privateKey, 'RS256')),
    ],
    ['client_unknown', async ({ sign }) => form(await sign({ iss: 'nobody', sub: 'nobody' }))],
    ['client_auth_ambiguous', async ({ sign }) => ({ ...form(await sign()), client_secret: 'x' })],
    ['client_auth_method_mismatch', async () => ({ client_id: 'notes' })],
    ['client_auth_method_mismatch', async () => ({ client_id: 'notes', client_secret: 'x' })],
  ])('is refused with %s, and its code remains valid [BLK-02]', async (reason, fields) => {
    const one = await createSigningSchool()
    await one.issue('a')
    const status = reason === 'client_auth_ambiguous' ? 400 : 401
    expect(await one.redeem('a', await fields(one))).toEqual([status, reason])
    expect(await one.redeem('a', form(await one.sign()))).toEqual([200, null])
    expect(one.faults).toEqual([])
  })

  it('uses up no assertion by a wrong signature [BLK-02]', async () => {
    const { sign, redeem, issue } = await createSigningSchool()
    await issue('a')
    const thief = (await jose.generateKeyPair('ES256')).privateKey
    expect(await redeem('a', form(await sign({ jti: 'mine' }, thief)))).toEqual([
      401,
      'assertion_signature_wrong',
    ])
    expect(await redeem('a', form(await sign({ jti: 'mine' })))).toEqual([200, null])
  })

  it('is refused if it is disabled, or named otherwise in client_id', async () => {
    const { sign, redeem, issue, store } = await createSigningSchool()
    await issue('a')
    expect(await redeem('a', { ...form(await sign()), client_id: 'others' })).toEqual([
      401,
      'client_unknown',
    ])
    const basic = { authorization: 'Basic bm90ZXM6eA==' }
    expect(await redeem('a', form(await sign()), basic)).toEqual([400, 'client_auth_ambiguous'])
    await store.replaceClient({ ...NOTES, disabled: true, revision: NOTES.revision + 1 })
    expect(await redeem('a', form(await sign()))).toEqual([401, 'client_disabled'])
  })

  it('cannot be another client with a method of its own, nor take its place by a secret', async () => {
    const { sign, redeem, issue, store } = await createSigningSchool()
    await issue('a')
    await store.insertClient({ ...NOTES, clientId: 'free', tokenEndpointAuthMethod: 'none' })
    const claims = { iss: 'free', sub: 'free' }
    expect(await redeem('a', form(await sign(claims)))).toEqual([
      401,
      'client_auth_method_mismatch',
    ])
    const secrets = [{ hash: hashToken('x'), expiresAt: null }]
    await store.replaceClient({ ...NOTES, secrets, revision: NOTES.revision + 1 })
    expect(await redeem('a', { client_id: 'notes', client_secret: 'x' })).toEqual([
      401,
      'client_auth_method_mismatch',
    ])
  })

  it('finds its key among several without kid, and signs with the algorithms of the option', async () => {
    const pairs = await Promise.all([1, 2].map(() => jose.generateKeyPair('ES256')))
    const rsa = await jose.generateKeyPair('RS256')
    const publicKeys = [...pairs, rsa].map((pair) => jose.exportJWK(pair.publicKey))
    const jwks = { keys: await Promise.all(publicKeys) }
    const { sign, redeem, issue } = await createSigningSchool({
      options: { keysOf: async () => jwks, algorithms: ['ES256', 'RS256'] },
    })
    await Promise.all(['a', 'b'].map((name) => issue(name)))
    expect(await redeem('a', form(await sign({}, pairs[1]!.privateKey)))).toEqual([200, null])
    expect(await redeem('b', form(await sign({}, rsa.privateKey, 'RS256')))).toEqual([200, null])
  })

  it('introspects and revokes with an assertion of its own each [BLK-01]', async () => {
    const { sign, post, issue, store } = await createSigningSchool()
    await issue('a')
    const fields = { grant_type: 'authorization_code', code: 'a', code_verifier: VERIFIER, redirect_uri: REDIRECT, resource: ISSUER } // prettier-ignore
    const tokens = (await (
      await post('token', { ...fields, ...form(await sign({ aud: TOKEN })) })
    ).json()) as { access_token: string; refresh_token: string }
    const token = tokens.access_token
    const introspect = async (assertion: string): Promise<unknown> =>
      (await post('introspect', { token, ...form(assertion) })).json()
    const assertion = await sign()
    expect(await introspect(assertion)).toMatchObject({ active: true, client_id: 'notes' })
    expect(await introspect(assertion)).toMatchObject({ error: 'invalid_client' })
    const revoked = await post('revoke', { token: tokens.refresh_token, ...form(await sign()) })
    expect(revoked.status).toBe(200)
    expect((await store.findRefreshToken(hashToken(tokens.refresh_token)))!.grant.revokedAt).toBe(T)
  })

  it('is a published client library', async () => {
    // oxlint-disable-next-line no-restricted-properties -- oauth4webapi checks times against the real clock
    const now = (): number => Math.floor(Date.now() / 1000)
    const { router, issue, privateKey } = await createSigningSchool({ now })
    await issue('a')
    const http = { [oauth.customFetch]: (url: string, init: object) => router(new Request(url, init)) } // prettier-ignore
    const issuer = new URL(ISSUER)
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
    )
    const client = { client_id: 'notes' }
    const callback = new URL(`${REDIRECT}?code=a&iss=${ISSUER}`)
    const parameters = oauth.validateAuthResponse(as, client, callback, oauth.expectNoState)
    const auth = oauth.PrivateKeyJwt(privateKey)
    const response = await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, REDIRECT, VERIFIER, { additionalParameters: { resource: ISSUER }, ...http }) // prettier-ignore
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response)
    expect(tokens.scope).toBe('openid account:read')
    const again = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token!, http) // prettier-ignore
    expect((await oauth.processRefreshTokenResponse(as, client, again)).access_token).toMatch(/./)
  })
})

describe('what the host application answers', () => {
  const giveBack = async (): Promise<void> => {}
  const never = new Promise<never>(() => {})
  it.each<[string, Partial<Parameters<typeof privateKeyJwt>[0]>, string]>([
    [
      'keysOf throws',
      { keysOf: () => Promise.reject(new Error('down')) },
      'the storage failed: keysOf threw an exception',
    ],
    [
      'keysOf returns a list',
      { keysOf: async () => [] as never },
      'keysOf returned an array: it must be an object or null',
    ],
    [
      'keysOf returns too many keys',
      { keysOf: async () => ({ keys: Array.from({ length: 17 }, () => ({})) }) },
      'keysOf returned keys an array: it must be a list of at most 16 keys',
    ],
    ['keysOf never answers', { keysOf: () => never }, 'private_key_jwt'],
    [
      'useOnce throws',
      { once: { useOnce: () => Promise.reject(new Error('down')), giveBack } },
      'the storage failed: useOnce threw an exception',
    ],
    [
      'useOnce returns true',
      { once: { useOnce: async () => true as never, giveBack } },
      'useOnce returned',
    ],
    ['useOnce never answers', { once: { useOnce: () => never, giveBack } }, 'private_key_jwt'],
  ])('%s: 503 in bounded time, and the fault is reported [BLK-03]', async (_, options, message) => {
    const { sign, redeem, issue, faults } = await createSigningSchool({
      options,
      site: { callDeadlineMilliseconds: 1000 },
    })
    await issue('a')
    expect(await redeem('a', form(await sign()))).toEqual([503, null])
    expect(
      faults.map(({ endpoint, fault }) => [
        endpoint,
        `${String(fault)} ${String((fault as Error).cause)}`,
      ]),
    ).toEqual([['token', expect.stringContaining(message)]])
  })

  it.each<[Awaited<ReturnType<NonNullable<Options['keysOf']>>>, AssertionReason]>([
    [null, 'client_keys_missing'],
    [{ keys: [] }, 'assertion_key_unusable'],
    [{ keys: [{ kty: 'EC' }] }, 'assertion_key_unusable'],
  ])('refuses a client with the keys %j', async (jwks, reason) => {
    const { sign, redeem } = await createSigningSchool({ options: { keysOf: () => jwks } })
    expect(await redeem('a', form(await sign()))).toEqual([401, reason])
  })
})

describe('the documents of a server with a block', () => {
  it('name the method and its algorithms at each endpoint [BLK-04]', async () => {
    const { router } = await createSigningSchool()
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const response = await router(new Request(`${ISSUER}/.well-known/${name}`))
      const methods = ['client_secret_post', 'none', 'private_key_jwt']
      const algorithms = ['ES256', 'PS256', 'Ed25519', 'EdDSA']
      expect(await response.json()).toMatchObject({
        token_endpoint_auth_methods_supported: methods,
        token_endpoint_auth_signing_alg_values_supported: algorithms,
        revocation_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_signing_alg_values_supported: algorithms,
        introspection_endpoint_auth_methods_supported: methods.filter((one) => one !== 'none'),
        introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      })
    }
  })

  it('are refused at the start if a member is there already [BLK-04]', async () => {
    const { site, keys, method } = await createSigningSchool()
    const { kind: _kind, isOnceOfSite: _isOnce, forServer: _seam, ...bare } = method
    const own = defineClientAuthentication({
      ...bare,
      metadata: () => ({ issuer: 'https://other.example' }),
    })
    const conflicting = { ...site, blocks: [own] }
    const mistake = new OptionsError('authorization server', [
      'private_key_jwt has the metadata issuer, which is there already',
    ])
    expect(() => createAuthorizationServer(conflicting, { keys, interact: INTERACT })).toThrow(mistake) // prettier-ignore
    expect(() => createServer(conflicting, { ...SEALING, interact: INTERACT })).toThrow(mistake)
  })

  it('name only the endpoints that are served', async () => {
    const { site, keys } = await createSigningSchool()
    const options = { keys, interact: INTERACT }
    const configuration = configureAuthorizationServer(site, options)
    const token = createTokenEndpoint(configuration)
    const { authorizationServerMetadata } = createMetadataEndpoints(configuration, { token })
    const url = `${ISSUER}/.well-known/oauth-authorization-server`
    const metadata = (await (await authorizationServerMetadata(new Request(url))).json()) as object
    expect(Object.keys(metadata).filter((name) => name.includes('_signing_alg'))).toEqual([
      'token_endpoint_auth_signing_alg_values_supported',
    ])
  })

  it('describe its parameters, and require client_id no more [BLK-04]', async () => {
    const { site, keys, method, server } = await createSigningSchool()
    const fieldsOf = (blocks: readonly (typeof method)[]): string => {
      const options = { keys, interact: INTERACT }
      const configuration = configureAuthorizationServer({ ...site, blocks }, options)
      const { paths } = describeAuthorizationServer(configuration, server)
      return ['token', 'revoke', 'introspect']
        .map((name) => JSON.stringify(paths[`/api/oauth/${name}`]))
        .join()
    }
    expect(fieldsOf([])).not.toContain('client_assertion')
    expect(fieldsOf([]).split('"client_id"]')).not.toHaveLength(1)
    expect(fieldsOf([method]).split('"client_assertion":')).toHaveLength(4)
    expect(fieldsOf([method]).split('"client_id"]')).toHaveLength(1)
  })

  it('explain its refusals with the tables of the site [BLK-05]', () => {
    const refusal = { error: 'invalid_client', reason: 'assertion_expired' } as const
    expect(explainRefusal(refusal, [ASSERTION_REFUSALS])).toEqual({
      ...ASSERTION_REFUSALS.invalid_client.assertion_expired,
      url: 'https://hallpass.example/look-up/errors.html#assertion_expired',
    })
    // @ts-expect-error a reason of no table
    expect(explainRefusal(refusal)).toBeNull()
  })
})

describe('the composition', () => {
  const options = { issuer: ISSUER, name: 'S', store: createMemoryStore(), scopes: schoolScopes, roles: schoolRoles, findPerson: async () => null } // prettier-ignore
  const made = (): ReturnType<typeof privateKeyJwt> =>
    privateKeyJwt({ keysOf: async () => null, once: createMemoryStore() })

  it('needs a store with useOnce, by type and by name [BLK-05]', () => {
    const store = coreOf(createMemoryStore())
    // @ts-expect-error TS2739: useOnce and giveBack are missing
    expect(() => privateKeyJwt({ keysOf: async () => null, once: store })).toThrow(
      new OptionsError('privateKeyJwt', [
        'once lacks the function useOnce, giveBack: the store of the site, such as createMemoryStore()',
      ]),
    )
    const [keysOf, once] = [async () => null, createMemoryStore()]
    for (const algorithms of [[], ['HS256'], ['none']] as never[])
      expect(() => privateKeyJwt({ keysOf, once, algorithms })).toThrow(OptionsError)
  })

  it('needs what defineClientAuthentication adds, by type and by name [BLK-05]', () => {
    const { kind: _kind, isOnceOfSite: _isOnce, forServer: _seam, ...bare } = made()
    const { kind: _ofOwn, forServer: _own, ...own } = defineClientAuthentication(bare)
    expect(own).toEqual(bare)
    defineSite({ ...options, blocks: [defineClientAuthentication(bare)] })
    // @ts-expect-error TS2741: Property 'kind' is missing
    expect(() => defineSite({ ...options, blocks: [bare] })).toThrow(
      new OptionsError('site', [
        'blocks[0] lacks kind: a block of hallpass/blocks, such as dpop()',
      ]),
    )
  })

  it('defines a method of functions and tables [BLK-05]', () => {
    const wrong = {
      name: '',
      refusals: 1,
      metadata: 2,
      parameters: 3,
      identify: 4,
      authenticate: 5,
    }
    expect(() => defineClientAuthentication(wrong as never)).toThrow(
      new OptionsError('defineClientAuthentication', [
        'name must be a string such as "private_key_jwt", not a blank one',
        'refusals must be a table such as { invalid_client: { header_wrong: { … } } }, not a number',
        'metadata must be a function such as () => ({}), not a number',
        'parameters must be a table of schemas such as {}, not a number',
        'identify must be a function such as (parameters) => null, not a number',
        'authenticate must be a function such as async () => ({ ok: true }), not a number',
      ]),
    )
  })

  it('works in one call, and any site is a Site', () => {
    const site = defineSite({
      ...options,
      blocks: [made()],
      onRefusal: ({ reason }) =>
        expectTypeOf(reason).toEqualTypeOf<RefusalReason | AssertionReason>(),
    })
    createServer(site, { ...SEALING, interact: INTERACT })
    expectTypeOf(site).toExtend<Site>()
  })
})

describe('decideClientAssertion', () => {
  const claims = { iss: 'notes', sub: 'notes', aud: ISSUER, exp: T + 60, jti: 'a' }
  const request = { claims, client: { clientId: 'notes' }, audiences: [ISSUER, TOKEN], now: T }
  const decided = (change: object, now = T): unknown => {
    const result = decideClientAssertion({ ...request, claims: { ...claims, ...change }, now })
    return result.ok ? result.once.until - now : result.reason
  }

  it.each<[object, number | AssertionReason]>([
    [{}, 90],
    [{ aud: TOKEN }, 90],
    [{ aud: [ISSUER] }, 90],
    [{ exp: T + 330 }, 360],
    [{ exp: T + 59.5 }, 90],
    [{ exp: T - 29 }, 1],
    [{ nbf: T + 30, iat: T + 30 }, 90],
    [{ jti: 'x'.repeat(256) }, 90],
    [{ aud: [] }, 'assertion_malformed'],
    [{ aud: [ISSUER, TOKEN] }, 'assertion_for_other_audience'],
    [{ aud: 7 }, 'assertion_for_other_audience'],
    [{ aud: undefined }, 'assertion_malformed'],
    [{ exp: undefined }, 'assertion_malformed'],
    [{ exp: String(T + 60) }, 'assertion_malformed'],
    [{ exp: Infinity }, 'assertion_malformed'],
    [{ exp: (T + 60) * 1000 }, 'assertion_expired'],
    [{ exp: T - 30 }, 'assertion_expired'],
    [{ exp: T + 3631 }, 'assertion_too_long_lived'],
    [{ nbf: T + 31 }, 'assertion_not_yet_valid'],
    [{ nbf: T * 1000 }, 'assertion_not_yet_valid'],
    [{ nbf: '0' }, 'assertion_malformed'],
    [{ iat: T + 31 }, 'assertion_not_yet_valid'],
    [{ jti: undefined }, 'assertion_malformed'],
    [{ jti: '' }, 'assertion_malformed'],
    [{ jti: 'x'.repeat(257) }, 'assertion_malformed'],
    [{ sub: 'other' }, 'assertion_of_other_client'],
    [{ iss: 'other' }, 'assertion_of_other_client'],
    [{ sub: 7 }, 'assertion_malformed'],
  ])('of %j is %s', (change, expected) => {
    expect(decided(change)).toBe(expected)
  })

  it('opens nothing with a clock that is none', () => {
    expect(decided({}, NaN)).toBe('assertion_expired')
    expect(decided({}, T * 1000)).toBe('assertion_expired')
  })

  it('has a key for each client and identifier', () => {
    const keyOf = (clientId: string, jti: string): string => {
      const own = { ...claims, iss: clientId, sub: clientId, jti }
      const result = decideClientAssertion({ ...request, claims: own, client: { clientId } })
      return result.ok ? result.once.key : result.reason
    }
    const keys = [keyOf('a', 'b c'), keyOf('a b', 'c'), keyOf('a', 'b'), keyOf('b', 'b')]
    expect(new Set(keys).size).toBe(4)
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  })
})
