import { sha256Base64url } from '../encoding/hash.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import type { Client } from './client.js'
import { type Refusal, refuseFrom } from './decision.js'
import { quote } from './client-metadata.js'
import { isAny, isTime, readMembers, text, valuesOf } from './reading.js'

/**
 * The refusals of `privateKeyJwt`, with their texts.
 *
 * @group Client authentication
 */
export const ASSERTION_REFUSALS = {
  invalid_client: {
    assertion_malformed: {
      meaning:
        '`client_assertion` is not a JWT of at most 8192 characters, its header has `crit`, or one of `iss`, `sub`, `aud`, `exp` and `jti` is missing or of a wrong type.',
      advice: 'Send a signed JWT with these five claims. `jti` has 1 to 256 characters.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_of_other_client: {
      meaning: '`iss` and `sub` of the assertion are not both the `client_id`.',
      advice: 'Use the `client_id` for both.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_for_other_audience: {
      meaning:
        '`aud` of the assertion is neither the issuer nor the token endpoint, or it has several values.',
      advice: 'Use the issuer, and nothing else.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_expired: {
      meaning: 'The assertion has expired, with 30 seconds for clocks that differ.',
      advice: 'Create an assertion for each request.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_not_yet_valid: {
      meaning: '`nbf` or `iat` of the assertion is more than 30 seconds ahead.',
      advice: 'Set the clock of the client.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_too_long_lived: {
      meaning:
        'The assertion expires later than `assertionSeconds` of `privateKeyJwt` from now: an hour unless the site has another bound.',
      advice: 'Let it expire after a minute. Host application: or raise `assertionSeconds`.',
      source: 'hallpass',
      turn: 'client',
    },
    assertion_alg_not_accepted: {
      meaning:
        '`alg` of the assertion is not in `algorithms`, or is another one than the `token_endpoint_auth_signing_alg` of the client.',
      advice:
        'Sign with the algorithm of your own metadata, which must be one that the server lists.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_key_unknown: {
      meaning: 'None of the keys of the client has the `kid` of the assertion.',
      advice:
        'Publish the public key with this `kid` first, then sign with it. An address of keys is fetched again at most once a minute.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_key_unusable: {
      meaning:
        'No key of the client with the `kid` of the assertion may or can verify it: its `use`, `key_ops`, `alg`, type or curve is for something else, or it is not a valid key of at least 2048 bits.',
      advice:
        'Publish a key for this `alg` of the assertion, with `use` `sig` or without, and sign with it.',
      source: 'RFC 7517 §4',
      turn: 'developer',
    },
    assertion_signature_wrong: {
      meaning: 'None of the keys of the client made the signature.',
      advice:
        'Sign with the private key of a public key that is in `jwks`, at `jwks_uri`, or known to the host application.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    assertion_used_before: {
      meaning: 'An assertion with this `jti` was accepted before.',
      advice: 'Create an assertion for each request.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    client_keys_missing: {
      meaning: 'The client has `private_key_jwt`, but neither `jwks` nor `jwks_uri`.',
      advice: 'Publish the public keys in one of them.',
      source: 'RFC 7591 §2',
      turn: 'developer',
    },
    client_keys_ambiguous: {
      meaning: 'The metadata of the client has both `jwks` and `jwks_uri`.',
      advice: 'Leave one of them out.',
      source: 'RFC 7591 §2',
      turn: 'developer',
    },
    client_keys_malformed: {
      meaning:
        'The keys of the client are not a JWK Set of 1 to 16 keys with a `kty` of `EC`, `RSA` or `OKP`, none of them is for signatures by `use` and `key_ops`, or `jwks_uri` responded with something else or with more than 16,384 bytes.',
      advice:
        'Publish a JSON object with a list `keys` of public JWKs, with the status 200 and the media type `application/json`.',
      source: 'RFC 7517 §5',
      turn: 'developer',
    },
    client_keys_private: {
      meaning: 'The keys of the client contain a private or symmetric key, which anyone can read.',
      advice: 'Replace the key, and publish only the public part of the new one.',
      source: 'RFC 7517 §9.2',
      turn: 'developer',
    },
    client_keys_uri_not_allowed: {
      meaning:
        '`jwks_uri` is not an https URL of a public host from which the site accepts documents.',
      advice:
        'Serve the keys from the host of the document. Host application: allow the host in `documents.allowedHosts`.',
      source: 'CIMD §6.5',
      turn: 'developer',
    },
    client_keys_alg_not_supported: {
      meaning: '`token_endpoint_auth_signing_alg` of the client is not one of the server.',
      advice:
        'Choose one of `token_endpoint_auth_signing_alg_values_supported`. Host application: add it to `algorithms`.',
      source: 'OpenID Connect Registration §2',
      turn: 'developer',
    },
  },
  temporarily_unavailable: {
    client_keys_unavailable: {
      meaning:
        'The keys of the client could not be fetched from `jwks_uri`, or too often within a minute, and no copy is recent enough.',
      advice:
        'Wait as long as `Retry-After` says. The host of `jwks_uri` must respond within five seconds.',
      source: 'hallpass',
      turn: 'developer',
    },
  },
} as const

/**
 * Why an assertion does not authenticate its client.
 */
export type AssertionReason = {
  [Code in keyof typeof ASSERTION_REFUSALS]: keyof (typeof ASSERTION_REFUSALS)[Code]
}[keyof typeof ASSERTION_REFUSALS]

const refuse = /* @__PURE__ */ refuseFrom(ASSERTION_REFUSALS)

/** How far ahead an assertion may expire unless the site has another bound, in seconds. */
export const ASSERTION_SECONDS = 3600
/** Seconds by which the clocks of client and server may differ. */
const ASSERTION_LEEWAY_SECONDS = 30
const MAX_JTI_LENGTH = 256
/** The greatest length of an assertion, in characters. */
export const MAX_ASSERTION_LENGTH = 8192

/** Words about an assertion that cannot be read. */
export const MALFORMED: string = `client_assertion must be a JWT of at most ${MAX_ASSERTION_LENGTH} characters without crit, with iss, sub, aud, exp in seconds, and jti of at most ${MAX_JTI_LENGTH} characters`

/**
 * Decides whether the claims of an assertion authenticate a client now. The signature is not checked, and `once` is not
 * used yet: `privateKeyJwt` does both, in this order, with keys and a store.
 *
 * @param request - `claims`: those of the JWT, unchecked; `audiences`: the issuer and other URLs of this server;
 *   `assertionSeconds`: how far ahead it may expire. Default: 3600; `now`: epoch seconds
 * @returns what may be used once, a key of 43 characters until a time in epoch seconds, or a refusal with
 *   `invalid_client`
 * @see [RFC 7523, section 3](https://www.rfc-editor.org/rfc/rfc7523#section-3)
 * @see [OpenID Connect Core, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication)
 *
 * @example
 * ```ts
 * import { decideClientAssertion } from 'hallpass/blocks'
 *
 * const [now, audiences] = [1795165200, ['https://school.example']]
 * const claims = { iss: 'notes', sub: 'notes', aud: audiences[0], exp: now + 60, jti: 'a-random-one' }
 * const request = { claims, client: { clientId: 'notes' }, audiences, now }
 * const decided = decideClientAssertion(request)
 * decided.ok && decided.once.until // => 1795165290
 *
 * const late = decideClientAssertion({ ...request, now: now + 90 })
 * late.ok || late.reason // => 'assertion_expired'
 * ```
 * @group Client authentication
 */
export function decideClientAssertion({
  claims,
  client: { clientId },
  audiences,
  assertionSeconds = ASSERTION_SECONDS,
  now,
}: {
  claims: Readonly<Record<string, unknown>>
  client: Pick<Client, 'clientId'>
  audiences: readonly string[]
  assertionSeconds?: number
  now: number
}):
  | { readonly ok: true; readonly once: { readonly key: string; readonly until: number } }
  | Refusal<
      | 'assertion_malformed'
      | 'assertion_of_other_client'
      | 'assertion_for_other_audience'
      | 'assertion_expired'
      | 'assertion_not_yet_valid'
      | 'assertion_too_long_lived'
    > {
  const read = readMembers(
    claims,
    { iss: text(), sub: text(), aud: isAny, exp: isTime, jti: text(MAX_JTI_LENGTH) },
    { nbf: isTime, iat: isTime },
  )
  if (read === null) return refuse('invalid_client', 'assertion_malformed', MALFORMED)
  const { iss, sub, aud, exp, nbf, iat, jti } = read
  if (iss !== clientId || sub !== clientId)
    return refuse(
      'invalid_client',
      'assertion_of_other_client',
      'iss and sub of the assertion must both be the client_id',
    )
  // One value, so that no other server can pass the assertion on (draft-ietf-oauth-rfc7523bis).
  const [audience, ...others] = valuesOf(aud)
  if (others.length > 0 || !audiences.some((one) => one === audience))
    return refuse(
      'invalid_client',
      'assertion_for_other_audience',
      `aud of the assertion must be one of these, and nothing else: ${[...new Set(audiences)].map(quote).join(', ')}`,
    )
  const until = Math.ceil(exp) + ASSERTION_LEEWAY_SECONDS
  if (!isBefore(now, until))
    return refuse(
      'invalid_client',
      'assertion_expired',
      `exp of the assertion was ${ASSERTION_LEEWAY_SECONDS} seconds ago or earlier by the clock of the server, or is not in seconds`,
    )
  const latest = now + ASSERTION_LEEWAY_SECONDS
  if ([nbf, iat].some((one) => one !== undefined && !isNotAfter(one, latest)))
    return refuse(
      'invalid_client',
      'assertion_not_yet_valid',
      `nbf or iat of the assertion is more than ${ASSERTION_LEEWAY_SECONDS} seconds ahead of the clock of the server`,
    )
  if (!isNotAfter(exp, latest + assertionSeconds))
    return refuse(
      'invalid_client',
      'assertion_too_long_lived',
      `exp of the assertion must be at most ${assertionSeconds} seconds ahead, the bound of this server`,
    )
  const key = sha256Base64url(JSON.stringify(['client_assertion', clientId, jti]))
  return { ok: true, once: { key, until } }
}
