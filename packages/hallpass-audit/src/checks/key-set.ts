import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, oidcCore, oidcDiscovery, rfc7517, rfc7518, rfc8414, rfc8725, SHOULD } from '../clause.js' // prettier-ignore
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { quote } from './documents.js'
import { listIn, mediaTypeOf, partOf } from './expect.js'

// prettier-ignore
const TEXT = {
  keys: rfc7517('5', MUST, AS, 'The JSON object MUST have a "keys" member, with its value being an array of JWKs.'),
  json: rfc7517('8.5', ADVICE, AS, 'A key set is JSON, and some clients read it only if the media type says so: application/json, or application/jwk-set+json.'),
  type: rfc7517('4.1', MUST, AS, 'The "kty" (key type) parameter identifies the cryptographic algorithm family used with the key, such as "RSA" or "EC". … This member MUST be present in a JWK.'),
  secret: rfc7517('9.2', MUST, AS, 'Private and symmetric keys MUST be protected from disclosure to unintended parties.'),
  entropy: rfc8725('3.5', MUST, AS, 'The Key Entropy and Random Values advice in Section 10.1 of [RFC7515] and the Password Considerations in Section 8.8 of [RFC7518] MUST be followed.'),
  size: rfc7518('3.3', MUST, AS, 'A key of size 2048 bits or larger MUST be used with these algorithms.'),
  coordinate: rfc7518('6.2.1.2', MUST, AS, 'The length of this octet string MUST be the full size of a coordinate for the curve specified in the "crv" parameter.'),
  members: rfc7518('6.2.1', MUST, AS, 'The following members MUST be present for all Elliptic Curve public keys: … The following members MUST be present for RSA public keys.'),
  kid: oidcCore('10.1', ADVICE, AS, 'Where there are several keys, a token has to name its own. A client finds the key by that name only if the key has it too.'),
  distinct: rfc7517('4.5', SHOULD, AS, 'When "kid" values are used within a JWK Set, different keys within the JWK Set SHOULD use distinct "kid" values.'),
  use: rfc8414('2', MUST, AS, "When both signing and encryption keys are made available, a \"use\" (public key use) parameter value is REQUIRED for all keys in the referenced JWK Set to indicate each key's intended usage."),
  algorithm: rfc7517('4.4', ADVICE, AS, 'A verifier that reads the alg of a key cannot use one whose alg is for another type or another curve.'),
  promised: oidcDiscovery('3', ADVICE, AS, 'A client that chooses an algorithm of the metadata needs a key for it.'),
  cached: oidcCore('10.1.1', ADVICE, AS, 'While a cache keeps the key set, verifiers do not learn of a new key, or that one was stolen. A day is long.'),
  early: oidcCore('10.1.1', ADVICE, AS, 'A server may sign with a key as soon as it publishes it. If it publishes the key earlier, clients that keep the key set need not ask again.'),
}

/** The members that only the owner of a key may know, by its type. */
const SECRET: Readonly<Record<string, readonly string[]>> = {
  RSA: ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'], EC: ['d'], OKP: ['d'], AKP: ['priv'], oct: ['k'],
} // prettier-ignore
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

/** Whether a key has the type and the curve of an algorithm. */
const fits = (key: Metadata, algorithm: string): boolean =>
  `${kindOf(key)} `.startsWith(`${KEY_OF[algorithm]} `)

/** Stops if the server publishes no key, so that nothing is held of none. */
async function keysOf(on: Audit): Promise<readonly Metadata[]> {
  const keys = await on.keys()
  if (keys.length === 0) throw new Stop(notReached('the key set has no key', await on.keysAnswer()))
  return keys
}

/** The answer with the key set, if there is one. */
async function answerOf(on: Audit): Promise<Answer> {
  const answer = await on.keysAnswer()
  if (answer.status === 200) return answer
  throw new Stop(notReached(`the key set answers ${answer.status}`, answer))
}

/** Looks for a key that is wrong: says why, or nothing. */
const ofEach = (
  id: string,
  clause: Clause,
  good: string,
  wrong: (key: Metadata, keys: readonly Metadata[]) => string | null,
  change: string,
): Check => ({
  id,
  clause,
  depth: 'passive',
  change,
  async run(on) {
    const keys = await keysOf(on)
    const at = await on.keysAnswer()
    for (const [index, key] of keys.entries()) {
      const why = wrong(key, keys)
      if (why !== null) return violated(at, `${named(key, index)} ${why}`)
    }
    return held(at, `${good} (keys: ${keys.length})`)
  },
})

/** The number of bits of a modulus. */
const bitsOf = (n: unknown): number => {
  const bytes = Buffer.from(typeof n === 'string' ? n : '', 'base64url')
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first]!) + 24
}

const isForEncryption = ({ use, alg }: Metadata): boolean =>
  use === 'enc' || (typeof alg === 'string' && /^(?:RSA-OAEP|RSA1_5|ECDH-ES)/.test(alg))

/** EdDSA is another name of Ed25519 and Ed448. */
const isSameAlgorithm = (one: unknown, other: string): boolean => one === other || /^Ed.*Ed/.test(`${String(one)} ${other}`) // prettier-ignore

function coordinateFault(key: Metadata): string | null {
  const length = key['kty'] === 'EC' ? COORDINATE[String(key['crv'])] : undefined
  const isRight = (value: unknown): boolean => typeof value === 'string' && value.length === length && /^[\w-]+$/.test(value) // prettier-ignore
  const wrong = length === undefined ? undefined : ['x', 'y'].find((name) => !isRight(key[name]))
  if (wrong === undefined) return null
  return `has ${wrong} ${quote(key[wrong])}, and not ${length} characters for ${String(key['crv'])}`
}

function readingFault(key: Metadata): string | null {
  // Node cannot read every type, and a key of another one may be right.
  if (!['RSA', 'EC', 'OKP'].includes(String(key['kty']))) return null
  try {
    createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    return null
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The keys with which the server signs. */
export const keySet: readonly Check[] = [
  {
    id: 'key-set/keys',
    clause: TEXT.keys,
    depth: 'passive',
    change:
      'Serve {"keys": […]} at jwks_uri, also if there is one key. A single key or a certificate is not a key set.',
    async run(on) {
      const answer = await on.keysAnswer()
      const { status, json, text, url } = answer
      const isSet = status === 200 && Array.isArray(json['keys'])
      return judge(answer, isSet, `the member keys of ${url.pathname} is an array`, `${url.pathname} answers ${status} ${JSON.stringify(text.slice(0, 40))}`) // prettier-ignore
    },
  },
  {
    id: 'key-set/json',
    clause: TEXT.json,
    depth: 'passive',
    change: 'Send Content-Type: application/json or application/jwk-set+json with the key set.',
    async run(on) {
      const answer = await answerOf(on)
      const where = `the media type is ${mediaTypeOf(answer) || 'missing'}`
      return judge(answer, /^application\/(?:json|[\w.-]+\+json)$/.test(mediaTypeOf(answer)), where, where) // prettier-ignore
    },
  },
  ofEach(
    'key-set/type',
    TEXT.type,
    'every key has a type',
    ({ kty }) => (typeof kty === 'string' && kty !== '' ? null : `has the kty ${quote(kty)}`),
    'Add "kty" to every key, such as "EC" or "RSA".',
  ),
  ofEach(
    'key-set/no-private-members',
    TEXT.secret,
    'no key has a secret member',
    (key) => {
      const secret = (SECRET[String(key['kty'])] ?? ['d', 'k', 'priv']).filter((one) => one in key)
      return secret.length === 0 ? null : `has the secret ${secret.join(', ')}`
    },
    'Publish the public half of each key only. Replace the published key immediately: a reader of it can sign tokens of this server.',
  ),
  ofEach(
    'key-set/not-printed',
    TEXT.entropy,
    'no key is a printed example',
    ({ x, n }) =>
      PRINTED.some((start) => String(x ?? n).startsWith(start))
        ? 'is an example whose private half is printed'
        : null,
    'Generate a key of your own, and remove the one that was copied.',
  ),
  ofEach(
    'key-set/size',
    TEXT.size,
    'no key is an RSA key of fewer bits',
    ({ kty, n }) => (kty === 'RSA' && bitsOf(n) < 2048 ? `has ${bitsOf(n)} bits` : null),
    'Generate RSA keys of 2048 bits or more, or use ES256 or Ed25519.',
  ),
  ofEach(
    'key-set/coordinates',
    TEXT.coordinate,
    'no key has another form',
    coordinateFault,
    'Export the key with a library for JWK. A coordinate that was converted from a number loses its leading zeros, which every 128th key has.',
  ),
  ofEach(
    'key-set/public-keys',
    TEXT.members,
    'every key can be read',
    readingFault,
    'Publish n and e of an RSA key, crv, x and y of an EC key, crv and x of an OKP key.',
  ),
  ofEach(
    'key-set/key-ids',
    TEXT.kid,
    'a verifier finds each key',
    ({ kid }, { length }) =>
      length === 1 || (typeof kid === 'string' && kid !== '') ? null : `has the kid ${quote(kid)}`,
    'Add "kid" to every key and to the header of each token. Without it, no key can be replaced while tokens are valid.',
  ),
  ofEach(
    'key-set/distinct-key-ids',
    TEXT.distinct,
    'no two keys have the same kid',
    ({ kid, kty, alg }, keys) => {
      // The same identifier for equivalent keys of other algorithms is allowed.
      const same = keys.filter((one) => one['kid'] === kid && one['kty'] === kty && one['alg'] === alg) // prettier-ignore
      return kid !== undefined && same.length > 1 ? `is there ${same.length} times` : null
    },
    'Derive the kid of a key from its thumbprint, and give no other key the same.',
  ),
  ofEach(
    'key-set/use',
    TEXT.use,
    'no key leaves open what it is for',
    ({ use }, keys) =>
      use === undefined && keys.some(isForEncryption) && !keys.every(isForEncryption)
        ? 'has no use, and the set has keys for encryption'
        : null,
    'Add "use": "sig" or "use": "enc" to every key.',
  ),
  ofEach(
    'key-set/algorithm-fits',
    TEXT.algorithm,
    'no key has the algorithm of another type',
    (key) => {
      const alg = String(key['alg'])
      return !(alg in KEY_OF) || fits(key, alg) ? null : `has the algorithm ${alg}, and is ${kindOf(key)}` // prettier-ignore
    },
    'Name the algorithm of the key, such as ES256 for P-256, or leave "alg" out.',
  ),
  {
    id: 'key-set/promised-algorithms',
    clause: TEXT.promised,
    depth: 'passive',
    change:
      'Publish a key for each algorithm of id_token_signing_alg_values_supported, or remove the algorithm from the list.',
    async run(on) {
      const algorithms = listIn(await on.openid(), 'id_token_signing_alg_values_supported') ?? []
      const keys = await keysOf(on)
      // HS256 and none have no public key. Other algorithms are unknown here.
      const known = algorithms.filter((one) => one in KEY_OF)
      if (known.length === 0) return notApplicable(`no key is needed for ${algorithms.join(', ')}`)
      const isFor = (key: Metadata, one: string): boolean =>
        fits(key, one) && (key['alg'] === undefined || isSameAlgorithm(key['alg'], one))
      const without = known.filter((one) => !keys.some((key) => isFor(key, one)))
      return judge(await on.keysAnswer(), without.length === 0, `there is a key for ${known.join(', ')}`, `there is no key for ${without.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'key-set/cache-lifetime',
    clause: TEXT.cached,
    depth: 'passive',
    change:
      'Send Cache-Control: public, max-age=600 with the key set. Publish a new key for at least this time before it signs.',
    async run(on) {
      const answer = await answerOf(on)
      const control = answer.headers.get('cache-control') ?? ''
      const seconds = [...control.matchAll(/(?:s-maxage|max-age)\s*=\s*"?(\d+)/gi)].map(([, digits]) => Number(digits)) // prettier-ignore
      const isLong = /\bimmutable\b/i.test(control) || seconds.some((one) => one > LONGEST)
      const where = `Cache-Control is ${control || 'missing'}`
      return judge(answer, !isLong || /\bno-(?:store|cache)\b/i.test(control), where, where)
    },
  },
  {
    id: 'key-set/signing-key',
    clause: TEXT.early,
    depth: 'people',
    change:
      'Sign with a key only after it was published for as long as caches keep the key set, in every process of the server.',
    async run(on) {
      // Read before the token was issued.
      const keys = await on.keys()
      const tokens = await on.sharedTokens()
      if (tokens.idToken === null) return notApplicable('the server issued no ID token', tokens)
      const { alg, kid } = partOf(tokens.idToken, 0)
      if (!(String(alg) in KEY_OF)) return notApplicable(`the ID token has the algorithm ${String(alg)}`, tokens) // prettier-ignore
      const isThere = keys.some((key) => kid === undefined || key['kid'] === kid)
      const key = `the key ${quote(kid)} of the ID token`
      return judge(tokens, isThere, `${key} was published before`, `${key} was not published before. The key set had ${keys.length}`) // prettier-ignore
    },
  },
]
