import { hmacSha256Base64url, sha256Base64url } from '../encoding/hash.js'
import { checkOptions, simple } from '../options/check.js'
import { type RandomBytes, randomBase64url } from '../encoding/random.js'

/**
 * The prefix of each kind of secret, so that secret scanners find a leaked one and people recognize its
 * kind. 43 characters follow it: 256 random bits in base64url.
 *
 * @group Opaque tokens
 */
export const TOKEN_PREFIX = {
  code: 'hpc_',
  accessToken: 'hpa_',
  refreshToken: 'hpr_',
  clientSecret: 'hps_',
} as const

/**
 * Creates an opaque secret: the prefix of its kind, then 256 random bits in base64url.
 *
 * @param random - the source of randomness, such as `site.randomBytes`
 * @group Opaque tokens
 * @example
 * ```ts
 * import { testSite } from 'hallpass/testing'
 * import { newToken } from 'hallpass/token'
 *
 * const token = newToken('accessToken', testSite().site.randomBytes)
 * token.slice(0, 4) // => 'hpa_'
 * token.length // => 47
 * ```
 */
export function newToken(kind: keyof typeof TOKEN_PREFIX, random: RandomBytes): string {
  return TOKEN_PREFIX[kind] + randomBase64url(random)
}

/**
 * Returns the form in which a secret is stored and looked up: its SHA-256 hash, as 43 base64url
 * characters.
 *
 * @group Opaque tokens
 * @example
 * ```ts
 * import { hashToken } from 'hallpass/token'
 *
 * hashToken('hpa_example') // => '6fZuwPi5hUsAS4gcSQX7Z9F8zMKIyrPZ6AaoR6vF9Nc'
 * ```
 */
export function hashToken(token: string): string {
  return sha256Base64url(token)
}

/**
 * Derives the tokens that replace a refresh token. The same three inputs always give the same pair, so that a
 * lost response can be repeated although no token is stored. All three are needed: the store knows only the salt,
 * and the client only the token. So an old token and a copy of the database give no newer token.
 *
 * @param source - `presented`: the refresh token as the client sent it; `salt`: 256 random bits, stored
 *   with the rotation; `secret`: one of {@link KeySource.refreshSecrets}, which is not in the store
 * @throws OptionsError that names each of the three that is absent, empty or misspelled
 * @see [RFC 9700, section 4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)
 * @see [RFC 5869, section 2.2](https://www.rfc-editor.org/rfc/rfc5869#section-2.2): a secret as the message of HMAC, under a
 *   key that others may know
 * @group Opaque tokens
 * @example
 * ```ts
 * import { deriveSuccessors } from 'hallpass/token'
 *
 * const rotation = { presented: 'hpr_of-the-client', salt: 'of-the-store', secret: 'of-the-processes' }
 * const pair = deriveSuccessors(rotation)
 * pair.accessToken.slice(0, 4) // => 'hpa_'
 * deriveSuccessors(rotation) // => pair
 * ```
 */
export function deriveSuccessors(source: { presented: string; salt: string; secret: string }): {
  readonly accessToken: string
  readonly refreshToken: string
} {
  // An absent secret would be the text "undefined", which everyone knows.
  // The check of options names the mistake, and costs as much as the hashes: it is for what is wrong.
  if (![source?.presented, source?.salt, source?.secret].every(isPart))
    checkOptions('deriveSuccessors', source, SOURCE)
  const { presented, salt, secret } = source
  const derive = (kind: keyof typeof TOKEN_PREFIX): string =>
    TOKEN_PREFIX[kind] +
    hmacSha256Base64url({ key: presented, message: `${kind}.${salt}.${secret}` })
  return { accessToken: derive('accessToken'), refreshToken: derive('refreshToken') }
}

const isPart = (value: unknown): boolean => typeof value === 'string' && value !== ''
const part = simple('a string that is not empty', isPart)
const SOURCE = { presented: part, salt: part, secret: part }

export type TokenPair = ReturnType<typeof deriveSuccessors>
