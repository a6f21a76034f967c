import { createHash } from 'node:crypto'
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  SignJWT,
} from 'jose'
import { challenged } from './challenge.js'
import type { Answer } from './http.js'
import { newSecret } from './random.js'

/** A key of a client, with which it makes proofs. */
export interface ProofKey {
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly privateJwk: JWK
  /** Its thumbprint (RFC 7638). */
  readonly jkt: string
}

/** A request that a proof is for. */
export interface Provable {
  readonly method: string
  readonly url: URL
  /** Default: the request has none, as one for a token. */
  readonly accessToken?: string
  /** Default: none. */
  readonly nonce?: string | null
}

/** Members of a proof in place of the right ones: `undefined` leaves one out. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The key that signs. Default: that of the header. `null` signs nothing. */
  readonly signedBy?: ProofKey | Uint8Array | null
}

/** The algorithms that this package makes proofs with, the most usual one first. */
const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256', 'ES384', 'ES512']

/** Creates a key for one of these algorithms; `null` if none can be made. */
export async function createProofKey(supported: readonly string[]): Promise<ProofKey | null> {
  const alg = ALGORITHMS.find((one) => supported.includes(one))
  if (alg === undefined) return null
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const [jwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)]
  return { alg, privateKey, jwk, privateJwk, jkt: await calculateJwkThumbprint(jwk) }
}

/** Makes a DPoP proof for a request (RFC 9449, section 4.2), with changes. */
export async function proofOf(
  key: ProofKey,
  { method, url, accessToken, nonce = null }: Provable,
  { header = {}, claims = {}, signedBy = key }: ProofChanges = {},
): Promise<string> {
  const protectedHeader = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header }
  const payload = {
    jti: newSecret(),
    htm: method,
    htu: url.origin + url.pathname,
    iat: Math.floor(Date.now() / 1000),
    ...(accessToken !== undefined && { ath: hashOf(accessToken) }),
    ...(nonce !== null && { nonce }),
    ...claims,
  }
  if (signedBy === null) return `${encodePart(protectedHeader)}.${encodePart(payload)}.`
  return new SignJWT(payload)
    .setProtectedHeader(protectedHeader)
    .sign(signedBy instanceof Uint8Array ? signedBy : signedBy.privateKey)
}

/** Sends a request, and repeats it if the server wants its own nonce in the proof. */
export async function withNonce(
  send: (nonce: string | null) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly nonce: string | null }> {
  const answer = await send(null)
  const nonce = answer.headers.get('dpop-nonce')
  const error = challenged(answer.headers, 'error') ?? answer.json['error']
  if (nonce === null || error !== 'use_dpop_nonce') return { answer, nonce: null }
  return { answer: await send(nonce), nonce }
}

/** The value of `ath`. */
export const hashOf = (accessToken: string): string =>
  createHash('sha256').update(accessToken).digest('base64url')

/** A part of a JWT (RFC 7515, section 3.1): JSON in base64url. */
export const encodePart = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')
