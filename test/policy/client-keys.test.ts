import { decideClientKeys } from 'hallpass/blocks'
import { describe, expect, it } from 'vitest'

const decide = (metadata: object): unknown =>
  decideClientKeys({
    metadata: { token_endpoint_auth_method: 'private_key_jwt', ...metadata },
    algorithms: ['ES256', 'RS256'],
    policy: { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] },
  })

const KEY = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }

describe('decideClientKeys', () => {
  it('keeps of a key what is used, without what says nothing', () => {
    const more = { use: null, alg: '', key_ops: [], d: null, oth: [], x5c: ['MII'], kid: 'one' }
    expect(decide({ jwks: { keys: [{ ...KEY, ...more }] } })).toEqual({
      ok: true,
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks: { keys: [{ ...KEY, kid: 'one' }] }, jwksUri: null, signingAlg: null },
    })
  })

  it.each([{ use: 'enc' }, { key_ops: ['encrypt'] }, { key_ops: {} }, { use: 7 }])(
    'refuses keys of which none is for signatures: %j',
    (more) => {
      expect(decide({ jwks: { keys: [{ ...KEY, ...more }] } })).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'client_keys_malformed',
        description:
          'the keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP, one of them for signatures',
      })
      expect(decide({ jwks: { keys: [{ ...KEY, ...more }, KEY] } })).toMatchObject({ ok: true })
    },
  )

  // The last one cannot be made a text: JSON can say so, and it must not become a fault.
  it.each<unknown>([7, true, ['https://notes.example/jwks.json'], {}, { toString: 'x' }])(
    'refuses the address %j',
    (jwks_uri) => {
      expect(decide({ jwks_uri })).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'client_keys_uri_not_allowed',
        description:
          'the address of the keys, jwks_uri, must be an https URL of a public host from which this site accepts documents',
      })
    },
  )

  it('names every algorithm that it accepts', () => {
    const jwks_uri = 'https://notes.example/jwks.json'
    expect(decide({ jwks_uri, token_endpoint_auth_signing_alg: 'ES384' })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'client_keys_alg_not_supported',
      description: 'token_endpoint_auth_signing_alg must be one of ES256, RS256',
    })
  })
})
