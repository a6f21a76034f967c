/**
 * ID tokens, the keys that sign them, and the opaque secrets that clients receive. Start with
 * {@link createKeyRing}, which needs only a site and a secret. {@link createRawSigner} signs
 * with a key in a KMS, and {@link hashToken} is the form in which a store keeps every secret.
 *
 * @example
 * ```ts
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * await keys.maintain() // creates the first key; call it again every few minutes
 * const signer = await keys.signer()
 * const jwks = await keys.jwks()
 * jwks.keys[0]?.kid // => signer?.kid
 * ```
 * @module
 */
export { ID_TOKEN_SECONDS, mintIdToken } from './token/id-token.js'
export { decideKeyMove } from './token/key-lifecycle.js'
export {
  createKeyRing,
  JWKS_MAX_AGE_SECONDS,
  type KeyRing,
  type KeySource,
} from './token/key-ring.js'
export { deriveSuccessors, hashToken, newToken, TOKEN_PREFIX } from './token/opaque.js'
export { createJoseSigner, createRawSigner, type Signer } from './token/signer.js'
