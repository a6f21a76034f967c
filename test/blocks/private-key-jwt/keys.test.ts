import { OptionsError } from 'hallpass'
import { decideClientKeys } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { ASSERTION_REFUSALS } from '../../../src/policy/client-assertion.js'
import type { AssertionReason } from '../../../src/policy/client-assertion.js'
import { assertIsOf } from '../../support/school/refusals.js'
import { NOTES } from '../../support/school/signing-client.js'

const EC = { kty: 'EC', crv: 'p256', x: 'x', y: 'y' }
const RSA = { kty: 'RSA', n: 'n', e: 'AQAB' }
const OKP = { kty: 'OKP', crv: 'Ed25519', x: 'x' }
const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
const jwks_uri = 'https://notes.example/jwks.json'

/** What is decided about metadata of this method: the keys, the reason, or `null`. */
function decided(metadata: object, hosts: typeof policy | null = policy): unknown {
  const decision = decideClientKeys({
    metadata: { token_endpoint_auth_method: 'private_key_jwt', ...metadata },
    algorithms: ['ES256', 'RS256'],
    policy: hosts,
  })
  if (decision?.ok === false) assertIsOf(ASSERTION_REFUSALS, decision)
  return decision?.ok === true ? decision.keys : (decision?.reason ?? null)
}

describe('decideClientKeys', () => {
  it.each<[object, AssertionReason, string]>([
    [{ jwks_uri, jwks: { keys: [EC] } }, 'client_keys_ambiguous', 'PKJ-30'],
    [{ jwks_uri, jwks: 'x' }, 'client_keys_ambiguous', 'PKJ-30'],
    [{}, 'client_keys_missing', 'PKJ-31'],
    [{ jwks_uri: null, jwks: null }, 'client_keys_missing', 'PKJ-31'],
    [{ jwks_uri: '' }, 'client_keys_missing', 'PKJ-31'],
    [{ jwks: { keys: [{ ...EC, d: 'd' }] } }, 'client_keys_private', 'PKJ-32'],
    [{ jwks: { keys: [EC, { kty: 'oct', k: 'k' }] } }, 'client_keys_private', 'PKJ-32'],
    [{ jwks: { keys: [{ kty: 'oct' }] } }, 'client_keys_private', 'PKJ-32'],
    [{ jwks: { keys: [{ ...RSA, p: 'p' }] } }, 'client_keys_private', 'PKJ-32'],
    ...['q', 'dp', 'dq', 'qi', 'k'].map(
      (member) =>
        [{ jwks: { keys: [{ ...RSA, [member]: 'p' }] } }, 'client_keys_private', 'PKJ-32'] as [
          object,
          AssertionReason,
          string,
        ],
    ),
    [{ jwks: { keys: [EC, { kty: 'OKP', crv: 'Ed25519' }] } }, 'client_keys_malformed', 'PKJ-33'],
    [{ jwks: { keys: [EC, { kty: 'OKP', x: 'x' }] } }, 'client_keys_malformed', 'PKJ-33'],
    [{ jwks: { keys: [{ ...RSA, oth: [{}] }] } }, 'client_keys_private', 'PKJ-32'],
    [
      { jwks_uri, token_endpoint_auth_signing_alg: 'ES384' },
      'client_keys_alg_not_supported',
      'PKJ-34',
    ],
    [
      { jwks_uri, token_endpoint_auth_signing_alg: ['ES256'] },
      'client_keys_alg_not_supported',
      'PKJ-34',
    ],
    [
      { jwks_uri, token_endpoint_auth_signing_alg: 'none' },
      'client_keys_alg_not_supported',
      'PKJ-34',
    ],
  ])('refuses %j: %s [%s]', (metadata, reason, _id) => {
    expect(decided(metadata)).toBe(reason)
  })

  it('is the method of metadata that names it among others', () => {
    const token_endpoint_auth_methods_supported = ['client_secret_basic', 'private_key_jwt']
    const named = { token_endpoint_auth_method: undefined, token_endpoint_auth_methods_supported }
    expect(decided({ ...named, jwks_uri })).toEqual({
      jwks: null,
      jwksUri: jwks_uri,
      signingAlg: null,
    })
  })

  it('leaves out keys of types that no one knows [PKJ-33]', () => {
    const jwks = { keys: [{ kty: 'AKP', pub: 'x' }, EC, RSA, OKP] }
    expect(decided({ jwks })).toEqual({
      jwks: { keys: [EC, RSA, OKP] },
      jwksUri: null,
      signingAlg: null,
    })
  })

  it('names the address and the algorithm', () => {
    expect(decided({ jwks_uri, token_endpoint_auth_signing_alg: 'RS256' })).toEqual({
      jwks: null,
      jwksUri: jwks_uri,
      signingAlg: 'RS256',
    })
  })

  it('has no address at a site that fetches none', () => {
    expect(decided({ jwks_uri }, null)).toBe('client_keys_uri_not_allowed')
    expect(decided({ jwks: { keys: [EC] } }, null)).toMatchObject({ jwksUri: null })
  })

  it.each([
    { keys: [{ ...EC, x: undefined }] },
    { keys: [{ ...EC, y: 7 }] },
    { keys: [{ ...RSA, e: [] }] },
    { keys: [EC, 7] },
    { keys: [EC, 'EC'] },
  ])('refuses the keys %j', (jwks) => {
    expect(decided({ jwks })).toBe('client_keys_malformed')
  })

  it.each(['none', 'client_secret_post', 'tls_client_auth', ['private_key_jwt'], 7])(
    'is not asked by the method %j',
    (method) => {
      expect(decided({ token_endpoint_auth_method: method, jwks_uri })).toBeNull()
    },
  )
})

describe('the keys of defineClient', () => {
  const defined = (keys: unknown, more: Partial<Client> = {}): unknown => {
    try {
      return defineClient({ ...NOTES, keys: keys as NonNullable<Client['keys']>, ...more }).keys
    } catch (error) {
      return (error as OptionsError).mistakes
    }
  }
  const inline = { jwks: { keys: [EC] }, jwksUri: null, signingAlg: null }
  const address = { jwks: null, jwksUri: jwks_uri, signingAlg: 'ES256' }

  it('are a set or an address', () => {
    expect(defined(inline)).toEqual(inline)
    expect(defined(address)).toEqual(address)
    expect(defined(null)).toBeNull()
  })

  const either =
    'keys must be null unless tokenEndpointAuthMethod is "private_key_jwt", and have either jwks or jwksUri'
  it.each([
    [{ ...inline, ...address, jwks: inline.jwks }, [either]],
    [{ ...inline, jwks: null }, [either]],
    [
      { ...address, jwksUri: 'http://notes.example/' },
      ['keys.jwksUri must be an https URL such as "https://study.example/jwks.json"'],
    ],
    [{ ...inline, jwks: [EC] }, ['keys.jwks must be a JWK Set such as { keys: [publicJwk] }']],
    [
      { ...inline, jwks: { keys: 'x' } },
      ['keys.jwks must be a JWK Set such as { keys: [publicJwk] }'],
    ],
  ])('are not %j', (keys, mistakes) => {
    expect(defined(keys)).toEqual(mistakes)
  })

  it('are not of a client with another method', () => {
    expect(defined(inline, { tokenEndpointAuthMethod: 'none' })).toEqual([either])
  })
})
