export { ID_TOKEN_SECONDS, type IdTokenFacts, mintIdToken } from './token/id-token.js'
export { decideKeyMove, isPublished } from './token/key-lifecycle.js'
export {
  createKeyRing,
  JWKS_MAX_AGE_SECONDS,
  type KeyRing,
  type KeyRingOptions,
  type KeySource,
} from './token/key-ring.js'
export {
  deriveSuccessors,
  hashToken,
  newToken,
  TOKEN_PREFIX,
  type TokenKind,
  type TokenPair,
} from './token/opaque.js'
export {
  createJoseSigner,
  createRawSigner,
  type Signer,
  type SignerPayload,
} from './token/signer.js'
