import { isEpochSeconds } from '../time/seconds.js'
import type { Signer } from './signer.js'

/**
 * Lifetime of an ID token, in seconds.
 *
 * @group ID tokens
 */
export const ID_TOKEN_SECONDS = 600

/**
 * Mints an ID token that is valid for 600 seconds.
 *
 * Protocol claims (`iss`, `aud`, `exp`, `nonce`, …) come from `facts` only: a claim of that name in
 * `claims` is ignored.
 *
 * @param token - `signer`: the active key; `facts`: issuer, client, nonce and times; `claims`: identity
 *   claims and claims of the host application
 * @returns what the signer returns: a compact JWS
 * @throws TypeError for a time that is not in whole epoch seconds, and for a `sub` that is not a string; and whatever
 *   the signer throws
 * @see [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
 * @group ID tokens
 * @example A stub signer shows the claims of the token
 * ```ts
 * import { mintIdToken, type Signer } from 'hallpass/token'
 *
 * const signer: Signer = { kid: 'test', sign: (payload) => JSON.stringify(payload) }
 * const now = 1_795_165_200
 * const facts = { issuer: 'https://school.example', clientId: 'study-app', nonce: null, authTime: null, now }
 * const token = await mintIdToken({ signer, facts, claims: { sub: 'per_1', aud: 'another-app' } })
 * const { sub, aud, exp } = JSON.parse(token)
 * const claims = [sub, aud, exp] // => ['per_1', 'study-app', now + 600]
 * ```
 */
export function mintIdToken({
  signer,
  facts,
  claims,
}: {
  signer: Signer
  facts: {
    /** The issuer, for the `iss` claim: the origin of the site. */
    readonly issuer: string
    /** The client that receives the ID token, for the `aud` claim. */
    readonly clientId: string
    /** The `nonce` of the authorization request; `null` if the client sent none. */
    readonly nonce: string | null
    /** Time of the sign-in in epoch seconds, for `auth_time`; `null` leaves the claim out. */
    readonly authTime: number | null
    /** The current time in epoch seconds, for `iat` and `exp`. */
    readonly now: number
  }
  claims: Readonly<Record<string, unknown>>
}): Promise<string> | string {
  const { now, authTime } = facts
  if (!isEpochSeconds(now) || !(authTime === null || isEpochSeconds(authTime)))
    throw new TypeError('now and authTime of an ID token must be whole epoch seconds')
  if (typeof claims['sub'] !== 'string' || claims['sub'] === '')
    throw new TypeError('the sub of an ID token must be a string, such as String(row.id)')
  const payload: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(claims)) {
    if (!isProtocolClaim(name)) payload[name] = value
  }
  payload['iss'] = facts.issuer
  payload['aud'] = facts.clientId
  payload['iat'] = now
  payload['exp'] = now + ID_TOKEN_SECONDS
  if (facts.nonce !== null) payload['nonce'] = facts.nonce
  if (authTime !== null) payload['auth_time'] = authTime
  return signer.sign(payload)
}

/** Whether a claim belongs to the protocol, so that the host application cannot set it. */
export function isProtocolClaim(name: string): boolean {
  return PROTOCOL_CLAIMS.has(name)
}

const PROTOCOL_CLAIMS = new Set([
  'iss',
  'aud',
  'exp',
  'iat',
  'nbf',
  'nonce',
  'auth_time',
  'azp',
  'acr',
  'amr',
  'at_hash',
  'c_hash',
  'jti',
])
