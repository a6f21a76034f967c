import { hmacSha256Base64url, sha256Base64url } from '../encoding/hash.js'
import { type RandomBytes, randomBase64url } from '../encoding/random.js'

/**
 * Prefix of each kind of secret, so that scanners find one that leaked and a person sees which kind
 * it is. The 43 characters behind it are 256 random bits.
 */
export const TOKEN_PREFIX = {
  code: 'hpc_',
  accessToken: 'hpa_',
  refreshToken: 'hpr_',
  clientSecret: 'hps_',
} as const

/** A kind of opaque secret. */
export type TokenKind = keyof typeof TOKEN_PREFIX

/** Makes a new opaque secret: prefix and 256 random bits in base64url. */
export function newToken(kind: TokenKind, random: RandomBytes): string {
  return TOKEN_PREFIX[kind] + randomBase64url(random)
}

/** The form in which a secret is stored and looked up: SHA-256 as 43 base64url characters. */
export function hashToken(token: string): string {
  return sha256Base64url(token)
}

/** A refresh token and the access token issued with it. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
}

/**
 * Derives the pair that replaces a refresh token. The same token and salt give the same pair, so that
 * a lost answer can be given again without keeping it. The salt alone (the store) and the token alone
 * (a thief) derive nothing.
 *
 * @param source - `presented`: the refresh token as the client sent it; `salt`: 256 random bits kept
 *   with the rotation
 */
export function deriveSuccessors({
  presented,
  salt,
}: {
  presented: string
  salt: string
}): TokenPair {
  const derive = (kind: TokenKind): string =>
    TOKEN_PREFIX[kind] + hmacSha256Base64url({ key: presented, message: `${kind}.${salt}` })
  return { accessToken: derive('accessToken'), refreshToken: derive('refreshToken') }
}
