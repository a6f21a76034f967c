import fc from 'fast-check'
import { decideIdentityAssertion } from 'hallpass/blocks'
import { type Client, defineResource } from 'hallpass/policy'
import { schoolScopes as registry } from 'hallpass/scope'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import { IDENTITY_ASSERTION_REFUSALS } from '../../../src/policy/identity-assertion.js'
import type { IdentityAssertionReason } from '../../../src/policy/identity-assertion.js'
import {
  agent,
  type AssertingSchool,
  createAssertingSchool,
  IDP,
  ISSUER,
} from '../../support/school/asserting-client.js'
import { assertIsOf } from '../../support/school/refusals.js'
import { T } from '../../support/school/school.js'
import { part } from '../../support/school/signing-client.js'

const OTHER = 'https://other.example'
type Reason = IdentityAssertionReason | 'person_gone' | 'person_not_staff' | 'person_has_no_role'

/** Other claims of the assertion that a school accepts. */
const CLAIMS: readonly (readonly [reason: Reason, id: string, claims: object])[] = [
  ['identity_assertion_malformed', 'IDJ-12', { iss: undefined }],
  ['identity_assertion_malformed', 'IDJ-12', { iss: [IDP] }],
  ['identity_assertion_malformed', 'IDJ-12', { iss: '' }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: undefined }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: '' }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: 17 }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: { toString: 'u-ines' } }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: 'u'.repeat(257) }],
  ['identity_assertion_malformed', 'IDJ-13', { sub: 'u-ines\0' }],
  ['identity_assertion_malformed', 'IDJ-14', { aud: undefined }],
  ['identity_assertion_malformed', 'IDJ-16', { client_id: undefined }],
  ['identity_assertion_malformed', 'IDJ-16', { client_id: ['agent'] }],
  ['identity_assertion_malformed', 'IDJ-17', { jti: undefined }],
  ['identity_assertion_malformed', 'IDJ-17', { jti: '' }],
  ['identity_assertion_malformed', 'IDJ-17', { jti: 7 }],
  ['identity_assertion_malformed', 'IDJ-17', { jti: 'x'.repeat(257) }],
  ['identity_assertion_malformed', 'IDJ-19', { exp: undefined }],
  ['identity_assertion_malformed', 'IDJ-19', { exp: String(T + 300) }],
  ['identity_assertion_malformed', 'IDJ-19', { exp: null }],
  ['identity_assertion_malformed', 'IDJ-22', { iat: undefined }],
  ['identity_assertion_malformed', 'IDJ-22', { iat: String(T) }],
  ['identity_assertion_malformed', 'IDJ-21', { nbf: String(T) }],
  ['identity_assertion_malformed', 'IDJ-22', { iat: T + 20, exp: T + 10 }],
  ['identity_assertion_malformed', 'IDJ-34', { auth_time: String(T) }],
  ['identity_assertion_malformed', 'IDJ-24', { scope: ['courses:read'] }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: [] }],
  ['identity_assertion_malformed', 'IDJ-24', { scope: 'courses:read\u0000' }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: OTHER }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: `${IDP}/` }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: IDP.toUpperCase() }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: 'constructor' }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: '__proto__' }],
  ['identity_assertion_provider_unknown', 'IDJ-12', { iss: ISSUER }],
  ['identity_assertion_for_other_audience', 'IDJ-14', { aud: OTHER }],
  ['identity_assertion_for_other_audience', 'IDJ-14', { aud: `${ISSUER}/` }],
  ['identity_assertion_for_other_audience', 'IDJ-14', { aud: `${ISSUER}/api/oauth/token` }],
  ['identity_assertion_for_other_audience', 'IDJ-15', { aud: [ISSUER, OTHER] }],
  ['identity_assertion_for_other_audience', 'IDJ-15', { aud: [ISSUER, ISSUER] }],
  ['identity_assertion_malformed', 'IDJ-14', { aud: [] }],
  ['identity_assertion_for_other_audience', 'IDJ-14', { aud: [[ISSUER]] }],
  ['identity_assertion_malformed', 'IDJ-14', { aud: null }],
  ['identity_assertion_of_other_client', 'IDJ-16', { client_id: 'other' }],
  ['identity_assertion_of_other_client', 'IDJ-16', { client_id: 'Agent' }],
  ['identity_assertion_of_other_tenant', 'IDJ-33', { tenant: 'acme' }],
  ['identity_assertion_of_other_tenant', 'IDJ-33', { tenant: ['', 'acme'] }],
  ['identity_assertion_expired', 'IDJ-19', { iat: T - 330, exp: T - 30 }],
  ['identity_assertion_expired', 'IDJ-19', { iat: 0, exp: 300 }],
  ['identity_assertion_not_yet_valid', 'IDJ-22', { iat: T + 31, exp: T + 331 }],
  ['identity_assertion_not_yet_valid', 'IDJ-21', { nbf: T + 31 }],
  ['identity_assertion_not_yet_valid', 'IDJ-21', { nbf: T * 1000 }],
  ['identity_assertion_not_yet_valid', 'IDJ-34', { auth_time: T + 31 }],
  ['identity_assertion_not_yet_valid', 'IDJ-34', { auth_time: T * 1000 }],
  ['identity_assertion_sign_in_too_old', 'IDJ-34', { scope: 'school:write' }],
  ['identity_assertion_too_long_lived', 'IDJ-20', { exp: T + 1201 }],
  ['identity_assertion_too_long_lived', 'IDJ-20', { iat: T - 1000, exp: T + 201 }],
  ['identity_assertion_too_long_lived', 'IDJ-20', { iat: 0 }],
  ['identity_assertion_bound', 'IDJ-29', { cnf: { jkt: 'a'.repeat(43) } }],
  ['identity_assertion_bound', 'IDJ-29', { cnf: {} }],
  ['identity_assertion_bound', 'IDJ-29', { cnf: { jkt: null } }],
  ['identity_assertion_details_not_supported', 'IDJ-32', { authorization_details: {} }],
  [
    'identity_assertion_details_not_supported',
    'IDJ-32',
    { authorization_details: [{ type: 'read' }] },
  ],
  ['identity_assertion_for_other_resource', 'IDJ-23', { resource: OTHER }],
  ['identity_assertion_for_other_resource', 'IDJ-23', { resource: `${ISSUER}/other` }],
  ['identity_assertion_for_other_resource', 'IDJ-23', { resource: `${ISSUER}.other.example` }],
  ['identity_assertion_for_other_resource', 'IDJ-23', { resource: [`${ISSUER}/mcp`, OTHER] }],
  ['identity_assertion_for_other_resource', 'IDJ-23', { resource: { href: ISSUER } }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: '' }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: 'account:read' }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: 'unknown:scope' }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: 'offline_access' }],
  ['identity_assertion_scope_empty', 'IDJ-24', { scope: undefined }],
  ['identity_assertion_person_unknown', 'IDJ-13', { sub: 'u-nobody' }],
  ['identity_assertion_person_unknown', 'IDJ-13', { sub: 'per_ines' }],
  ['identity_assertion_person_unknown', 'IDJ-13', { sub: '__proto__' }],
  ['person_not_staff', 'IDJ-13', { sub: 'u-tom' }],
]

/** Other headers, signatures and forms. */
const FORGED: readonly (readonly [
  reason: Reason,
  id: string,
  what: string,
  forge: (school: AssertingSchool) => Promise<string>,
])[] = [
  [
    'identity_assertion_of_other_type',
    'IDJ-11',
    'an ID token',
    ({ assert }) => assert({}, { typ: 'JWT' }),
  ],
  [
    'identity_assertion_of_other_type',
    'IDJ-11',
    'without typ',
    ({ assert }) => assert({}, { typ: undefined }),
  ],
  [
    'identity_assertion_of_other_type',
    'IDJ-11',
    'typ of access tokens',
    ({ assert }) => assert({}, { typ: 'at+jwt' }),
  ],
  [
    'identity_assertion_of_other_type',
    'IDJ-11',
    'typ with more',
    ({ assert }) => assert({}, { typ: 'oauth-id-jag+jwt; x' }),
  ],
  ['identity_assertion_malformed', 'IDJ-27', 'no JWT', async () => 'no.jwt'],
  [
    'identity_assertion_malformed',
    'IDJ-27',
    'four parts',
    async ({ assert }) => `${await assert()}.x`,
  ],
  [
    'identity_assertion_malformed',
    'IDJ-27',
    'too long',
    ({ assert }) => assert({ padding: 'x'.repeat(8192) }),
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-26',
    'alg none',
    async ({ assert }) => {
      const [, claims] = (await assert()).split('.')
      return `${part({ alg: 'none', typ: 'oauth-id-jag+jwt' })}.${claims}.`
    },
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-26',
    'HMAC with the public key',
    async ({ assert, idp }) => {
      const claims = jose.decodeJwt(await assert())
      const secret = new TextEncoder().encode(JSON.stringify(idp.jwks().keys[0]))
      return new jose.SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'oauth-id-jag+jwt' })
        .sign(secret)
    },
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-25',
    'a key of the header',
    async ({ assert }) => {
      const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
      const jwk = await jose.exportJWK(publicKey)
      return new jose.SignJWT(jose.decodeJwt(await assert()))
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt', jwk })
        .sign(privateKey)
    },
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-25',
    'the kid of the provider, another key',
    async ({ assert, idp }) => {
      const { privateKey } = await jose.generateKeyPair('ES256')
      const { kid } = idp.jwks().keys[0]!
      return new jose.SignJWT(jose.decodeJwt(await assert()))
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt', kid })
        .sign(privateKey)
    },
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-25',
    'an unknown kid',
    ({ assert }) => assert({}, { kid: 'other' }),
  ],
  [
    'identity_assertion_malformed',
    'IDJ-25',
    'an extension that must be understood',
    async ({ assert }) => {
      const [header, claims, signature] = (await assert()).split('.')
      const own = jose.decodeProtectedHeader(`${header}..`)
      return [part({ ...own, crit: ['exp'], exp: 1 }), claims, signature].join('.')
    },
  ],
  [
    'identity_assertion_signature_wrong',
    'IDJ-25',
    'other claims under the signature',
    async ({ assert }) => {
      const [header, claims, signature] = (await assert()).split('.')
      const changed = { ...(jose.decodeJwt(`${header}.${claims}.`) as object), sub: 'u-ada' }
      return [header, part(changed), signature].join('.')
    },
  ],
]

describe('an identity assertion', () => {
  it('is accepted as it should be [IDJ-01]', async () => {
    const { assert, outcome } = await createAssertingSchool()
    expect(await outcome(await assert())).toEqual([200, 'openid courses:read courses:write'])
    expect(await outcome(await assert({ aud: [ISSUER] }))).toEqual([
      200,
      'openid courses:read courses:write',
    ])
    expect(await outcome(await assert({ resource: [ISSUER, `${ISSUER}/mcp`] }))).toEqual([
      200,
      'openid courses:read courses:write',
    ])
    expect(
      await outcome(await assert({ resource: undefined, exp: T + 1200, nbf: T + 30 })),
    ).toEqual([200, 'openid courses:read courses:write'])
    const typ = 'application/oauth-id-jag+jwt'
    expect((await outcome(await assert({}, { typ })))[0]).toBe(200)
  })

  it.each(CLAIMS)('is refused with %s [%s] for the claims %j', async (reason, _, claims) => {
    const school = await createAssertingSchool()
    expect(await school.outcome(await school.assert(claims))).toEqual([400, reason])
    expect([school.faults, school.events]).toEqual([[], []])
  })

  it.each(FORGED)('is refused with %s [%s]: %s', async (reason, _id, _what, forge) => {
    const school = await createAssertingSchool()
    expect(await school.outcome(await forge(school))).toEqual([400, reason])
    expect([school.faults, school.events]).toEqual([[], []])
  })

  it('is one of more than 60 that were changed, of which none is accepted', () => {
    expect(CLAIMS.length + FORGED.length).toBeGreaterThan(60)
  })
})

describe('decideIdentityAssertion', () => {
  const client: Client = agent()
  const request = {
    header: { typ: 'oauth-id-jag+jwt' },
    client,
    providers: new Map([[IDP, { clients: new Map([['agent', 'agent']]), tenant: null }]]),
    issuer: ISSUER,
    names: defineResource(ISSUER),
    registry,
    scope: null,
    resources: [],
    defaultScopes: null,
    provenKey: null,
    now: T,
  }
  const right: Readonly<Record<string, unknown>> = {
    iss: IDP,
    sub: 'u-ines',
    aud: ISSUER,
    client_id: 'agent',
    jti: 'a',
    iat: T,
    exp: T + 300,
    resource: `${ISSUER}/mcp`,
    scope: 'openid courses:read',
  }
  const reasonOf = (claims: object, more: object = {}): string | readonly string[] => {
    const decided = decideIdentityAssertion({
      ...request,
      claims: { ...right, ...claims },
      ...more,
    })
    if (decided.ok) return decided.scopes
    assertIsOf(IDENTITY_ASSERTION_REFUSALS, decided)
    return decided.reason
  }

  it('opens nothing with anything else in place of what binds it [IDJ-01]', () => {
    const binding = fc.constantFrom('iss', 'aud', 'client_id', 'exp', 'iat', 'jti', 'sub')
    const value = fc.oneof(
      fc.anything(),
      fc.string().map((text) => `${ISSUER}${text}`),
      fc.constantFrom(IDP, ISSUER, [ISSUER], 'agent', T, T + 300, 'u-ines'),
    )
    fc.assert(
      fc.property(binding, value, (name, changed) => {
        const decided = decideIdentityAssertion({
          ...request,
          claims: { ...right, [name]: changed },
        })
        if (!decided.ok) return
        // What is accepted says the same, or names another person, time or identifier of the same provider.
        const claims = { ...right, [name]: changed }
        expect(claims['iss']).toBe(IDP)
        expect([claims['aud']].flat()).toEqual([ISSUER])
        expect(claims['client_id']).toBe('agent')
        expect(decided.providerSubject).toBe(claims['sub'])
        expect(Number(claims['exp']) + 30).toBeGreaterThan(T)
        expect(Number(claims['exp']) - Number(claims['iat'])).toBeLessThanOrEqual(1200)
        expect(Number(claims['iat'])).toBeLessThanOrEqual(T + 30)
      }),
      { numRuns: 5000 },
    )
  })

  it('grants no scope that the assertion, the request or the client lacks [IDJ-03]', () => {
    const some = fc.subarray([...registry.names])
    fc.assert(
      fc.property(
        some,
        fc.option(some, { nil: null }),
        fc.option(some, { nil: null }),
        (asserted, asked, ceiling) => {
          const decided = decideIdentityAssertion({
            ...request,
            client: agent({ scopes: ceiling }),
            claims: { ...right, scope: asserted.join(' ') },
            scope: asked === null || asked.length === 0 ? null : asked.join(' '),
          })
          if (!decided.ok) return
          for (const scope of decided.scopes) {
            expect(asserted).toContain(scope)
            if (asked !== null && asked.length > 0) expect(asked).toContain(scope)
            expect(registry.get(scope)?.audience).not.toBe('member')
            if (ceiling !== null && registry.get(scope)?.audience === 'operator')
              expect(ceiling).toContain(scope)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('has the scopes of the site where the assertion names none [IDJ-03]', () => {
    const defaultScopes = ['openid', 'courses:read', 'account:read']
    expect(reasonOf({ scope: undefined })).toBe('identity_assertion_scope_empty')
    expect(reasonOf({ scope: undefined }, { defaultScopes })).toEqual(['openid', 'courses:read'])
    expect(reasonOf({ scope: '' }, { defaultScopes })).toBe('identity_assertion_scope_empty')
    expect(reasonOf({ scope: undefined }, { defaultScopes, scope: 'courses:write' })).toBe(
      'identity_assertion_scope_empty',
    )
    expect(reasonOf({}, { scope: 'courses:read orders:read' })).toEqual(['courses:read'])
    expect(reasonOf({}, { scope: '\u0000' })).toBe('scope_malformed')
    for (const typ of [['oauth-id-jag+jwt'], 'xoauth-id-jag+jwt'])
      expect(reasonOf({}, { header: { typ } })).toBe('identity_assertion_of_other_type')
    expect(reasonOf({}, { resources: ['https://other.example'] })).toBe('resource_mismatch')
    expect(reasonOf({}, { resources: [`${ISSUER}/mcp`] })).toEqual(['openid', 'courses:read'])
  })

  it('lets in no client that is not named, and no app of members [IDJ-02]', () => {
    const other = { client: agent({ clientId: 'other' }) }
    const refused = 'identity_assertion_client_not_allowed'
    expect(reasonOf({ client_id: 'other' }, other)).toBe(refused)
    const member = agent({ kind: 'member', scopes: ['account:read'] })
    expect(reasonOf({ scope: 'openid' }, { client: member })).toBe(refused)
  })

  it('reads the name of a client at the provider, and the one tenant [IDJ-02]', () => {
    const clients = new Map([['agent', 'theirs']])
    const providers = new Map([[IDP, { clients, tenant: 'acme' }]])
    expect(reasonOf({ client_id: 'theirs', tenant: 'acme' }, { providers })).toHaveLength(2)
    expect(reasonOf({ client_id: 'agent', tenant: 'acme' }, { providers })).toBe(
      'identity_assertion_of_other_client',
    )
    for (const tenant of ['evil', undefined, null, ['acme'], ''])
      expect(reasonOf({ client_id: 'theirs', tenant }, { providers })).toBe(
        'identity_assertion_of_other_tenant',
      )
  })

  it('needs the key of a bound assertion', () => {
    const jkt = 'a'.repeat(43)
    expect(reasonOf({ cnf: { jkt } }, { provenKey: jkt })).toHaveLength(2)
    for (const cnf of [{ jkt: 'b'.repeat(43) }, {}, jkt, { jkt: null }, { x5t: jkt }])
      expect(reasonOf({ cnf }, { provenKey: jkt })).toBe('identity_assertion_bound')
    expect(reasonOf({ cnf: { jkt: null } })).toBe('identity_assertion_bound')
  })

  it('has a key for each provider and identifier, until its end', () => {
    const keyOf = (claims: object): string => {
      const providers = new Map(
        [IDP, 'a', 'a b'].map((one) => [one, request.providers.get(IDP)!] as const),
      )
      const decided = decideIdentityAssertion({
        ...request,
        providers,
        claims: { ...right, ...claims },
      })
      if (!decided.ok) throw new Error(decided.reason)
      expect(decided.once.until).toBe(T + 330)
      return decided.once.key
    }
    const keys = [{ iss: 'a', jti: 'b c' }, { iss: 'a b', jti: 'c' }, { jti: 'b' }, { jti: 'c' }]
    const made = keys.map(keyOf)
    expect(new Set(made).size).toBe(4)
    for (const key of made) expect(key).toMatch(/^[\w-]{43}$/)
    expect(keyOf({ jti: 'b', sub: 'u-tom' })).toBe(keyOf({ jti: 'b' }))
  })

  it('opens nothing with a clock that is none', () => {
    for (const now of [NaN, T * 1000, Infinity]) expect(typeof reasonOf({}, { now })).toBe('string')
  })
})
