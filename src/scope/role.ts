import type { ScopeRegistry } from './scope-registry.js'

/** What one role may do at a site with these scopes. */
export interface RoleDefinition<out Scope extends string = string> {
  /** Staff may approve operator clients. */
  readonly staff: boolean
  /** The operator scopes that have an effect in this role's hands. */
  readonly scopes: 'all' | readonly Scope[]
  /** Whether the role creates, reviews and ends clients of the site. Default: no. */
  readonly managesClients?: boolean
}

/** Role name to what it may do. A role that is not in the table may do nothing. */
export type RoleTable<Scope extends string = string> = Readonly<
  Record<string, RoleDefinition<Scope>>
>

/**
 * A role table without the scopes that a registry lacks: for a table of scopes from which rows were taken.
 *
 * ```ts
 * const roles = rolesFor(scopes, schoolRoles)
 * ```
 */
export function rolesFor<Scope extends string>(
  registry: ScopeRegistry<Scope>,
  roles: RoleTable,
): RoleTable<Scope> {
  const isKnown = (scope: string): scope is Scope => registry.get(scope) !== undefined
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]) => [
      name,
      { ...role, scopes: role.scopes === 'all' ? 'all' : role.scopes.filter(isKnown) },
    ]),
  )
}
