export {
  type Audience,
  defineScopes,
  type ScopeAccess,
  type ScopeDefinition,
  type ScopeRegistry,
} from './scope/registry.js'
export { type RoleDefinition, rolesFor, type RoleTable } from './scope/role.js'
export { schoolScopeTable } from './scope/school-scopes.js'
export { schoolRoles, schoolScopes } from './scope/school.js'
