import { sha256Base64url } from '../encoding/hash.js'
import { type Decision, refuse } from './decision.js'

// RFC 7636 §4.1: 43 to 128 unreserved characters.
const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
// RFC 7636 §4.2 with S256: base64url of 32 bytes. The last character encodes four bits.
const CODE_CHALLENGE = /^[A-Za-z0-9\-_]{42}[AEIMQUYcgkosw048]$/

/**
 * Decides whether the PKCE parameters of an authorization request are valid. Only the method `S256`
 * is supported. It must be sent explicitly, because an absent method means `plain`.
 *
 * @param request - both parameters as received, `null` if absent
 * @returns the challenge, to be stored with the code, or a refusal with `invalid_request`
 * @see [RFC 7636, section 4.3](https://www.rfc-editor.org/rfc/rfc7636#section-4.3)
 *
 * @example
 * ```ts
 * import { decideCodeChallenge } from 'hallpass/policy'
 *
 * const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
 * decideCodeChallenge({ codeChallenge, codeChallengeMethod: 'S256' }) // => { ok: true, codeChallenge }
 *
 * const plain = decideCodeChallenge({ codeChallenge, codeChallengeMethod: 'plain' })
 * plain.ok ? null : plain.reason // => 'code_challenge_method_not_supported'
 * ```
 *
 * @group PKCE and redirect URIs
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
      'code_challenge_method=S256 is required: the default, plain, is not supported',
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
 * Verifies a PKCE code verifier against the S256 challenge that is stored with the authorization
 * code.
 *
 * @param proof - `codeVerifier`: as received, `null` if absent; `codeChallenge`: as stored with the
 *   code
 * @returns `{ ok: true }`, or a refusal. The error is `invalid_request` for a malformed verifier. It is
 *   `invalid_grant` for none, for one that does not match, and for `code_challenge_lost`: the stored
 *   challenge is not valid, so no verifier is accepted.
 * @see [RFC 7636, section 4.6](https://www.rfc-editor.org/rfc/rfc7636#section-4.6)
 *
 * @example The test vector of RFC 7636, appendix B
 * ```ts
 * import { verifyPkceS256 } from 'hallpass/policy'
 *
 * const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
 * const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
 * verifyPkceS256({ codeVerifier, codeChallenge }) // => { ok: true }
 *
 * const other = verifyPkceS256({ codeVerifier: codeVerifier.toLowerCase(), codeChallenge })
 * other.ok ? null : other.reason // => 'code_verifier_mismatch'
 * ```
 *
 * @group PKCE and redirect URIs
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
  if (codeVerifier === null) return refuse('invalid_grant', 'code_verifier_missing')
  if (!CODE_VERIFIER.test(codeVerifier))
    return refuse(
      'invalid_request',
      'code_verifier_malformed',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    )
  if (!CODE_CHALLENGE.test(codeChallenge)) return refuse('invalid_grant', 'code_challenge_lost')
  // The challenge was sent through the browser, so it is not a secret that timing could reveal.
  return sha256Base64url(codeVerifier) === codeChallenge
    ? { ok: true }
    : refuse('invalid_grant', 'code_verifier_mismatch')
}
