import { compactVerify, createLocalJWKSet, EmbeddedJWK, errors } from 'jose'
import { custom, list, oneOf, type OptionalRule, optional } from '../options/check.js'
import { readPublicKey } from '../policy/public-key.js'
import { memberOf, type Members } from '../policy/reading.js'

/** Algorithms of signatures with a public key that jose verifies. */
export const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'Ed25519',
  'EdDSA',
] as const

const named = list(oneOf(...ALGORITHMS))
/** The rule of the option `algorithms`, which names at least one. */
export const ALGORITHM_RULE: OptionalRule<readonly (typeof ALGORITHMS)[number][]> = optional(
  custom(named.wanted, (value, name) =>
    Array.isArray(value) && value.length === 0
      ? [`${name} must name an algorithm such as "ES256"`]
      : named.mistakes(value, name),
  ),
)

/** Result of a check: `unknown` if no key has the `kid` of the header, `unusable` if none that has it can verify. */
export type Signature = 'right' | 'wrong' | 'unknown' | 'unusable'

/** The public keys that can be tried. Each is imported once. */
export interface KeySet {
  readonly keys: readonly Members[]
  readonly find: ReturnType<typeof createLocalJWKSet>
}

/** Takes what can be read of a JWK Set. Other keys are left out, as RFC 7517, section 5, has it. */
export function createKeySet(jwks: { readonly keys: readonly unknown[] }): KeySet {
  const keys = jwks.keys.map(readPublicKey).filter((key) => key !== null)
  return { keys, find: createLocalJWKSet({ keys }) }
}

/**
 * Finds out whether one of the keys made the signature of a JWT. Without a `kid`, each key of the algorithm is tried. No
 * claim is looked at.
 *
 * @param header - of the JWT, as it was read
 */
export async function verifySignature(
  { keys, find }: KeySet,
  { token, header, algorithms }: { token: string; header: Members; algorithms: readonly string[] },
): Promise<Signature> {
  const kid = memberOf(header, 'kid')
  if (kid !== undefined && keys.every((key) => key['kid'] !== kid)) return 'unknown'
  const named = kid === undefined ? {} : { kid: kid as string }
  const first = await tried(token, algorithms, ({ alg }) => find({ alg, ...named }))
  if (!(first instanceof errors.JWKSMultipleMatchingKeys)) return first
  let found: Signature = 'unusable'
  for await (const key of first) {
    const one = await tried(token, algorithms, () => key)
    if (one === 'right') return one
    if (one === 'wrong') found = one
  }
  return found
}

/** Finds out whether the key that the header of a JWT contains made its signature. */
export const verifyEmbedded = async (
  token: string,
  algorithms: readonly string[],
): Promise<Tried> =>
  (await tried(token, algorithms, ({ alg, jwk }) =>
    EmbeddedJWK({ alg, jwk: readPublicKey(jwk)! }),
  )) as Tried

type Tried = Exclude<Signature, 'unknown'>

async function tried(
  token: string,
  algorithms: readonly string[],
  keyOf: (header: { alg: string; jwk?: unknown }) => CryptoKey | Promise<CryptoKey>,
): Promise<Tried | errors.JWKSMultipleMatchingKeys> {
  try {
    await compactVerify(token, async (header) => keyOf(header), { algorithms: [...algorithms] })
    return 'right'
  } catch (fault) {
    if (fault instanceof errors.JWKSMultipleMatchingKeys) return fault
    return fault instanceof errors.JWSSignatureVerificationFailed ? 'wrong' : 'unusable'
  }
}
