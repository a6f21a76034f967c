import type { ScopeRegistry } from './scope-registry.js'

/**
 * The roles of a site by name. A role that is not in the table has no rights.
 *
 * @typeParam Scope - the scope names of the site
 *
 * @group Roles
 */
export type RoleTable<Scope extends string = string> = Readonly<
  Record<
    string,
    {
      /** Whether people with this role are staff, who may authorize operator clients. */
      readonly staff: boolean
      /**
       * The operator scopes that people with this role may use, or `'all'`. A client that they
       * authorize can do no more.
       */
      readonly scopes: 'all' | readonly Scope[]
      /**
       * Whether people with this role may create, review, disable and delete clients of the site.
       * Default: `false`.
       */
      readonly managesClients?: boolean
    }
  >
>

/**
 * Returns a role table without the scopes that a registry does not contain. Use it if you removed
 * scopes from the table of the roles, for instance with {@link omitScopes}.
 *
 * @param registry - the scopes of the site
 * @param roles - a role table, such as {@link schoolRoles}
 * @returns a new table, for the option `roles` of a site
 *
 * @example
 * ```ts
 * import { defineScopes, omitScopes, rolesFor, schoolRoles, schoolScopeTable } from 'hallpass/scope'
 *
 * const scopes = defineScopes(omitScopes(schoolScopeTable, ['forms:read', 'comments:read']))
 * const roles = rolesFor(scopes, schoolRoles)
 * const assistant = roles['assistant']?.scopes
 * assistant // => ['events:read', 'events:write', 'courses:read', 'curriculum:read', 'students:read']
 * ```
 *
 * @group Roles
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
