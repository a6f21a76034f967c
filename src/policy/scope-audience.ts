import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import { audienceOf, type Client } from './client.js'
import { type Decision, refuse } from './decision.js'

// RFC 6749 §3.3: scope-token *( SP scope-token )
const SCOPE_PARAMETER = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Accepted and without effect: a refresh token is always issued (OpenID Connect Core §11). */
export const OFFLINE_ACCESS = 'offline_access'

/**
 * Takes a `scope` parameter apart.
 *
 * @param scope - as received
 * @returns each scope once, in the order asked, without `offline_access`. The refusal is
 *   `invalid_scope`
 * @see RFC 6749 §3.3
 */
export function parseScope(
  scope: string,
): Decision<{ scopes: readonly string[] }, 'scope_malformed'> {
  if (!SCOPE_PARAMETER.test(scope))
    return refuse(
      'invalid_scope',
      'scope_malformed',
      'scope must be scope names separated by single spaces',
    )
  const scopes = new Set(scope.split(' '))
  scopes.delete(OFFLINE_ACCESS)
  return { ok: true, scopes: [...scopes] }
}

/**
 * Every scope a client may ask for now: those of its audience, within its own cap. A loopback or
 * vendor client without a cap of its own may ask for its whole audience; a document may read, and
 * write what a reviewer allowed.
 */
export function scopesOfClient({
  client,
  registry,
}: {
  client: Client
  registry: ScopeRegistry
}): readonly string[] {
  return registry.names.filter((scope) => scopeRefusal({ scope, client, registry }) === null)
}

/**
 * Decides whether a client may ask for these scopes: each must be known, of the client's audience,
 * and within the client's cap.
 *
 * @returns the scopes as asked. Refusals are `invalid_scope`
 * @see RFC 6749 §3.3
 */
export function decideScopes({
  scopes,
  client,
  registry,
}: {
  scopes: readonly string[]
  client: Client
  registry: ScopeRegistry
}): Decision<{ scopes: readonly string[] }, 'scope_missing' | ScopeReason> {
  if (scopes.length === 0)
    return refuse('invalid_scope', 'scope_missing', 'scope is required: name at least one scope')
  for (const scope of scopes) {
    const reason = scopeRefusal({ scope, client, registry })
    if (reason !== null) return refuse('invalid_scope', reason, SCOPE_ADVICE[reason])
  }
  return { ok: true, scopes }
}

/**
 * Decides the scopes of a refreshed access token: what the grant holds, or fewer.
 *
 * @param request - `asked`: `null` = as granted
 * @returns refusals are `invalid_scope`
 * @see RFC 6749 §6
 */
export function decideNarrowedScopes({
  asked,
  granted,
}: {
  asked: readonly string[] | null
  granted: readonly string[]
}): Decision<{ scopes: readonly string[] }, 'scope_missing' | 'scope_widened'> {
  if (asked === null) return { ok: true, scopes: granted }
  if (asked.length === 0)
    return refuse('invalid_scope', 'scope_missing', 'scope must name at least one scope')
  if (!asked.every((scope) => granted.includes(scope)))
    return refuse(
      'invalid_scope',
      'scope_widened',
      'scope may name fewer scopes than were granted, never others: start a new authorization for more',
    )
  return { ok: true, scopes: asked }
}

/** Why a client may not ask for a scope. */
export type ScopeReason =
  'scope_unknown' | 'scope_of_other_audience' | 'scope_not_allowed_for_client'

const SCOPE_ADVICE: Readonly<Record<ScopeReason, string>> = {
  scope_unknown: 'scope names a scope that does not exist: see scopes_supported in the metadata',
  scope_of_other_audience:
    'scope names a scope that is reserved to the other audience: account scopes are for member clients, all others but identity for operator clients',
  scope_not_allowed_for_client: 'scope names a scope that this client may not ask for',
}

function scopeRefusal({
  scope,
  client,
  registry,
}: {
  scope: string
  client: Client
  registry: ScopeRegistry
}): ScopeReason | null {
  const row = registry.get(scope)
  if (row === undefined) return 'scope_unknown'
  if (row.audience !== 'any' && row.audience !== audienceOf(client.kind))
    return 'scope_of_other_audience'
  return isWithinCap({ scope, access: row.access, client }) ? null : 'scope_not_allowed_for_client'
}

function isWithinCap({
  scope,
  access,
  client: { kind, scopes },
}: {
  scope: string
  access: ScopeAccess
  client: Client
}): boolean {
  if (access === 'identity') return true
  if (kind === 'document') return access === 'read' || (scopes?.includes(scope) ?? false)
  return scopes === null || scopes.includes(scope)
}
