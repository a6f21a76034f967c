import { hkdfSync } from 'node:crypto'

/**
 * Derives a secret for one purpose, so that the sealing secret itself only seals. Every process with the same sealing
 * secret derives the same.
 *
 * @see [RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)
 */
export const secretFor = (sealingSecret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', sealingSecret, '', purpose, 32)).toString('base64url')
