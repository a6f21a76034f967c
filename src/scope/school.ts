import { defineScopes, type ScopeRegistry } from './scope-registry.js'
import type { RoleTable } from './role.js'
import { type SchoolScope, schoolScopeTable, type SchoolStaffScope } from './school-scopes.js'

/**
 * The scopes of an online school, ready for the option `scopes` of a site. For a table of your own,
 * spread {@link schoolScopeTable} and pass the result to {@link defineScopes}.
 *
 * @group Online school
 */
export const schoolScopes: ScopeRegistry<SchoolScope> =
  /* @__PURE__ */ defineScopes(schoolScopeTable)

const readWrite = <Row extends string>(
  ...rows: readonly Row[]
): readonly `${Row}:${'read' | 'write'}`[] =>
  rows.flatMap((row) => [`${row}:read`, `${row}:write`] as const)

/**
 * The roles of an online school, with the operator scopes that each may use. `owner`, `manager`,
 * `lecturer` and `assistant` are staff. `owner` and `manager` may use every scope, and manage
 * clients.
 *
 * @group Online school
 */
export const schoolRoles: RoleTable<SchoolStaffScope> = {
  owner: { staff: true, scopes: 'all', managesClients: true },
  manager: { staff: true, scopes: 'all', managesClients: true },
  lecturer: {
    staff: true,
    scopes: [
      ...readWrite('courses', 'curriculum', 'events', 'posts', 'lecturers', 'digital_products'),
      'students:read',
      'analytics:read',
      'comments:read',
      'storage:write',
    ],
  },
  assistant: {
    staff: true,
    scopes: [
      ...readWrite('events'),
      'courses:read',
      'curriculum:read',
      'students:read',
      'comments:read',
      'forms:read',
    ],
  },
  student: { staff: false, scopes: [] },
}
