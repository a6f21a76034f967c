import { sha256Base64url } from '../encoding/hash.js'
import { type Decision, refuse } from './decision.js'

// RFC 7636 §4.1: 43 to 128 unreserved characters.
const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
// RFC 7636 §4.2 with S256: base64url of 32 bytes. The last character holds four bits.
const CODE_CHALLENGE = /^[A-Za-z0-9\-_]{42}[AEIMQUYcgkosw048]$/

/**
 * Checks the PKCE parameters of an authorization request. Only `S256` is supported, and an absent
 * method means `plain`, so it has to be there.
 *
 * @param request - both parameters as received; `null` = absent
 * @returns the challenge to keep with the code. Refusals are `invalid_request`
 * @see RFC 7636 §4.3; OAuth 2.1 §4.1.1
 */
export function decideCodeChallenge({
  codeChallenge,
  codeChallengeMethod,
}: {
  codeChallenge: string | null
  codeChallengeMethod: string | null
}): Decision<
  { codeChallenge: string },
  | 'code_challenge_missing'
  | 'code_challenge_method_missing'
  | 'code_challenge_method_not_supported'
  | 'code_challenge_malformed'
> {
  if (codeChallenge === null)
    return refuse(
      'invalid_request',
      'code_challenge_missing',
      'code_challenge is required: PKCE with S256 (RFC 7636)',
    )
  if (codeChallengeMethod === null)
    return refuse(
      'invalid_request',
      'code_challenge_method_missing',
      'code_challenge_method=S256 is required: without it the method would be plain',
    )
  if (codeChallengeMethod !== 'S256')
    return refuse(
      'invalid_request',
      'code_challenge_method_not_supported',
      'code_challenge_method must be S256',
    )
  if (!CODE_CHALLENGE.test(codeChallenge))
    return refuse(
      'invalid_request',
      'code_challenge_malformed',
      'code_challenge must be 43 base64url characters: the SHA-256 of the code_verifier',
    )
  return { ok: true, codeChallenge }
}

/**
 * Verifies a PKCE code verifier against the S256 challenge kept with the code.
 *
 * @param proof - `codeVerifier` as received, `null` = absent; `codeChallenge` as kept with the code
 * @returns refusals are `invalid_request` for a verifier that is none, and else `invalid_grant`:
 *   `code_challenge_lost` where the store lost the challenge, which fails closed
 * @see RFC 7636 §4.6
 */
export function verifyPkceS256({
  codeVerifier,
  codeChallenge,
}: {
  codeVerifier: string | null
  codeChallenge: string
}): Decision<
  unknown,
  | 'code_verifier_missing'
  | 'code_verifier_malformed'
  | 'code_challenge_lost'
  | 'code_verifier_mismatch'
> {
  if (codeVerifier === null)
    return refuse('invalid_request', 'code_verifier_missing', 'code_verifier is required')
  if (!CODE_VERIFIER.test(codeVerifier))
    return refuse(
      'invalid_request',
      'code_verifier_malformed',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    )
  if (!CODE_CHALLENGE.test(codeChallenge)) return refuse('invalid_grant', 'code_challenge_lost')
  // The challenge has already travelled through the browser, so timing has no secret to leak.
  return sha256Base64url(codeVerifier) === codeChallenge
    ? { ok: true }
    : refuse('invalid_grant', 'code_verifier_mismatch')
}
