import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64url } from './base64url.js'

/**
 * Derives a secret of 32 bytes from another one, for one use: who knows it learns nothing about the others.
 *
 * @param secret - with enough randomness of its own
 * @param use - `salt`: the kind of use; `info`: which of them
 * @see [RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)
 */
export function deriveSecret(
  secret: string,
  { salt, info }: { salt: string; info: string },
): string {
  const [key, kind, one] = [secret, salt, info].map((text) => new TextEncoder().encode(text))
  return base64url(hkdf(sha256, key!, kind, one, 32))
}
