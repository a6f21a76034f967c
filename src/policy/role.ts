import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { audienceOf, type Client } from './client.js'
import { type Decision, refuse } from './decision.js'

/**
 * Decides whether a person may authorize a client at all: any role at the site for a member client,
 * a staff role for every other.
 *
 * @returns refusals are `access_denied`
 */
export function decideApprover({
  roles,
  client,
  table,
}: {
  roles: readonly string[]
  client: Pick<Client, 'kind'>
  table: RoleTable
}): Decision<unknown, 'person_has_no_role' | 'person_not_staff'> {
  const known = roles.filter((role) => Object.hasOwn(table, role))
  if (known.length === 0)
    return refuse('access_denied', 'person_has_no_role', 'this account has no role at this site')
  if (audienceOf(client.kind) === 'operator' && !known.some((role) => table[role]!.staff))
    return refuse('access_denied', 'person_not_staff', 'this application is for staff of the site')
  return { ok: true }
}

/**
 * The scopes that have an effect now: those asked about, within the client's present cap and within
 * the ceiling of the person's present roles. Scope is not permission: a token keeps its scopes, but
 * each request asks this again.
 *
 * @param request - `clientScopes`: what {@link scopesOfClient} says of the client now
 */
export function effectiveScopes({
  scopes,
  clientScopes,
  roles,
  table,
  registry,
}: {
  scopes: readonly string[]
  clientScopes: readonly string[]
  roles: readonly string[]
  table: RoleTable
  registry: ScopeRegistry
}): readonly string[] {
  const held = roles.filter((role) => Object.hasOwn(table, role)).map((role) => table[role]!)
  if (held.length === 0) return []
  return scopes.filter((scope) => {
    if (!clientScopes.includes(scope)) return false
    if (registry.get(scope)?.audience !== 'operator') return true
    return held.some((role) => role.scopes === 'all' || role.scopes.includes(scope))
  })
}

/** Scopes with every narrower one that they satisfy too. */
export function withImplied(scopes: readonly string[], registry: ScopeRegistry): readonly string[] {
  // Few tables have any such row, and every request asks.
  if (scopes.every((scope) => registry.get(scope)?.implies === undefined)) return scopes
  const all = new Set(scopes)
  for (const scope of all)
    for (const implied of registry.get(scope)?.implies ?? []) all.add(implied)
  return [...all]
}
