import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT, calculateJwkThumbprint } from 'jose' // prettier-ignore
import { newSecret } from './random.js'

/** A key with which a client signs assertions. */
export interface SigningKey {
  readonly key: CryptoKey | Uint8Array
  readonly publicJwk: JWK
  readonly alg: string
}

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ALGORITHMS = ['ES256', 'PS256', 'RS256', 'EdDSA', 'ES384', 'ES512']

/** The key of a client that the operator gave. One without `alg` signs with an algorithm of the server. */
export async function readSigningKey(
  privateJwk: JWK,
  supported: readonly string[],
): Promise<SigningKey> {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = privateJwk
  const alg = publicJwk.alg ?? algorithmOf(publicJwk, supported)
  return { key: await importJWK(privateJwk, alg), publicJwk, alg }
}

/** Creates a key for the first of these algorithms that can be made, or for ES256. */
export async function createSigningKey(supported: readonly string[]): Promise<SigningKey> {
  const alg = ALGORITHMS.find((one) => supported.includes(one)) ?? 'ES256'
  const { privateKey: key, publicKey } = await generateKeyPair(alg)
  const exported = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(exported)
  return { key, publicJwk: { ...exported, alg, use: 'sig', kid }, alg }
}

function algorithmOf({ kty, crv }: JWK, supported: readonly string[]): string {
  if (kty === 'OKP') return 'EdDSA'
  if (kty === 'RSA')
    return supported.includes('PS256') && !supported.includes('RS256') ? 'PS256' : 'RS256'
  return crv === 'P-384' ? 'ES384' : crv === 'P-521' ? 'ES512' : 'ES256'
}

/** The claims of an assertion that is right but for the changes: `undefined` leaves one out. */
export function claimsOf(
  clientId: string,
  audience: string,
  changes: Readonly<Record<string, unknown>> = {},
): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return { iss: clientId, sub: clientId, aud: audience, iat: now, exp: now + 60, jti: newSecret(), ...changes } // prettier-ignore
}

/** Signs an assertion. */
export const signed = ({ key, alg, publicJwk: { kid } }: SigningKey, claims: JWTPayload): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', ...(kid !== undefined && { kid }) }).sign(key) // prettier-ignore

/** The fields by which a client sends an assertion (RFC 7523, section 2.2). */
export const withAssertion = (client_assertion: string): Readonly<Record<string, string>> => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion,
})
