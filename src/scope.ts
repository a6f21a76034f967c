/**
 * Scopes and roles: which scopes a site has, what the consent page says about each, and which role may
 * use them. {@link schoolScopes} and {@link schoolRoles} are those of an online school, ready to use.
 *
 * Start with {@link defineScopes} for scopes of your own, {@link omitScopes} to leave some of the
 * school's scopes out, and {@link schoolScopes} to use them all.
 *
 * @example
 * ```ts
 * import { defineScopes, rolesFor, schoolRoles, schoolScopeTable } from 'hallpass/scope'
 *
 * const library = {
 *   audience: 'operator', access: 'read', group: 'Library', consent: 'See books and who borrowed them',
 * } as const
 * const scopes = defineScopes({ ...schoolScopeTable, 'library:read': library })
 * const roles = rolesFor(scopes, { ...schoolRoles, librarian: { staff: true, scopes: ['library:read'] } })
 * scopes.names.includes('library:read') // => true
 * roles['librarian']?.scopes // => ['library:read']
 * ```
 *
 * @module
 */
export {
  type Audience,
  defineScopes,
  omitScopes,
  type ScopeAccess,
  type ScopeDefinition,
  type ScopeOf,
  type ScopeRegistry,
  type ScopeTable,
} from './scope/scope-registry.js'
export { rolesFor, type RoleTable } from './scope/role.js'
export { type SchoolScope, schoolScopeTable, type SchoolStaffScope } from './scope/school-scopes.js'
export { schoolRoles, schoolScopes } from './scope/school.js'
