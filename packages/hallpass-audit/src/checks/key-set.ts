import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Metadata } from '../engine/discovery.js'
import { quote } from './documents.js'
import { listIn, mediaTypeOf } from './expect.js'

/** The members that only the owner of a key may know, by its type. */
const SECRET: Readonly<Record<string, readonly string[]>> = {
  RSA: ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'],
  EC: ['d'],
  OKP: ['d'],
  AKP: ['priv'],
  oct: ['k'],
}
/** The type and the curve with which an algorithm signs (RFC 7518, section 3.1, and RFC 8037). */
const KEY_OF: Readonly<Record<string, string>> = {
  RS256: 'RSA', RS384: 'RSA', RS512: 'RSA', PS256: 'RSA', PS384: 'RSA', PS512: 'RSA',
  ES256: 'EC P-256', ES384: 'EC P-384', ES512: 'EC P-521', ES256K: 'EC secp256k1',
  Ed25519: 'OKP Ed25519', Ed448: 'OKP Ed448', EdDSA: 'OKP',
} // prettier-ignore
/** How many characters a coordinate of a curve has in base64url: leading zeros are part of it. */
const COORDINATE: Readonly<Record<string, number>> = {
  'P-256': 43, 'P-384': 64, 'P-521': 88, secp256k1: 43,
} // prettier-ignore
/**
 * The beginnings of public keys whose private halves are printed: those of RFC 7517, RFC 7515, RFC 8037 and of a popular
 * page that decodes tokens.
 */
const PRINTED = [
  'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7', '0vx7agoebGcQSuuPiLJXZptN9nndrQmb',
  'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8T', 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAk',
  '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMl', 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0t',
] // prettier-ignore
/** The longest that a cache may keep the key set, in seconds: one day. */
const LONGEST = 86_400

/** Names a key in a sentence. */
const named = ({ kid, kty }: Metadata, index: number): string =>
  typeof kid === 'string' ? `the key ${kid}` : `the key ${index + 1} (${String(kty)})`

const kindOf = ({ kty, crv }: Metadata): string =>
  [kty, crv].filter((one) => typeof one === 'string').join(' ')

/** Stops if the server publishes no key, so that nothing is held of none. */
async function keysOf(on: Audit): Promise<readonly Metadata[]> {
  const keys = await on.keys()
  if (keys.length === 0) throw new Stop(notReached('the key set has no key'))
  return keys
}

/** Held if no key is wrong. */
async function ofEach(
  on: Audit,
  good: string,
  wrong: (key: Metadata, keys: readonly Metadata[]) => string | null,
): Promise<Finding> {
  const keys = await keysOf(on)
  for (const [index, key] of keys.entries()) {
    const why = wrong(key, keys)
    if (why !== null) return violated(`${named(key, index)} ${why}`)
  }
  return held(`${good} (keys: ${keys.length})`)
}

/** The number of bits of a modulus. */
const bitsOf = (n: unknown): number => {
  const bytes = Buffer.from(typeof n === 'string' ? n : '', 'base64url')
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first]!) + 24
}

const isForEncryption = ({ use, alg }: Metadata): boolean =>
  use === 'enc' || (typeof alg === 'string' && /^(?:RSA-OAEP|RSA1_5|ECDH-ES)/.test(alg))

/** The keys with which the server signs. */
export const keySet: readonly Check[] = [
  {
    id: 'key-set/keys',
    clause: {
      document: 'RFC 7517',
      section: '5',
      level: 'MUST',
      says: 'A key set is a JSON object whose member keys is an array.',
    },
    depth: 'passive',
    change:
      'Serve {"keys": […]} at jwks_uri, also if there is one key. A single key or a certificate is not a key set.',
    async run(on) {
      const { status, json, text, url } = await on.keysAnswer()
      return judge(
        status === 200 && Array.isArray(json['keys']),
        `the member keys of ${url.pathname} is an array`,
        `${url.pathname} answers ${status} ${JSON.stringify(text.slice(0, 40))}`,
      )
    },
  },
  {
    id: 'key-set/json',
    clause: {
      document: 'RFC 7517',
      section: '8.5',
      level: 'SHOULD',
      says: 'A key set is sent as application/jwk-set+json, or as the JSON that it is.',
    },
    depth: 'passive',
    change: 'Send Content-Type: application/json or application/jwk-set+json with the key set.',
    async run(on) {
      const answer = await on.keysAnswer()
      const type = mediaTypeOf(answer)
      if (answer.status !== 200) throw new Stop(notReached(`the key set answers ${answer.status}`))
      return judge(
        /^application\/(?:json|[\w.-]+\+json)$/.test(type),
        `the media type is ${type}`,
        `the media type is ${type || 'missing'}`,
      )
    },
  },
  {
    id: 'key-set/type',
    clause: {
      document: 'RFC 7517',
      section: '4.1',
      level: 'MUST',
      says: 'Every key names its type.',
    },
    depth: 'passive',
    change: 'Add "kty" to every key, such as "EC" or "RSA".',
    run: (on) =>
      ofEach(on, 'every key has a type', ({ kty }) =>
        typeof kty === 'string' && kty !== '' ? null : `has the kty ${quote(kty)}`,
      ),
  },
  {
    id: 'key-set/no-private-members',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'MUST NOT',
      says: 'The key set has no private key and no symmetric one.',
    },
    depth: 'passive',
    change:
      'Publish the public half of each key only. Replace the published key immediately: a reader of it can sign tokens of this server.',
    run: (on) =>
      ofEach(on, 'no key has a secret member', (key) => {
        const secret = (SECRET[String(key['kty'])] ?? ['d', 'k', 'priv']).filter((name) => name in key) // prettier-ignore
        return secret.length === 0 ? null : `has the secret ${secret.join(', ')}`
      }),
  },
  {
    id: 'key-set/not-printed',
    clause: {
      document: 'RFC 8725',
      section: '3.5',
      level: 'MUST',
      says: 'A key is a secret of the server, and not one that is printed as an example.',
    },
    depth: 'passive',
    change: 'Generate a key of your own, and remove the one that was copied.',
    run: (on) =>
      ofEach(on, 'no key is a printed example', ({ x, n }) =>
        PRINTED.some((start) => String(x ?? n).startsWith(start))
          ? 'is an example whose private half is printed'
          : null,
      ),
  },
  {
    id: 'key-set/size',
    clause: {
      document: 'RFC 7518',
      section: '3.3',
      level: 'MUST',
      says: 'An RSA key that signs has 2048 bits or more.',
    },
    depth: 'passive',
    change: 'Generate RSA keys of 2048 bits or more, or use ES256 or Ed25519.',
    run: (on) =>
      ofEach(on, 'no key is an RSA key of fewer bits', ({ kty, n }) =>
        kty === 'RSA' && bitsOf(n) < 2048 ? `has ${bitsOf(n)} bits` : null,
      ),
  },
  {
    id: 'key-set/coordinates',
    clause: {
      document: 'RFC 7518',
      section: '6.2.1.2',
      level: 'MUST',
      says: 'A coordinate of a key on a curve has its full length, with leading zeros, in base64url without padding.',
    },
    depth: 'passive',
    change:
      'Export the key with a library for JWK. A coordinate that was converted from a number loses its leading zeros, which every 128th key has.',
    run: (on) =>
      ofEach(on, 'no key has another form', (key) => {
        const { kty, crv } = key
        const length = kty === 'EC' ? COORDINATE[String(crv)] : undefined
        const isRight = (value: unknown): boolean => typeof value === 'string' && value.length === length && /^[\w-]+$/.test(value) // prettier-ignore
        const wrong = length === undefined ? undefined : ['x', 'y'].find((name) => !isRight(key[name])) // prettier-ignore
        return wrong === undefined
          ? null
          : `has ${wrong} ${quote(key[wrong])}, and not ${length} characters for ${String(crv)}`
      }),
  },
  {
    id: 'key-set/public-keys',
    clause: {
      document: 'RFC 7518',
      section: '6',
      level: 'MUST',
      says: 'Every key has the members of its type, from which a public key comes.',
    },
    depth: 'passive',
    change: 'Publish n and e of an RSA key, crv, x and y of an EC key, crv and x of an OKP key.',
    run: (on) =>
      ofEach(on, 'every key can be read', (key) => {
        // Node cannot read every type, and a key of another one may be right.
        if (!['RSA', 'EC', 'OKP'].includes(String(key['kty']))) return null
        try {
          createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
          return null
        } catch (error) {
          return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
        }
      }),
  },
  {
    id: 'key-set/key-ids',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '10.1',
      level: 'MUST',
      says: 'If the set has several keys, each has an identifier, by which a verifier finds the one that signed.',
    },
    depth: 'passive',
    change:
      'Add "kid" to every key and to the header of each token. Without it, no key can be replaced while tokens are valid.',
    run: (on) =>
      ofEach(on, 'a verifier finds each key', ({ kid }, { length }) =>
        length === 1 || (typeof kid === 'string' && kid !== '')
          ? null
          : `has the kid ${quote(kid)}`,
      ),
  },
  {
    id: 'key-set/distinct-key-ids',
    clause: {
      document: 'RFC 7517',
      section: '4.5',
      level: 'SHOULD',
      says: 'Keys of one set have different identifiers.',
    },
    depth: 'passive',
    change: 'Derive the kid of a key from its thumbprint, and give no other key the same.',
    run: (on) =>
      ofEach(on, 'no two keys have the same kid', (key, keys) => {
        const { kid, kty, alg } = key
        // The same identifier for equivalent keys of other algorithms is allowed.
        const same = keys.filter((one) => one['kid'] === kid && one['kty'] === kty && one['alg'] === alg) // prettier-ignore
        return kid !== undefined && same.length > 1 ? `is there ${same.length} times` : null
      }),
  },
  {
    id: 'key-set/use',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'If some keys encrypt and others sign, every key says which it does.',
    },
    depth: 'passive',
    change: 'Add "use": "sig" or "use": "enc" to every key.',
    run: (on) =>
      ofEach(on, 'no key leaves open what it is for', ({ use }, keys) =>
        use === undefined && keys.some(isForEncryption) && !keys.every(isForEncryption)
          ? 'has no use, and the set has keys for encryption'
          : null,
      ),
  },
  {
    id: 'key-set/algorithm-fits',
    clause: {
      document: 'RFC 8725',
      section: '3.1',
      level: 'MUST',
      says: 'A key is for one algorithm, which its type and its curve allow.',
    },
    depth: 'passive',
    change: 'Name the algorithm of the key, such as ES256 for P-256, or leave "alg" out.',
    run: (on) =>
      ofEach(on, 'no key has the algorithm of another type', (key) => {
        const { alg } = key
        const kind = typeof alg === 'string' ? KEY_OF[alg] : undefined
        return kind === undefined || `${kindOf(key)} `.startsWith(`${kind} `)
          ? null
          : `has the algorithm ${String(alg)}, and is ${kindOf(key)}`
      }),
  },
  {
    id: 'key-set/promised-algorithms',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'SHOULD',
      says: 'The key set has a key for every algorithm with which the server says that it signs ID tokens.',
    },
    depth: 'passive',
    change:
      'Publish a key for each algorithm of id_token_signing_alg_values_supported, or remove the algorithm from the list.',
    async run(on) {
      const algorithms = listIn(await on.openid(), 'id_token_signing_alg_values_supported') ?? []
      const keys = await keysOf(on)
      // HS256 and none have no public key. Other algorithms are unknown here.
      const known = algorithms.filter((one) => one in KEY_OF)
      if (known.length === 0) return notApplicable(`no key is needed for ${algorithms.join(', ')}`)
      const without = known.filter(
        (algorithm) =>
          !keys.some(
            (key) =>
              `${kindOf(key)} `.startsWith(`${KEY_OF[algorithm]} `) &&
              (key['alg'] === undefined || isSameAlgorithm(key['alg'], algorithm)),
          ),
      )
      return judge(
        without.length === 0,
        `there is a key for ${known.join(', ')}`,
        `there is no key for ${without.join(', ')}`,
      )
    },
  },
  {
    id: 'key-set/cache-lifetime',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '10.1.1',
      level: 'SHOULD NOT',
      says: 'No cache keeps the key set so long that a new key cannot sign within a day.',
    },
    depth: 'passive',
    change:
      'Send Cache-Control: public, max-age=600 with the key set. Publish a new key for at least this time before it signs.',
    async run(on) {
      const { headers, status } = await on.keysAnswer()
      if (status !== 200) throw new Stop(notReached(`the key set answers ${status}`))
      const control = headers.get('cache-control') ?? ''
      const seconds = [...control.matchAll(/(?:s-maxage|max-age)\s*=\s*"?(\d+)/gi)].map(([, digits]) => Number(digits)) // prettier-ignore
      const isLong = /\bimmutable\b/i.test(control) || seconds.some((one) => one > LONGEST)
      return judge(
        !isLong || /\bno-(?:store|cache)\b/i.test(control),
        `Cache-Control is ${control || 'missing'}`,
        `Cache-Control is ${control}`,
      )
    },
  },
  {
    id: 'key-set/signing-key',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'MUST',
      says: 'The key set, read before, has the key that signs the next ID token.',
    },
    depth: 'people',
    change:
      'Sign with a key only after it was published for as long as caches keep the key set, in every process of the server.',
    async run(on) {
      await on.openid()
      const keys = await on.keys()
      const { idToken } = await on.sharedTokens()
      on.show(await on.keysAnswer())
      if (idToken === null) return notApplicable('the server issued no ID token')
      const { alg, kid } = decodeProtectedHeader(idToken)
      if (alg?.startsWith('HS') === true || alg === 'none') return notApplicable(`the ID token has the algorithm ${alg}`) // prettier-ignore
      const named = `the key ${kid ?? 'without a kid'} (${alg}) of the ID token`
      const candidates = keys.filter((key) => kid === undefined || key['kid'] === kid)
      for (const key of candidates)
        if (await isSignedWith(key, idToken, alg)) return held(`${named} is published`)
      return violated(
        candidates.length === 0
          ? `${named} is not published. The key set has ${keys.length}`
          : `no published key verifies the ID token, whose kid is ${kid ?? 'missing'}`,
      )
    },
  },
]

/** Whether a key verifies a token. That it may be published with its private half is another matter. */
async function isSignedWith(key: Metadata, token: string, alg?: string): Promise<boolean> {
  const secret = SECRET[String(key['kty'])] ?? []
  const half = Object.fromEntries(Object.entries(key).filter(([name]) => !secret.includes(name)))
  try {
    await compactVerify(token, await importJWK(half as JWK, alg))
    return true
  } catch {
    return false
  }
}

/** EdDSA is another name of Ed25519 and Ed448. */
const isSameAlgorithm = (one: unknown, other: string): boolean =>
  one === other || (String(one).startsWith('Ed') && other.startsWith('Ed'))
