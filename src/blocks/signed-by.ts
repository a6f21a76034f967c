import { type createLocalJWKSet, errors, jwtVerify, type JWTVerifyOptions } from 'jose'

export type KeySet = ReturnType<typeof createLocalJWKSet>

/** Whether one of the keys made the signature. Without a `kid`, each key of the algorithm is tried. */
export async function isSignedBy(
  keySet: KeySet,
  assertion: string,
  options: JWTVerifyOptions,
): Promise<boolean> {
  const isValid = async (key: KeySet | CryptoKey): Promise<unknown> => {
    try {
      // The two forms of a key are two signatures of jwtVerify.
      await (typeof key === 'function' ? jwtVerify(assertion, key, options) : jwtVerify(assertion, key, options)) // prettier-ignore
      return true
    } catch (fault) {
      return fault
    }
  }
  const first = await isValid(keySet)
  if (!(first instanceof errors.JWKSMultipleMatchingKeys)) return first === true
  for await (const key of first) if ((await isValid(key)) === true) return true
  return false
}
