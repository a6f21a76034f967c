import { sha256Base64url } from '../encoding/hash.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import { type Refusal, refuseFrom } from './decision.js'
import type { FormParameters } from './form-parameters.js'
import { isSecretKey, readPublicKey, thumbprintMembers } from './public-key.js'
import { isAny, isTime, memberOf, readJwt, readMembers, text } from './reading.js'

/**
 * The refusals of `dpop`, with their texts.
 *
 * @group Sender-constrained tokens
 */
export const DPOP_REFUSALS = {
  invalid_dpop_proof: {
    dpop_proof_missing: {
      meaning:
        'The request has no `DPoP` header: it sends a token of the DPoP scheme, or its client gets bound tokens only.',
      advice: 'Send a proof with every request.',
      source: 'RFC 9449 §7.1, §5.2',
      turn: 'client',
    },
    dpop_proof_repeated: {
      meaning: 'The request has more than one `DPoP` header.',
      advice: 'Send one proof.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_malformed: {
      meaning: 'The `DPoP` header is not a JWT of at most 8192 characters.',
      advice: 'Send a signed JWT in compact form.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_type_wrong: {
      meaning: '`typ` of the proof is not `dpop+jwt`.',
      advice: 'Set it.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_algorithm_wrong: {
      meaning: '`alg` of the proof is not in the metadata.',
      advice: 'Use one of `dpop_signing_alg_values_supported`.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_key_malformed: {
      meaning:
        '`jwk` of the proof is missing, or not a valid public key for `alg`: it is of another type, curve, `use` or `key_ops`, or shorter than 2048 bits.',
      advice: 'Send the public key, of type EC, OKP or RSA, with `use` `sig` or without.',
      source: 'RFC 9449 §4.2',
      turn: 'client',
    },
    dpop_proof_has_private_key: {
      meaning: '`jwk` of the proof has a private key, which every server on the way has seen.',
      advice: 'Create another key, and send its public part only.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_claim_missing: {
      meaning:
        'One of `jti`, `htm`, `htu` and `iat` is missing or of a wrong type, or `ath` with an access token.',
      advice: 'Send all of them. `jti` has 1 to 256 characters.',
      source: 'RFC 9449 §4.2',
      turn: 'client',
    },
    dpop_proof_for_other_method: {
      meaning: '`htm` of the proof is not the method of the request.',
      advice: 'Create a proof for each request.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_for_other_uri: {
      meaning: '`htu` of the proof is not the URI of the request at its configured origin.',
      advice:
        'Sign the URI without query and fragment. Host application: `origin` of `dpop`, if this API has another origin than the issuer.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_for_other_token: {
      meaning: '`ath` of the proof is not the hash of the access token.',
      advice: 'Sign the hash of the token that you send.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_stale: {
      meaning: '`iat` of the proof is more than a minute ago.',
      advice:
        'Create a proof for each request, and set the clock of the client. Host application: with `nonceSecret`, clocks do not matter.',
      source: 'RFC 9449 §11.1',
      turn: 'client',
    },
    dpop_proof_of_future: {
      meaning: '`iat` of the proof is more than 30 seconds ahead.',
      advice:
        'Set the clock of the client. Host application: with `nonceSecret`, clocks do not matter.',
      source: 'RFC 9449 §11.1',
      turn: 'client',
    },
    dpop_proof_signature_wrong: {
      meaning: 'The key of the proof did not sign it.',
      advice: 'Sign with the private key of `jwk`.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
    dpop_proof_used_before: {
      meaning: 'A proof with this key and this `jti` was accepted before.',
      advice: 'Create a proof for each request.',
      source: 'RFC 9449 §11.1',
      turn: 'client',
    },
  },
  use_dpop_nonce: {
    dpop_nonce_missing: {
      meaning: 'The proof has no `nonce`. The response has one.',
      advice: 'Sign again with the value of `DPoP-Nonce`.',
      source: 'RFC 9449 §8',
      turn: 'client',
    },
    dpop_nonce_unknown: {
      meaning: 'The `nonce` of the proof has expired, or is not of this server.',
      advice: 'Sign again with the value of `DPoP-Nonce`.',
      source: 'RFC 9449 §8',
      turn: 'client',
    },
  },
  invalid_token: {
    access_token_not_bound: {
      meaning: 'The request uses the DPoP scheme, but its access token is bound to no key.',
      advice: 'Send a token with the scheme of its `token_type`.',
      source: 'RFC 9449 §7.1',
      turn: 'client',
    },
    access_token_of_other_key: {
      meaning: 'The access token is bound to another key than that of the proof.',
      advice:
        'Sign with the key of the token. Many of these mean that someone is trying stolen tokens.',
      source: 'RFC 9449 §4.3',
      turn: 'client',
    },
  },
  invalid_request: {
    authorization_schemes_mixed: {
      meaning: 'The request sends an access token in two schemes.',
      advice: 'Send one `Authorization` header.',
      source: 'RFC 6750 §2',
      turn: 'client',
    },
    dpop_jkt_malformed: {
      meaning: '`dpop_jkt` is not the thumbprint of a key.',
      advice: 'Send the SHA-256 thumbprint of RFC 7638, 43 characters in base64url.',
      source: 'RFC 9449 §10',
      turn: 'client',
    },
  },
} as const

/**
 * Why a proof or a token with it is refused.
 */
export type DpopReason = {
  [Code in keyof typeof DPOP_REFUSALS]: keyof (typeof DPOP_REFUSALS)[Code]
}[keyof typeof DPOP_REFUSALS]

/** The reasons of {@link decideDpopProof}. */
type ProofReason = Exclude<
  DpopReason,
  | 'dpop_proof_signature_wrong'
  | 'dpop_proof_used_before'
  | 'authorization_schemes_mixed'
  | 'dpop_jkt_malformed'
>

const refuse = /* @__PURE__ */ refuseFrom(DPOP_REFUSALS)

/** Longest proof, in characters. One with an RSA key of 4096 bits has about 2000. */
const MAX_PROOF_LENGTH = 8192
const MAX_JTI_LENGTH = 256
/** Most seconds since a proof was created. */
const MAX_PROOF_AGE_SECONDS = 60
/** Seconds by which the clock of a client may be ahead. */
const PROOF_LEEWAY_SECONDS = 30

/** The thumbprint of a key: SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/
/**
 * Decides whether a DPoP proof belongs to a request: the twelve checks of RFC 9449, section 4.3, except that of the
 * signature. `dpop` makes that one with the key of the proof, and then uses up `once`, in this order.
 *
 * @param request - `proof`: the `DPoP` header as received, `null` if absent. `method` and `url`: those of the request; the
 *   URL is absolute, and its query is ignored. `accessToken`: the token that came with the proof, `null` at the token
 *   endpoint. `boundTo`: the thumbprint of the key to which it is bound, or `null`. `algorithms`: the accepted ones.
 *   `nonces`: the values that are accepted now, and until when; `null` if the server gives none. `now`: epoch seconds
 * @returns `jkt`, the thumbprint of its key, what may be used once, a key of 43 characters until a time in epoch
 *   seconds, and its nonce. A refusal has the error `invalid_dpop_proof`, `use_dpop_nonce` or `invalid_token`
 * @see [RFC 9449, section 4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
 * @see [RFC 7638, section 3](https://www.rfc-editor.org/rfc/rfc7638#section-3)
 *
 * @example
 * ```ts
 * import { decideDpopProof } from 'hallpass/blocks'
 *
 * const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
 * const now = 1795165200
 * const url = 'https://school.example/api/oauth/token'
 * const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
 * const claims = { jti: 'a-random-one', htm: 'POST', htu: url, iat: now }
 * const proof = `${encode({ typ: 'dpop+jwt', alg: 'Ed25519', jwk })}.${encode(claims)}.signature`
 * const request = { proof, method: 'POST', url, accessToken: null, algorithms: ['Ed25519'], nonces: null, now }
 * const decided = decideDpopProof(request)
 * decided.ok && decided.jkt // => 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
 *
 * const other = decideDpopProof({ ...request, method: 'GET' })
 * other.ok || other.reason // => 'dpop_proof_for_other_method'
 * ```
 * @group Sender-constrained tokens
 */
export function decideDpopProof({
  proof,
  method,
  url,
  accessToken,
  boundTo = null,
  algorithms,
  nonces,
  now,
}: {
  proof: string | null
  method: string
  url: string
  accessToken: string | null
  boundTo?: string | null
  algorithms: readonly string[]
  nonces: { readonly values: readonly string[]; readonly until: number } | null
  now: number
}):
  | {
      readonly ok: true
      readonly jkt: string
      readonly once: { readonly key: string; readonly until: number }
      /** The nonce that it repeats; `null` if the server gives none. */
      readonly nonce: string | null
    }
  | Refusal<ProofReason> {
  if (proof === null) return invalid('dpop_proof_missing', 'the DPoP header is missing')
  // 1. There is not more than one header. HTTP joins several by a comma, which no JWT has.
  if (proof.includes(',')) return invalid('dpop_proof_repeated', 'send one DPoP header')
  // 2. It is one well-formed JWT.
  const read = readJwt(proof, MAX_PROOF_LENGTH)
  if (read === null)
    return invalid(
      'dpop_proof_malformed',
      `the DPoP header is not a signed JWT of at most ${MAX_PROOF_LENGTH} characters`,
    )
  const { header, claims } = read
  // 4. Its type.
  if (memberOf(header, 'typ') !== 'dpop+jwt')
    return invalid('dpop_proof_type_wrong', 'typ of the proof must be dpop+jwt')
  // 5. Its algorithm is asymmetric, and accepted here.
  if (!algorithms.some((one) => one === memberOf(header, 'alg')))
    return invalid(
      'dpop_proof_algorithm_wrong',
      `alg of the proof must be ${algorithms.join(', ')}`,
    )
  // 7. Its key has no private part.
  const jwk = memberOf(header, 'jwk')
  if (isSecretKey(jwk))
    return invalid('dpop_proof_has_private_key', 'jwk of the proof must have no private key')
  const key = readPublicKey(jwk)
  if (key === null) return invalid('dpop_proof_key_malformed', KEY_WANTED)
  const jkt = sha256Base64url(JSON.stringify(thumbprintMembers(key)))
  // 3. It has every claim.
  const said = readMembers(
    claims,
    { jti: text(MAX_JTI_LENGTH), htm: text(), htu: text(), iat: isTime },
    { ath: isAny, nonce: isAny },
  )
  if (said === null || (accessToken !== null && typeof said.ath !== 'string'))
    return invalid(
      'dpop_proof_claim_missing',
      `the proof needs jti of at most ${MAX_JTI_LENGTH} characters, htm, htu and iat${accessToken === null ? '' : ', and ath'}`,
    )
  const { jti, htm, htu, iat, ath, nonce } = said
  // 8. The method.
  if (htm !== method)
    return invalid('dpop_proof_for_other_method', 'htm of the proof must be the method')
  // 9. The URI.
  const requested = normalized(url)
  if (requested === null || normalized(htu) !== requested)
    return invalid(
      'dpop_proof_for_other_uri',
      'htu of the proof must be the URI without query and fragment',
    )
  if (accessToken !== null) {
    // 12a. The access token.
    if (ath !== sha256Base64url(accessToken))
      return invalid('dpop_proof_for_other_token', 'ath of the proof must be that of the token')
    // 12b. The key to which it is bound.
    if (boundTo !== jkt)
      return refuse(
        'invalid_token',
        boundTo === null ? 'access_token_not_bound' : 'access_token_of_other_key',
      )
  }
  // 10. The nonce, if the server gives one. 11. Its time is that of the proof.
  if (nonces !== null) {
    const isKnown = nonces.values.some((one) => one === nonce)
    if (!isKnown)
      return refuse(
        'use_dpop_nonce',
        nonce === undefined ? 'dpop_nonce_missing' : 'dpop_nonce_unknown',
        'sign the proof again, with the nonce of the DPoP-Nonce header',
      )
  } else if (!isNotAfter(iat, now + PROOF_LEEWAY_SECONDS))
    return invalid(
      'dpop_proof_of_future',
      `iat of the proof is more than ${PROOF_LEEWAY_SECONDS} seconds ahead of the clock of the server`,
    )
  else if (!isBefore(now, iat + MAX_PROOF_AGE_SECONDS))
    return invalid(
      'dpop_proof_stale',
      `iat of the proof is at least ${MAX_PROOF_AGE_SECONDS} seconds ago by the clock of the server`,
    )
  const until = nonces === null ? Math.ceil(iat) + MAX_PROOF_AGE_SECONDS : nonces.until
  const once = sha256Base64url(JSON.stringify(['dpop', jkt, jti]))
  const repeated = nonces === null ? null : (nonce as string)
  return { ok: true, jkt, once: { key: once, until }, nonce: repeated }
}

/**
 * Decides to which key the code of an authorization request will be bound: that of `dpop_jkt`.
 *
 * @returns the thumbprint, `null` if the request names no key, or a refusal with `invalid_request`
 * @see [RFC 9449, section 10](https://www.rfc-editor.org/rfc/rfc9449#section-10)
 */
export function decideCodeKey(
  parameters: Pick<FormParameters, 'single'>,
): { readonly ok: true; readonly boundTo: string | null } | Refusal<'dpop_jkt_malformed'> {
  const boundTo = parameters.single('dpop_jkt')
  return boundTo === null || THUMBPRINT.test(boundTo)
    ? { ok: true, boundTo }
    : refuse(
        'invalid_request',
        'dpop_jkt_malformed',
        'dpop_jkt must be the SHA-256 thumbprint of a key, 43 characters in base64url',
      )
}

const KEY_WANTED = 'jwk of the proof must be a public key of type EC, OKP or RSA'

const invalid = <Reason extends keyof (typeof DPOP_REFUSALS)['invalid_dpop_proof'] & ProofReason>(
  reason: Reason,
  description: string,
): Refusal<Reason> => refuse('invalid_dpop_proof', reason, description)

// RFC 3986 §2.3: these letters need no escape.
const UNRESERVED = /[\w.~-]/

/**
 * Returns a URI without query and fragment, normalized by syntax and by scheme (RFC 3986, sections 6.2.2 and 6.2.3);
 * `null` if it is not one, or names a user.
 */
function normalized(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { origin, pathname, username, password } = new URL(text)
  if (origin === 'null' || username !== '' || password !== '') return null
  const path = pathname.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const letter = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return UNRESERVED.test(letter) ? letter : escape.toUpperCase()
  })
  return origin + path
}
