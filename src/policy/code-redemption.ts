import { hasEnded, isBefore, isNotAfter, secondsSince } from '../time/seconds.js'
import type { AuthenticatedClient } from './client-authentication.js'
import { audienceOf, type Client } from './client.js'
import { type ReasonsOf, type Refusal, refuse } from './decision.js'
import type { AuthorizationCode } from './grant.js'
import { verifyPkceS256 } from './pkce.js'
import { decideRepeatedResource, type ResourceNames } from './resource-indicator.js'

declare const redeemable: unique symbol

// The time between two presses of a button, or until a proxy sends a request again. The sender of
// both is one client, so ending its grant would only sign its person out. A thief who has the code
// and the verifier gains nothing by it: the second use gets no tokens at any time.
const RESEND_SECONDS = 5

/**
 * An authorization code that the client may redeem now. Only {@link decideRedemption} creates one.
 *
 * @typeParam Code - the members of the code that are known. Default: all
 *
 * @group Token endpoint
 */
export type RedeemableCode<Code = AuthorizationCode> = Code & { readonly [redeemable]: true }

/**
 * Decides whether an authorization code may be redeemed. The function changes nothing, so a refused
 * code remains valid for the client that owns it.
 *
 * The client that owns a code may have sent it twice, with the correct verifier. Within five seconds
 * after the code was redeemed, such a second use is refused with the reason `code_lost_race`, and
 * revokes nothing. Later it is a replay, and the refusal names the grant to revoke. An attempt by any
 * other client, or with a wrong verifier, never revokes anything.
 *
 * @param request - `code` is as stored, or `null` if no code matches. `client` is from
 *   {@link decideClientAuthentication}. `redirectUri` and `codeVerifier` are as received, `null` if
 *   absent, and `resources` is every `resource` as received. `names` is from
 *   {@link defineResource}, and `now` is in epoch seconds. `key` is the one that the request proves to have, as the
 *   thumbprint of RFC 7638: a code that is bound to a key is refused without it. Default: none
 * @returns the code, now redeemable, or a refusal. The error is `invalid_request` or
 *   `invalid_target` for a parameter that is missing or malformed, and otherwise `invalid_grant`.
 * @see [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)
 * @see [RFC 7636, section 4.6](https://www.rfc-editor.org/rfc/rfc7636#section-4.6)
 * @see [RFC 8707, section 2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
 * @see [RFC 9700, section 2.1.1](https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1)
 *
 * @example
 * ```ts
 * import * as policy from 'hallpass/policy'
 *
 * const [redirectUri, resource, now] = ['https://notes.example/callback', 'https://school.example', 1_795_165_200]
 * const client = { clientId: 'notes', kind: 'vendor', tokenEndpointAuthMethod: 'none', secrets: [], disabled: false } as const
 * const request = { client, clientSecret: null, authorization: null, now }
 * const caller = policy.decideClientAuthentication(request)
 * if (!caller.ok) throw new Error(caller.reason)
 * const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
 * const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
 * const granted = { grantId: 'grant_1', clientId: 'notes', redirectUri, resource, resourceSent: false }
 * const code = { ...granted, codeChallenge, expiresAt: now + 60, grantEndsAt: null, redeemedAt: null }
 * const names = policy.defineResource(resource)
 * const form = { code, client: caller.client, redirectUri, codeVerifier, resources: [], names }
 * policy.decideRedemption({ ...form, now }).ok // => true
 * const late = policy.decideRedemption({ ...form, now: now + 60 })
 * late.ok ? null : late.reason // => 'code_expired'
 * const redeemed = { ...code, redeemedAt: now }
 * const again = [now + 5, now + 6].map((at) => policy.decideRedemption({ ...form, code: redeemed, now: at }))
 * again.map((second) => (second.ok ? null : second.reason)) // => ['code_lost_race', 'code_replayed']
 * ```
 *
 * @group Token endpoint
 */
export function decideRedemption<
  Code extends Pick<
    AuthorizationCode,
    | 'grantId'
    | 'clientId'
    | 'redirectUri'
    | 'codeChallenge'
    | 'resource'
    | 'resourceSent'
    | 'expiresAt'
    | 'grantEndsAt'
    | 'redeemedAt'
    | 'boundTo'
  > = AuthorizationCode,
>({
  code,
  client,
  redirectUri,
  codeVerifier,
  resources,
  names,
  now,
  key = null,
}: {
  code: Code | null
  client: AuthenticatedClient<Pick<Client, 'clientId' | 'kind'>>
  redirectUri: string | null
  codeVerifier: string | null
  resources: readonly string[]
  names: Pick<ResourceNames, 'accepted'>
  now: number
  key?: string | null
}):
  | { readonly ok: true; readonly code: RedeemableCode<Code> }
  | (Refusal<
      | 'redirect_uri_missing'
      | 'code_unknown'
      | 'code_of_other_client'
      | 'code_bound'
      | 'redirect_uri_mismatch'
      | 'code_lost_race'
      | 'code_replayed'
      | 'code_expired'
      | 'grant_expired'
      | ReasonsOf<typeof verifyPkceS256>
      | ReasonsOf<typeof decideRepeatedResource>
    > & {
      /** The grant to revoke, because the code was used a second time. Absent if nothing is to be revoked. */
      readonly revokeGrantId?: string
    }) {
  if (redirectUri === null)
    return refuse('invalid_request', 'redirect_uri_missing', 'redirect_uri is required')
  if (code === null) return refuse('invalid_grant', 'code_unknown')
  if (code.clientId !== client.clientId) return refuse('invalid_grant', 'code_of_other_client')
  if ((code.boundTo ?? key) !== key) return refuse('invalid_grant', 'code_bound')
  if (code.redirectUri !== redirectUri) return refuse('invalid_grant', 'redirect_uri_mismatch')
  const proof = verifyPkceS256({ codeVerifier, codeChallenge: code.codeChallenge })
  if (!proof.ok) return proof
  const target = decideRepeatedResource({
    resources,
    names,
    bound: code.resource,
    required: code.resourceSent || audienceOf(client.kind) === 'member',
  })
  if (!target.ok) return target
  // In whole seconds the fifth has to be included, or the window could be shorter than five.
  if (isNotAfter(secondsSince(code.redeemedAt, now), RESEND_SECONDS))
    return refuse('invalid_grant', 'code_lost_race')
  if (code.redeemedAt !== null)
    return { ...refuse('invalid_grant', 'code_replayed'), revokeGrantId: code.grantId }
  if (!isBefore(now, code.expiresAt)) return refuse('invalid_grant', 'code_expired')
  if (hasEnded(code.grantEndsAt, now)) return refuse('invalid_grant', 'grant_expired')
  return { ok: true, code: code as RedeemableCode<Code> }
}
