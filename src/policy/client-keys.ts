import { ASSERTION_REFUSALS, type AssertionReason } from './client-assertion.js'
import { decideDocumentUrl, type DocumentPolicy } from './cimd-url.js'
import type { Client } from './client.js'
import { type Refusal, refuseFrom } from './decision.js'
import { hasKnownType, isForSignatures, isSecretKey, readPublicKey } from './public-key.js'
import { isMembers, listOf, memberOf } from './reading.js'

/** The public keys of a client, or where they are. */
type ClientKeys = NonNullable<Client['keys']>

/** Why the metadata of a client names no keys that a site can use. */
export type KeysReason = Exclude<
  Extract<AssertionReason, `client_keys_${string}`>,
  'client_keys_unavailable'
>

const METHOD = 'private_key_jwt'
const refuse = /* @__PURE__ */ refuseFrom(ASSERTION_REFUSALS)

/** The greatest number of keys of one client. */
export const MAX_CLIENT_KEYS = 16
/**
 * Decides whether the metadata of a client asks for `private_key_jwt`, and with which keys. Nothing is fetched.
 *
 * - `token_endpoint_auth_method` is `private_key_jwt`. If it is absent, `token_endpoint_auth_methods_supported` contains it,
 *   and not `none`.
 * - Exactly one of `jwks`, with 1 to 16 public keys, and `jwks_uri`, which `policy` allows. A client that lists `none` too
 *   and has neither is public.
 * - `token_endpoint_auth_signing_alg` is one of `algorithms`, if present.
 *
 * @param request - `metadata`: a document or another JSON object, unchecked; `algorithms`: those of the server; `policy`: the
 *   hosts from which keys may be fetched, or `null` if none are
 * @returns the keys; `null` if the client does not ask for the method; or a refusal with `invalid_client`
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 * @see [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5)
 *
 * @example
 * ```ts
 * import { decideClientKeys } from 'hallpass/blocks'
 *
 * const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
 * const metadata = {
 *   token_endpoint_auth_method: 'private_key_jwt',
 *   jwks_uri: 'https://notes.example/jwks.json',
 * }
 * const request = { metadata, algorithms: ['ES256'], policy }
 * const decided = decideClientKeys(request)
 * decided?.ok && decided.keys.jwksUri // => 'https://notes.example/jwks.json'
 *
 * const both = decideClientKeys({ ...request, metadata: { ...metadata, jwks: { keys: [] } } })
 * both === null || both.ok || both.reason // => 'client_keys_ambiguous'
 * ```
 * @group Client authentication
 */
export function decideClientKeys({
  metadata,
  algorithms,
  policy,
}: {
  metadata: Readonly<Record<string, unknown>>
  algorithms: readonly string[]
  policy: DocumentPolicy | null
}):
  | {
      readonly ok: true
      readonly tokenEndpointAuthMethod: typeof METHOD
      readonly keys: ClientKeys
    }
  | Refusal<KeysReason>
  | null {
  const choices = listOf(memberOf(metadata, 'token_endpoint_auth_methods_supported'))
  const isPublicToo = choices.includes('none')
  const first = isPublicToo ? 'none' : choices.find((one) => one === 'private_key_jwt')
  if ((memberOf(metadata, 'token_endpoint_auth_method') ?? first) !== 'private_key_jwt') return null
  const jwks = memberOf(metadata, 'jwks')
  const jwksUri = memberOf(metadata, 'jwks_uri')
  if (jwks === undefined && jwksUri === undefined)
    return isPublicToo
      ? null
      : refuse(
          'invalid_client',
          'client_keys_missing',
          'a client with private_key_jwt needs jwks or jwks_uri',
        )
  if (jwks !== undefined && jwksUri !== undefined)
    return refuse(
      'invalid_client',
      'client_keys_ambiguous',
      'jwks and jwks_uri must not both be present: leave one of them out',
    )
  const signingAlg = memberOf(metadata, 'token_endpoint_auth_signing_alg') ?? null
  if (signingAlg !== null && !algorithms.some((one) => one === signingAlg))
    return refuse(
      'invalid_client',
      'client_keys_alg_not_supported',
      `token_endpoint_auth_signing_alg must be one of ${algorithms.join(', ')}`,
    )
  const named = { signingAlg: signingAlg as string | null }
  if (jwksUri !== undefined)
    return isKeyUrl(jwksUri, policy)
      ? { ok: true, tokenEndpointAuthMethod: METHOD, keys: { jwks: null, jwksUri, ...named } }
      : refuse(
          'invalid_client',
          'client_keys_uri_not_allowed',
          'the address of the keys, jwks_uri, must be an https URL of a public host from which this site accepts documents',
        )
  const decided = decideKeySet(jwks)
  return decided.ok
    ? {
        ok: true,
        tokenEndpointAuthMethod: METHOD,
        keys: { jwks: decided.jwks, jwksUri: null, ...named },
      }
    : decided
}

/**
 * Decides whether a value is a JWK Set of public keys. Keys of types that no one here knows are left out (RFC 7517, section 5).
 */
export function decideKeySet(
  value: unknown,
):
  | { readonly ok: true; readonly jwks: NonNullable<ClientKeys['jwks']> }
  | Refusal<'client_keys_malformed' | 'client_keys_private'> {
  const keys = isMembers(value) ? listOf(memberOf(value, 'keys')) : []
  if (keys.some(isSecretKey))
    return refuse(
      'invalid_client',
      'client_keys_private',
      'the keys must be public: replace the one that was published',
    )
  const known = keys.filter(hasKnownType)
  const read = known.map(readPublicKey).filter((key) => key !== null)
  const isBad = !keys.every(isMembers) || read.length < known.length
  if (!read.some(isForSignatures) || keys.length > MAX_CLIENT_KEYS || isBad)
    return refuse(
      'invalid_client',
      'client_keys_malformed',
      `the keys must be a JWK Set of 1 to ${MAX_CLIENT_KEYS} public keys of type EC, RSA or OKP, one of them for signatures`,
    )
  return { ok: true, jwks: { keys: read } }
}

/** Whether keys may be fetched from a URL. A site without documents fetches nothing. */
export const isKeyUrl = (url: unknown, policy: DocumentPolicy | null): url is string =>
  typeof url === 'string' && policy !== null && decideDocumentUrl({ clientId: url, policy }).ok
