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
export { type RoleDefinition, rolesFor, type RoleTable } from './scope/role.js'
export { type SchoolScope, schoolScopeTable, type SchoolStaffScope } from './scope/school-scopes.js'
export { schoolRoles, schoolScopes } from './scope/school.js'
