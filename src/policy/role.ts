import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { audienceOf, type Client } from './client.js'
import { type Decision, refuse, type With } from './decision.js'
import type { Person } from './person.js'
import { mayRequest } from './scope-audience.js'

/**
 * The description of each refusal of a person's approval. It is the same for all of them, so that a client
 * does not learn the person's role from it.
 */
export const NOT_APPROVED = 'the person denied the request or may not authorize this app'

/**
 * Decides whether a person may authorize a client at all. A member client can be authorized by
 * anyone with a role at the site, and every other client only by staff.
 *
 * @param approval - `roles`: the names of the person's roles; `client`: the client; `table`: the
 *   roles of the site
 * @returns `{ ok: true }`, or a refusal with `access_denied`
 *
 * @example
 * ```ts
 * import { decideApprover } from 'hallpass/policy'
 * import { schoolRoles as table } from 'hallpass/scope'
 *
 * const student = { roles: ['student'], table }
 * decideApprover({ ...student, client: { kind: 'member' } }) // => { ok: true }
 *
 * const refused = decideApprover({ ...student, client: { kind: 'loopback' } })
 * refused.ok ? null : refused.reason // => 'person_not_staff'
 * ```
 *
 * @group Scopes, roles and resources
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
  const known = rolesOf(roles, table)
  if (known.length === 0) return refuse('access_denied', 'person_has_no_role', NOT_APPROVED)
  if (audienceOf(client.kind) === 'operator' && !known.some(({ staff }) => staff))
    return refuse('access_denied', 'person_not_staff', NOT_APPROVED)
  return { ok: true }
}

/**
 * Returns the scopes that apply now: those that the client may still use, and that one of the
 * person's current roles allows. Roles only limit operator scopes. A scope is not a permission: a
 * token keeps its scopes, but every request calls this function again.
 *
 * @param request - `scopes` are those of the token. `clientScopes` are those that the client may
 *   use now, from {@link scopesOfClient}. `roles` are the names of the person's roles now. `table`
 *   and `registry` are those of the site.
 * @returns the scopes that apply, in the order of `scopes`. Empty if the person has no known role
 *
 * @example
 * ```ts
 * import { effectiveScopes } from 'hallpass/policy'
 * import { schoolRoles as table, schoolScopes as registry } from 'hallpass/scope'
 *
 * const scopes = ['courses:read', 'courses:write', 'orders:read']
 * const request = { scopes, clientScopes: scopes, table, registry }
 * effectiveScopes({ ...request, roles: ['lecturer'] }) // => ['courses:read', 'courses:write']
 * effectiveScopes({ ...request, roles: ['assistant'] }) // => ['courses:read']
 * effectiveScopes({ ...request, roles: [] }) // => []
 * ```
 *
 * @group Scopes, roles and resources
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
  const held = rolesOf(roles, table)
  if (held.length === 0) return []
  return scopes.filter((scope) => {
    if (!clientScopes.includes(scope)) return false
    if (registry.get(scope)?.audience !== 'operator') return true
    return held.some((role) => role.scopes === 'all' || role.scopes.includes(scope))
  })
}

const rolesOf = (names: readonly string[], table: RoleTable): readonly RoleTable[string][] =>
  names.filter((name) => Object.hasOwn(table, name)).map((name) => table[name]!)

/** Returns those of the scopes that the client may use and the person's roles allow now. */
export const usableScopes = ({
  scopes,
  client,
  person,
  registry,
  roles,
}: {
  scopes: readonly string[]
  client: With<Client, 'kind' | 'scopes'>
  person: Pick<Person, 'roles'>
  registry: ScopeRegistry
  roles: RoleTable
}): readonly string[] =>
  effectiveScopes({
    scopes,
    clientScopes: mayRequest({ scopes, client, registry }),
    roles: person.roles,
    table: roles,
    registry,
  })

/** Returns the scopes together with every narrower scope that they imply. */
export function withImplied(scopes: readonly string[], registry: ScopeRegistry): readonly string[] {
  // A shortcut: every request calls this, and few scope tables use `implies`.
  if (scopes.every((scope) => registry.get(scope)?.implies === undefined)) return scopes
  const all = new Set(scopes)
  for (const scope of all)
    for (const implied of registry.get(scope)?.implies ?? []) all.add(implied)
  return [...all]
}
