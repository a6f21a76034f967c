import type { AuthenticatedClient } from './client-authentication.js'
import type { GrantRefusal } from './code-redemption.js'
import { type ReasonsOf, refuse } from './decision.js'
import type { Grant, RefreshToken, Rotation } from './grant.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { decideRepeatedResource, type ResourceNames } from './resource-indicator.js'
import { decideNarrowedScopes, scopesOfClient } from './scope-audience.js'

declare const rotatable: unique symbol

/** A current refresh token that its rightful client may rotate now. */
export type RotatableToken = RefreshToken & { readonly [rotatable]: true }

/** What a refresh may do. */
export type Refresh =
  /** Rotate: mint a successor pair. */
  | {
      readonly ok: true
      readonly outcome: 'rotate'
      readonly refreshToken: RotatableToken
      readonly grant: Grant
      /** Scopes of the new access token. */
      readonly scopes: readonly string[]
    }
  /** The answer was lost: give the same successor pair again, mint nothing. */
  | {
      readonly ok: true
      readonly outcome: 'repeat'
      readonly rotation: Rotation
      readonly grant: Grant
      readonly scopes: readonly string[]
    }

/** Why a refresh is refused. */
export type RefreshReason =
  | 'refresh_token_unknown'
  | 'refresh_token_of_other_client'
  | 'grant_revoked'
  | 'grant_expired'
  | 'refresh_token_reused'
  | 'refresh_token_expired'
  | 'scope_beyond_client'
  | 'refresh_retry_differs'
  | ReasonsOf<typeof decideNarrowedScopes>
  | ReasonsOf<typeof decideRepeatedResource>

/**
 * Decides a refresh. Changes nothing.
 *
 * A token is used once. Shown again by its own client within `retrySeconds`, with the same
 * parameters, and while its successor is unused, it gets the same answer again, because the first one
 * may have been lost on the way. Any other second use means that two parties hold the token: the
 * refusal names the grant to revoke.
 *
 * @param request - `found`: the token with its grant as stored, `null` = unknown; `scopes`: as asked,
 *   `null` = as granted and within the client's cap now; `retrySeconds`: 0 = strict; `now`: epoch seconds
 * @returns refusals are `invalid_scope` for scopes that were never granted or are no longer allowed,
 *   and else `invalid_grant`
 * @see RFC 6749 §6; OAuth 2.1 §4.3; RFC 9700 §4.14
 */
export function decideRefresh({
  found,
  client,
  scopes: asked,
  resources,
  names,
  registry,
  retrySeconds,
  now,
}: {
  found: { refreshToken: RefreshToken; grant: Grant; successorUsed: boolean } | null
  client: AuthenticatedClient
  scopes: readonly string[] | null
  resources: readonly string[]
  names: ResourceNames
  registry: ScopeRegistry
  retrySeconds: number
  now: number
}): Refresh | GrantRefusal<RefreshReason> {
  if (found === null) return refuse('invalid_grant', 'refresh_token_unknown')
  const { refreshToken, grant, successorUsed } = found
  if (grant.clientId !== client.clientId)
    return refuse('invalid_grant', 'refresh_token_of_other_client')
  if (grant.revokedAt !== null) return refuse('invalid_grant', 'grant_revoked')
  if (grant.expiresAt <= now) return refuse('invalid_grant', 'grant_expired')
  const { rotation } = refreshToken
  if (rotation !== null && (successorUsed || rotation.rotatedAt + retrySeconds <= now))
    return { ...refuse('invalid_grant', 'refresh_token_reused'), revokeGrantId: grant.grantId }
  if (refreshToken.expiresAt <= now) return refuse('invalid_grant', 'refresh_token_expired')
  const target = decideRepeatedResource({
    resources,
    names,
    bound: grant.resource,
    required: false,
  })
  if (!target.ok) return target
  const cap = scopesOfClient({ client, registry })
  const granted = grant.scopes.filter((scope) => cap.includes(scope))
  if (granted.length === 0)
    return refuse(
      'invalid_scope',
      'scope_beyond_client',
      'this application may no longer use any scope that it was granted',
    )
  const narrowed = decideNarrowedScopes({ asked, granted })
  if (!narrowed.ok) return narrowed
  const { scopes } = narrowed
  if (rotation === null)
    return {
      ok: true,
      outcome: 'rotate',
      refreshToken: refreshToken as RotatableToken,
      grant,
      scopes,
    }
  if (!sameSet(rotation.scopes, scopes)) return refuse('invalid_grant', 'refresh_retry_differs')
  return { ok: true, outcome: 'repeat', rotation, grant, scopes: rotation.scopes }
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value))
}
