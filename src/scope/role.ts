import type { ScopeRegistry } from './registry.js'

/** What one role may do at a site. */
export interface RoleDefinition {
  /** Staff may approve operator clients. */
  readonly staff: boolean
  /** The operator scopes that have an effect in this role's hands. */
  readonly scopes: 'all' | readonly string[]
  /** Whether the role creates, reviews and ends clients of the site. Default: no. */
  readonly managesClients?: boolean
}

/** Role name to what it may do. A role that is not in the table may do nothing. */
export type RoleTable = Readonly<Record<string, RoleDefinition>>

/**
 * A role table without the scopes that a registry lacks: for a table of scopes from which rows were taken.
 *
 * ```ts
 * const roles = rolesFor(scopes, schoolRoles)
 * ```
 */
export function rolesFor(registry: ScopeRegistry, roles: RoleTable): RoleTable {
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]) => [
      name,
      role.scopes === 'all'
        ? role
        : { ...role, scopes: role.scopes.filter((scope) => registry.get(scope) !== undefined) },
    ]),
  )
}
