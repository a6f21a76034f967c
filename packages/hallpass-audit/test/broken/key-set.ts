import type { KeySource } from 'hallpass/token'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { sha256Base64url } from '../../../../src/encoding/hash.js'
import type { Fault } from '../broken-server.js'
import { answers, type Broken, headers, json, replaced } from '../faults.js'

const KEYS = '/.well-known/jwks.json'
const OPENID = '/.well-known/openid-configuration'
type Key = Record<string, unknown>

/** Replaces the keys that are published. */
const published = (change: (keys: readonly Key[]) => readonly Key[]) =>
  json(KEYS, ({ keys }) => ({ keys: change(keys as Key[]) }))

/** Publishes a further key. */
const adding = (key: Key) => published((keys) => [...keys, key])

/** Public keys whose private halves are forgotten. */
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'TmXNjz3MndTWWrRDuf2X-T_sWqnChr_mTeYkgI4GUXA',
  y: '5vwKup-C1bWt51zVhUUPsOyqz05o-U4BjBVYeePklnU',
}
const P384 = {
  kty: 'EC',
  crv: 'P-384',
  x: 'gxgLzoEIHwm1601Zf-kyU3fh5qZlaLe6pGLrlzxKAi8Q9p-S1CQzF_tuPOjp9C3n',
  y: '4YQ9ZyTkee8uYJuuaVXdMkHrVU3D69kCwTBkfQYo75mKljzNX7y-rfF186YHs8oe',
}
/** Its x begins with a byte of zeros, which is left out. */
const SHORT = {
  kty: 'EC',
  crv: 'P-256',
  x: 'g7Q_HtSSYLlCpSNvrLG1-fJ51xnai3Y2TX9N7q6u0g',
  y: 'k-8eUkALqoffJTuDF4CbN8SmTgdxiJm2Nb7J4c1r9qM',
}
const RSA1024 = {
  kty: 'RSA',
  n: '3wHg04CYf4B7KbKvAOzGYUER50OamzkfFxoy8w5lFdjtpqGDMAKgCTratI4JKVsBJ_cbGsS2T6saNZPNfFHdhVShd5uM-xN_0gD8B3i8oUmJYMJ9DcGrGELHbXGYVmMABOG9KwYXkHP1Lfethsi97PaAsJvBusDtuwcQ6Y3Hoa0',
  e: 'AQAB',
}
/** The first key of RFC 7517, appendix A.1. Its private half is in appendix A.2. */
const PRINTED = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

/** Signs with another key after the first token. */
function rotating({ isPublished = true, isRemoved = false }): Fault {
  const made = ['first', 'second'].map(async (kid) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid } }
  })
  let signed = 0
  const keys: KeySource = {
    refreshSecrets: () => ['a secret of at least 32 characters'],
    async jwks() {
      const [first, second] = await Promise.all(made)
      const isLate = signed > 1
      return { keys: [...(isLate && isRemoved ? [] : [first!.jwk]), ...(isPublished && (isLate || !isRemoved) ? [second!.jwk] : [])] }
    },
    signer: async () => {
      const { kid, privateKey } = (await made[signed === 0 ? 0 : 1])!
      return {
        kid,
        sign: async (payload) => {
          signed += 1
          return new SignJWT({ ...payload }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
        },
      }
    },
  }
  // The server itself keeps what it has read of them.
  return { server: { keys }, ...replaced(KEYS, async () => Response.json(await keys.jwks())) }
} // prettier-ignore

export const keySet: readonly Broken[] = [
  {
    name: 'a key alone is published',
    fault: json(KEYS, ({ keys }) => (keys as Key[])[0]),
    violates: ['key-set/keys', 'key-set/signing-key', 'id-token/signature'],
  },
  {
    name: 'keys have the media type of a static file',
    fault: headers(KEYS, (of) => of.set('content-type', 'text/plain')),
    violates: ['key-set/json'],
  },
  {
    name: 'a key has no type',
    fault: adding({ ...P256, kty: undefined, kid: 'second' }),
    violates: ['key-set/type'],
  },
  {
    name: 'the private key is published',
    fault: published((keys) => keys.map((key) => ({ ...key, d: sha256Base64url('a private key') }))),
    violates: ['key-set/no-private-members'],
    whole: true,
  },
  {
    name: 'the secret of HS256 is published',
    fault: adding({ kty: 'oct', kid: 'shared', alg: 'HS256', k: sha256Base64url('a shared key') }),
    violates: ['key-set/no-private-members'],
  },
  {
    name: 'the example of RFC 7517 is a key',
    fault: adding({ ...PRINTED, kid: '1', alg: 'ES256' }),
    violates: ['key-set/not-printed'],
  },
  {
    name: 'an RSA key has 1024 bits',
    fault: adding({ ...RSA1024, kid: 'second', alg: 'RS256' }),
    violates: ['key-set/size'],
  },
  {
    name: 'a coordinate has lost its leading zeros',
    fault: adding({ ...SHORT, kid: 'second', alg: 'ES256' }),
    violates: ['key-set/coordinates'],
  },
  {
    name: 'a key is no point of its curve',
    fault: adding({ ...P256, x: P256.y, kid: 'second', alg: 'ES256' }),
    violates: ['key-set/public-keys'],
  },
  {
    name: 'the one key has no identifier, and tokens name one',
    fault: published((keys) => keys.map((key) => ({ ...key, kid: undefined }))),
    violates: ['key-set/signing-key'],
  },
  {
    name: 'one of two keys has no identifier',
    fault: adding(P256),
    violates: ['key-set/key-ids'],
  },
  {
    name: 'all keys have one identifier',
    fault: published((keys) => [...keys, { ...P256, alg: 'ES256', kid: keys[0]!['kid'] }]),
    violates: ['key-set/distinct-key-ids'],
  },
  {
    name: 'a key for encryption is published, and the one that signs has no use',
    fault: published((keys) => [
      ...keys.map((key) => ({ ...key, use: undefined })),
      { ...P256, kid: 'encrypts', use: 'enc', alg: 'ECDH-ES' },
    ]),
    violates: ['key-set/use'],
  },
  {
    name: 'a key for ES384 says ES256',
    fault: adding({ ...P384, kid: 'second', alg: 'ES256' }),
    violates: ['key-set/algorithm-fits'],
  },
  {
    name: 'RS256 is promised, and no key is one for it',
    fault: json(OPENID, (document) => ({ ...document, id_token_signing_alg_values_supported: ['ES256', 'RS256'] })),
    violates: ['key-set/promised-algorithms'],
    holds: ['id-token/rs256-offered'],
  },
  {
    name: 'caches keep keys for a year, as they do with files',
    fault: headers(KEYS, (of) => of.set('cache-control', 'public, max-age=31536000, immutable')),
    violates: ['key-set/cache-lifetime'],
  },
  {
    name: 'a key is removed when the next one signs',
    fault: rotating({ isRemoved: true }),
    violates: ['key-set/retained'],
  },
  {
    name: 'the key is replaced after the first token, and the new one is not published',
    fault: rotating({ isPublished: false }),
    violates: ['id-token/signature'],
  },
  {
    name: 'the key is replaced after the first token',
    fault: rotating({}),
    violates: [],
  },
  {
    name: 'each process has a key of its own',
    fault: published(() => [{ ...P256, kid: 'of-the-other-process', use: 'sig', alg: 'ES256' }]),
    violates: ['key-set/signing-key', 'id-token/signature'],
  },
  {
    name: 'a key was replaced, and its identifier was not',
    fault: published((keys) => keys.map((key) => ({ ...key, ...P256 }))),
    violates: ['id-token/signature'],
  },
  {
    name: 'keys are not found',
    fault: answers(KEYS, () => new Response('Not found', { status: 404 })),
    violates: ['key-set/keys', 'key-set/signing-key', 'id-token/signature'],
  },
] // prettier-ignore
