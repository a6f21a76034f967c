import type { AuthenticatedClient } from './client-authentication.js'
import { audienceOf } from './client.js'
import { type ReasonsOf, type Refusal, refuse } from './decision.js'
import type { AuthorizationCode } from './grant.js'
import { verifyPkceS256 } from './pkce.js'
import type { RefusalReason } from './refusals.js'
import { decideRepeatedResource, type ResourceNames } from './resource-indicator.js'

declare const redeemable: unique symbol

/** A code that its rightful client may redeem now. Only {@link decideRedemption} makes one. */
export type RedeemableCode = AuthorizationCode & { readonly [redeemable]: true }

/** A refusal that may end a grant: a code or refresh token was used again. */
export interface GrantRefusal<out Reason extends string = RefusalReason> extends Refusal<Reason> {
  /** The grant to revoke with this refusal; absent = nothing is revoked. */
  readonly revokeGrantId?: string
}

/** Why a code is not redeemed. */
export type RedemptionReason =
  | 'redirect_uri_missing'
  | 'code_unknown'
  | 'code_of_other_client'
  | 'redirect_uri_mismatch'
  | 'code_replayed'
  | 'code_expired'
  | ReasonsOf<typeof verifyPkceS256>
  | ReasonsOf<typeof decideRepeatedResource>

/**
 * Decides whether a code may be redeemed. Changes nothing: whatever is refused leaves the code alive
 * for its owner.
 *
 * A code that was redeemed before and is shown again by the same client with the right verifier is a
 * replay: the refusal names the grant to revoke. Anybody else's attempt touches nothing.
 *
 * @param request - `code`: as stored, `null` = unknown; `redirectUri` and `codeVerifier` as received,
 *   `null` = absent; `resources`: every `resource` as received; `now`: epoch seconds
 * @returns refusals are `invalid_request` or `invalid_target` for a parameter that is missing or
 *   malformed, and else `invalid_grant`
 * @see RFC 6749 §4.1.3; RFC 7636 §4.6; RFC 8707 §2.2; RFC 9700 §2.1.1
 */
export function decideRedemption({
  code,
  client,
  redirectUri,
  codeVerifier,
  resources,
  names,
  now,
}: {
  code: AuthorizationCode | null
  client: AuthenticatedClient
  redirectUri: string | null
  codeVerifier: string | null
  resources: readonly string[]
  names: ResourceNames
  now: number
}): { readonly ok: true; readonly code: RedeemableCode } | GrantRefusal<RedemptionReason> {
  if (redirectUri === null)
    return refuse('invalid_request', 'redirect_uri_missing', 'redirect_uri is required')
  if (codeVerifier === null)
    return refuse('invalid_request', 'code_verifier_missing', 'code_verifier is required')
  if (code === null) return refuse('invalid_grant', 'code_unknown')
  if (code.clientId !== client.clientId) return refuse('invalid_grant', 'code_of_other_client')
  if (code.redirectUri !== redirectUri) return refuse('invalid_grant', 'redirect_uri_mismatch')
  const proof = verifyPkceS256({ codeVerifier, codeChallenge: code.codeChallenge })
  if (!proof.ok) return proof
  const target = decideRepeatedResource({
    resources,
    names,
    bound: code.resource,
    required: audienceOf(client.kind) === 'member',
  })
  if (!target.ok) return target
  if (code.redeemedAt !== null)
    return { ...refuse('invalid_grant', 'code_replayed'), revokeGrantId: code.grantId }
  if (code.expiresAt <= now) return refuse('invalid_grant', 'code_expired')
  return { ok: true, code: code as RedeemableCode }
}
