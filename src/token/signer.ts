import { type CryptoKey, SignJWT } from 'jose'
import { base64url } from '../encoding/base64url.js'

/** Claims of a token to sign. */
export type SignerPayload = Readonly<Record<string, unknown>>

/**
 * Signs ID tokens with one key. One method, so that a key in a KMS or HSM fits as well.
 */
export interface Signer {
  /** Identifier of the key in the JWKS. */
  readonly kid: string
  /** @returns a compact JWS with the header `{ "alg": "ES256", "typ": "JWT", "kid": … }` */
  sign(payload: SignerPayload): Promise<string> | string
}

/** Signs with jose, on every runtime that has WebCrypto. */
export function createJoseSigner({
  kid,
  privateKey,
}: {
  kid: string
  privateKey: CryptoKey
}): Signer {
  return {
    kid,
    sign: (payload) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(privateKey),
  }
}

/**
 * Signs with a function that turns bytes into an ES256 signature: a KMS, an HSM, `node:crypto`.
 *
 * @param key - `sign` gets the JWS signing input and returns r‖s, 64 bytes (RFC 7518 §3.4). A service
 *   that answers in DER has to be converted.
 */
export function createRawSigner({
  kid,
  sign,
}: {
  kid: string
  sign: (signingInput: Uint8Array) => Uint8Array | Promise<Uint8Array>
}): Signer {
  const encoder = new TextEncoder()
  const header = base64url(encoder.encode(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid })))
  const finish = (input: string, signature: Uint8Array): string => {
    if (signature.length !== 64) throw new TypeError('an ES256 signature has 64 bytes: r and s')
    return `${input}.${base64url(signature)}`
  }
  return {
    kid,
    sign(payload) {
      const input = `${header}.${base64url(encoder.encode(JSON.stringify(payload)))}`
      const signature = sign(encoder.encode(input))
      return signature instanceof Uint8Array
        ? finish(input, signature)
        : signature.then((bytes) => finish(input, bytes))
    },
  }
}
