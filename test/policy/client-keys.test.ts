import { decideClientKeys } from 'hallpass/blocks'
import { describe, expect, it } from 'vitest'

const decide = (metadata: object): unknown =>
  decideClientKeys({
    metadata: { token_endpoint_auth_method: 'private_key_jwt', ...metadata },
    algorithms: ['ES256', 'RS256'],
    policy: { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] },
  })

/** A key with this number of members, of which four are of use. */
const keyOf = (members: number): object => ({
  kty: 'EC',
  crv: 'P-256',
  x: 'x',
  y: 'y',
  ...Object.fromEntries(Array.from({ length: members - 4 }, (_, at) => [`more${at}`, 1])),
})

describe('decideClientKeys', () => {
  it('takes a key of 32 members, and none of more', () => {
    const jwks = { keys: [keyOf(32)] }
    expect(decide({ jwks })).toEqual({
      ok: true,
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks, jwksUri: null, signingAlg: null },
    })
    expect(decide({ jwks: { keys: [keyOf(33)] } })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'client_keys_malformed',
      description: 'the keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP',
    })
  })

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
