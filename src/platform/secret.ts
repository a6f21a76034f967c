import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64url } from '../encoding/base64url.js'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * Derives the sealing secret of one school from that of the platform, so that a key which is copied into the rows of another
 * school does not open there.
 *
 * @see [RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)
 */
export const secretOf = (secret: string, issuer: string): string =>
  base64url(hkdf(sha256, encode(secret), encode('hallpass platform'), encode(issuer), 32))
