import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import { audienceOf, type Client } from './client.js'
import { type Decision, type ReasonsOf, refuse, type With } from './decision.js'

// RFC 6749 §3.3: scope-token *( SP scope-token ). Templates that join empty parts send further spaces, which mean nothing.
const SCOPE_PARAMETER = /^[ !#-[\]-~]+$/

/**
 * The scope `offline_access`. It is accepted and has no effect, because a refresh token is always
 * issued.
 *
 * @see [OpenID Connect Core, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
 */
const OFFLINE_ACCESS = 'offline_access'

/**
 * Parses a `scope` parameter. Further spaces between, before and after the names are ignored.
 *
 * @param scope - the parameter as received
 * @returns each scope once, in the order of the request and without `offline_access`, or a refusal
 *   with `invalid_scope`
 * @see [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 *
 * @example
 * ```ts
 * import { parseScope } from 'hallpass/policy'
 *
 * const parsed = parseScope('openid offline_access courses:read openid')
 * parsed // => { ok: true, scopes: ['openid', 'courses:read'] }
 *
 * const refused = parseScope('openid "courses:read"')
 * refused.ok ? null : refused.reason // => 'scope_malformed'
 * ```
 *
 * @group Scopes, roles and resources
 */
export function parseScope(
  scope: string,
): Decision<{ scopes: readonly string[] }, 'scope_malformed'> {
  if (!SCOPE_PARAMETER.test(scope))
    return refuse(
      'invalid_scope',
      'scope_malformed',
      'scope must be scope names separated by spaces',
    )
  const scopes = new Set(scope.split(' '))
  scopes.delete('')
  scopes.delete(OFFLINE_ACCESS)
  return { ok: true, scopes: [...scopes] }
}

/**
 * Returns every scope that a client may request now: those of its audience that its own `scopes`
 * allow. A loopback or vendor client without `scopes` may request all scopes of its audience. A
 * client metadata document may request read scopes, and the write scopes that a reviewer allowed.
 *
 * @param of - `client`: the client as it is now; `registry`: the scopes of the site
 * @returns the scopes, in the order of the scope table
 *
 * @example
 * ```ts
 * import { clientOfVendor, scopesOfClient } from 'hallpass/policy'
 * import { schoolScopes as registry } from 'hallpass/scope'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const scopes = ['courses:read'] // the operator scopes that this vendor may request
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes, reviewedOn: '2026-11-20' }
 * const allowed = scopesOfClient({ client: clientOfVendor(vendor), registry })
 * allowed // => ['openid', 'profile', 'email', 'courses:read']
 * ```
 *
 * @group Scopes, roles and resources
 */
export function scopesOfClient({
  client,
  registry,
}: {
  client: With<Client, 'kind' | 'scopes'>
  registry: ScopeRegistry
}): readonly string[] {
  return mayRequest({ scopes: registry.names, client, registry })
}

/** Returns those of the scopes that a client may request now. */
export function mayRequest({
  scopes,
  client,
  registry,
}: {
  scopes: readonly string[]
  client: With<Client, 'kind' | 'scopes'>
  registry: ScopeRegistry
}): readonly string[] {
  return scopes.filter((scope) => scopeRefusal({ scope, client, registry }) === null)
}

/**
 * Decides whether a client may request these scopes. Each must be in the scope table, of the
 * audience of the client, and allowed by its own `scopes`.
 *
 * @param request - `scopes`: as requested; `client`: the client as it is now; `registry`: the
 *   scopes of the site
 * @returns the scopes as requested, or a refusal with `invalid_scope`
 * @see [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 *
 * @example
 * ```ts
 * import { clientOfVendor, decideScopes } from 'hallpass/policy'
 * import { schoolScopes as registry } from 'hallpass/scope'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * const client = clientOfVendor(vendor)
 * const scopes = ['courses:read']
 * decideScopes({ scopes, client, registry }) // => { ok: true, scopes }
 *
 * const refused = decideScopes({ scopes: ['account:read'], client, registry })
 * refused.ok ? null : refused.reason // => 'scope_of_other_audience'
 * ```
 *
 * @group Scopes, roles and resources
 */
export function decideScopes({
  scopes,
  client,
  registry,
}: {
  scopes: readonly string[]
  client: With<Client, 'kind' | 'scopes'>
  registry: ScopeRegistry
}): Decision<
  { scopes: readonly string[] },
  'scope_missing' | 'scope_unknown' | 'scope_of_other_audience' | 'scope_not_allowed_for_client'
> {
  if (scopes.length === 0)
    return refuse('invalid_scope', 'scope_missing', 'scope is required: send at least one scope')
  for (const scope of scopes) {
    const reason = scopeRefusal({ scope, client, registry })
    if (reason !== null) return refuse('invalid_scope', reason, SCOPE_ADVICE[reason])
  }
  return { ok: true, scopes }
}

/**
 * Decides the scopes of a refreshed access token: all granted scopes, or fewer.
 *
 * @param request - `asked`: the requested scopes, or `null` for all granted scopes; `granted`: the
 *   scopes of the grant
 * @returns the scopes of the new token, or a refusal with `invalid_scope`
 * @see [RFC 6749, section 6](https://www.rfc-editor.org/rfc/rfc6749#section-6)
 *
 * @example
 * ```ts
 * import { decideNarrowedScopes } from 'hallpass/policy'
 *
 * const granted = ['courses:read', 'courses:write']
 * decideNarrowedScopes({ asked: ['courses:read'], granted }) // => { ok: true, scopes: ['courses:read'] }
 *
 * const refused = decideNarrowedScopes({ asked: ['orders:read'], granted })
 * refused.ok ? null : refused.reason // => 'scope_widened'
 * ```
 *
 * @group Scopes, roles and resources
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
      'scope must not exceed the granted scopes: authorize again to get more',
    )
  return { ok: true, scopes: asked }
}

type ScopeReason = Exclude<ReasonsOf<typeof decideScopes>, 'scope_missing'>

const SCOPE_ADVICE: Readonly<Record<ScopeReason, string>> = {
  scope_unknown: 'scope contains an unknown scope: see scopes_supported in the metadata',
  scope_of_other_audience:
    'scope contains a scope of the other audience: account scopes are for member clients, all other scopes except the identity scopes for operator clients',
  scope_not_allowed_for_client: 'scope contains a scope that this client may not request',
}

function scopeRefusal({
  scope,
  client,
  registry,
}: {
  scope: string
  client: With<Client, 'kind' | 'scopes'>
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
  client: With<Client, 'kind' | 'scopes'>
}): boolean {
  if (access === 'identity') return true
  if (kind === 'document') return access === 'read' || (scopes?.includes(scope) ?? false)
  return scopes === null || scopes.includes(scope)
}
