import type { Signer } from './signer.js'

/** Lifetime of an ID token in seconds. */
export const ID_TOKEN_SECONDS = 600

/** What an ID token says beside the identity claims. */
export interface IdTokenFacts {
  /** The issuer: the site's origin. */
  readonly issuer: string
  /** The client it is for: the `aud` claim. */
  readonly clientId: string
  /** Echo of the request's nonce; `null` = none was sent. */
  readonly nonce: string | null
  /** Epoch seconds of the sign-in; `null` = do not say. */
  readonly authTime: number | null
  /** Epoch seconds. */
  readonly now: number
}

/**
 * Mints an ID token, signed with ES256, valid for 600 seconds.
 *
 * @param claims - identity and host claims; one that names a protocol claim has no effect
 * @returns a compact JWS
 * @see OpenID Connect Core §2
 */
export function mintIdToken({
  signer,
  facts,
  claims,
}: {
  signer: Signer
  facts: IdTokenFacts
  claims: Readonly<Record<string, unknown>>
}): Promise<string> | string {
  const payload: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(claims)) {
    if (!isProtocolClaim(name)) payload[name] = value
  }
  payload['iss'] = facts.issuer
  payload['aud'] = facts.clientId
  payload['iat'] = facts.now
  payload['exp'] = facts.now + ID_TOKEN_SECONDS
  if (facts.nonce !== null) payload['nonce'] = facts.nonce
  if (facts.authTime !== null) payload['auth_time'] = facts.authTime
  return signer.sign(payload)
}

/** Whether a claim is the protocol's own, so that no host can set it. */
export function isProtocolClaim(name: string): boolean {
  return PROTOCOL_CLAIMS.has(name)
}

const PROTOCOL_CLAIMS = new Set([
  'iss', 'aud', 'exp', 'iat', 'nbf', 'nonce', 'auth_time', 'azp', 'acr', 'amr', 'at_hash', 'c_hash', 'jti',
]) // prettier-ignore
