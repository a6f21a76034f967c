import type { Client } from './client.js'
import type { AuthenticatedClient } from './client-authentication.js'
import { type ReasonsOf, type Refusal, refuse, type With } from './decision.js'
import type { Grant, RefreshToken, Rotation } from './grant.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { isBefore, secondsSince } from '../time/seconds.js'
import type { RefreshPolicy } from './refresh-policy.js'
import { decideRepeatedResource, type ResourceNames } from './resource-indicator.js'
import { decideNarrowedScopes, mayRequest } from './scope-audience.js'

declare const rotatable: unique symbol

/**
 * A refresh token that the client may rotate now. Only {@link decideRefresh} creates one.
 *
 * @typeParam Token - the members of the token that are known. Default: all
 *
 * @group Token endpoint
 */
export type RotatableToken<Token = RefreshToken> = Token & { readonly [rotatable]: true }

/**
 * The outcome of a valid refresh request: issue new tokens (`rotate`), send the same response again
 * (`repeat`), or decide the request for the successor of the token (`follow`).
 *
 * @typeParam Token - the members of the token that are known. Default: all
 * @typeParam Of - the members of its grant that are known. Default: all
 *
 * @group Token endpoint
 */
export type Refresh<Token = RefreshToken, Of = Grant> =
  /** Issue a new access token and a new refresh token. */
  | {
      readonly ok: true
      readonly outcome: 'rotate'
      readonly refreshToken: RotatableToken<Token>
      readonly grant: Of
      /** The scopes of the new access token. */
      readonly scopes: readonly string[]
    }
  /** The response was lost: send the same tokens again, and issue nothing. */
  | {
      readonly ok: true
      readonly outcome: 'repeat'
      readonly rotation: NonNullable<RefreshToken['rotation']> & { readonly salt: string }
      readonly grant: Of
      readonly scopes: readonly string[]
    }
  /**
   * The successor was used, or its access token has expired: derive the successor, and decide the request
   * as if the client had sent it.
   */
  | {
      readonly ok: true
      readonly outcome: 'follow'
      readonly rotation: NonNullable<RefreshToken['rotation']> & { readonly salt: string }
      readonly grant: Of
      readonly scopes: readonly string[]
    }

/**
 * Decides whether a refresh token may be used. The function changes nothing.
 *
 * A refresh token is used once, and replaced by a successor. Its response may be lost on the way to
 * the client, or another process of the client may have received it. Therefore the policy says how long
 * the same client may send the token again, and gets the same response or the newest tokens of the grant.
 * It never gets a refresh token that was used. After these times two parties have the token: the refusal
 * names the grant to revoke, unless the policy forgives the use. A salt that the store has deleted ends these times.
 *
 * A grant that is bound to a key needs proof of it, or of any key from a confidential client, whose secret protects its
 * refresh tokens (RFC 9449, section 5). This is checked before a second use, so no one without the key ends a grant. A
 * public client cannot bind a grant afterwards: a thief of its refresh token could do it first.
 *
 * @param request - `found` is the token with its grant as stored, or `null` if no token matches.
 *   `client` is from {@link decideClientAuthentication}. `scopes` is as requested, where `null`
 *   means all granted scopes that the client may still use. `resources` is every `resource` as
 *   received, and `names` is from {@link defineResource}. `registry` has the scopes of the site.
 *   `policy` is that of the client's holder (see {@link RefreshPolicies}). `now` is in epoch seconds. `key` is the one
 *   that the request proves to have, as the thumbprint of RFC 7638. Default: none
 * @returns whether to rotate, to repeat or to follow, or a refusal. The error is `invalid_scope` for scopes
 *   that were not granted or are no longer allowed, and otherwise `invalid_grant`.
 * @see [RFC 6749, section 6](https://www.rfc-editor.org/rfc/rfc6749#section-6)
 * @see [OAuth 2.1, section 4.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-4.3)
 * @see [RFC 9700, section 4.14](https://www.rfc-editor.org/rfc/rfc9700#section-4.14)
 *
 * @example
 * ```ts
 * import * as hallpass from 'hallpass/policy'
 * import { schoolScopes as registry } from 'hallpass/scope'
 *
 * const [redirectUri, resource, now] = ['https://notes.example/callback', 'https://school.example', 1_795_165_200]
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris: [redirectUri], scopes: null, reviewedOn: '2026-11-20' }
 * const request = { client: hallpass.clientOfVendor(vendor), clientSecret: null, authorization: null, now }
 * const caller = hallpass.decideClientAuthentication(request)
 * if (!caller.ok) throw new Error(caller.reason)
 * const granted = { grantId: 'grant_1', clientId: 'notes', subject: 'per_mei', scopes: ['courses:read'], resource }
 * const times = { createdAt: now, expiresAt: now + 86_400, revokedAt: null, revokedReason: null }
 * const refreshToken = { tokenHash: 'hash', grantId: 'grant_1', issuedAt: now, expiresAt: now + 3600, rotation: null }
 * const found = { refreshToken, grant: { ...granted, ...times, redirectUri }, successorUsed: false }
 * const names = hallpass.defineResource(resource)
 * const policy = hallpass.REFRESH_POLICY.oneHolder
 * const form = { found, client: caller.client, scopes: null, resources: [], names, registry, policy }
 * const refresh = hallpass.decideRefresh({ ...form, now })
 * refresh.ok ? refresh.outcome : refresh.reason // => 'rotate'
 * ```
 *
 * @group Token endpoint
 */
export function decideRefresh<
  Token extends Pick<RefreshToken, 'expiresAt' | 'rotation'> = RefreshToken,
  Of extends Pick<
    Grant,
    'grantId' | 'clientId' | 'scopes' | 'resource' | 'expiresAt' | 'revokedAt' | 'boundTo'
  > = Grant,
>({
  found,
  client,
  scopes: asked,
  resources,
  names,
  registry,
  policy,
  now,
  key = null,
}: {
  found: { refreshToken: Token; grant: Of; successorUsed: boolean } | null
  client: AuthenticatedClient<With<Client, 'clientId' | 'kind' | 'scopes'>>
  scopes: readonly string[] | null
  resources: readonly string[]
  names: Pick<ResourceNames, 'accepted'>
  registry: ScopeRegistry
  policy: RefreshPolicy
  now: number
  key?: string | null
}):
  | Refresh<Token, Of>
  | (Refusal<
      | 'refresh_token_unknown'
      | 'refresh_token_of_other_client'
      | 'refresh_token_bound'
      | 'refresh_token_not_bound'
      | 'grant_revoked'
      | 'grant_expired'
      | 'refresh_token_reused'
      | 'refresh_token_stale'
      | 'refresh_token_expired'
      | 'scope_beyond_client'
      | 'refresh_retry_differs'
      | 'scope_missing'
      | 'scope_widened'
      | ReasonsOf<typeof decideRepeatedResource>
    > & {
      /** The grant to revoke, because two parties have the token. Absent if nothing is to be revoked. */
      readonly revokeGrantId?: string
    }) {
  if (found === null) return refuse('invalid_grant', 'refresh_token_unknown')
  const { refreshToken, grant, successorUsed } = found
  if (grant.clientId !== client.clientId)
    return refuse('invalid_grant', 'refresh_token_of_other_client')
  const { boundTo = null } = grant
  if (boundTo !== key && (key === null || (client.tokenEndpointAuthMethod ?? 'none') === 'none'))
    return refuse(
      'invalid_grant',
      boundTo === null ? 'refresh_token_not_bound' : 'refresh_token_bound',
    )
  if (grant.revokedAt !== null) return refuse('invalid_grant', 'grant_revoked')
  if (!isBefore(now, grant.expiresAt)) return refuse('invalid_grant', 'grant_expired')
  const { rotation } = refreshToken
  if (rotation !== null) {
    const { repeatSeconds, catchUpSeconds, forgiveSeconds } = policy
    // The process that rotated it may have a clock that is ahead.
    const age = Math.max(secondsSince(rotation.rotatedAt, now), 0)
    if (!isSalted(rotation) || !isBefore(age, successorUsed ? catchUpSeconds : repeatSeconds)) {
      if (isBefore(age, forgiveSeconds)) return refuse('invalid_grant', 'refresh_token_stale')
      return { ...refuse('invalid_grant', 'refresh_token_reused'), revokeGrantId: grant.grantId }
    }
  }
  if (!isBefore(now, refreshToken.expiresAt))
    return refuse('invalid_grant', 'refresh_token_expired')
  const target = decideRepeatedResource({
    resources,
    names,
    bound: grant.resource,
    required: false,
  })
  if (!target.ok) return target
  const granted = mayRequest({ scopes: grant.scopes, client, registry })
  if (granted.length === 0)
    return refuse(
      'invalid_scope',
      'scope_beyond_client',
      'this client may no longer use any of the granted scopes',
    )
  const narrowed = decideNarrowedScopes({ asked, granted })
  if (!narrowed.ok) return narrowed
  const { scopes } = narrowed
  if (rotation === null)
    return {
      ok: true,
      outcome: 'rotate',
      refreshToken: refreshToken as RotatableToken<Token>,
      grant,
      scopes,
    }
  if (successorUsed || !isBefore(now, rotation.accessTokenExpiresAt))
    return { ok: true, outcome: 'follow', rotation, grant, scopes }
  // A person may have added scopes to the grant since.
  const asksAgain =
    asked === null && rotation.scopesOmitted === true
      ? rotation.scopes.every((scope) => scopes.includes(scope))
      : sameSet(rotation.scopes, scopes)
  if (!asksAgain) return refuse('invalid_grant', 'refresh_retry_differs')
  return { ok: true, outcome: 'repeat', rotation, grant, scopes: rotation.scopes }
}

const isSalted = (rotation: Rotation): rotation is Rotation & { readonly salt: string } =>
  rotation.salt !== null

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value))
}
