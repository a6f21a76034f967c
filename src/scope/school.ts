import { defineScopes, type ScopeRegistry } from './scope-registry.js'
import type { RoleTable } from './role.js'
import { type SchoolScope, schoolScopeTable, type SchoolStaffScope } from './school-scopes.js'

/**
 * The scopes of an online school, ready to use. For a table of your own, spread
 * {@link schoolScopeTable} and pass the result to {@link defineScopes}.
 */
export const schoolScopes: ScopeRegistry<SchoolScope> =
  /* @__PURE__ */ defineScopes(schoolScopeTable)

const readWrite = <Row extends string>(
  ...rows: readonly Row[]
): readonly `${Row}:${'read' | 'write'}`[] =>
  rows.flatMap((row) => [`${row}:read`, `${row}:write`] as const)

/**
 * The roles of an online school and the operator scopes that have an effect in their hands. The first
 * four are staff.
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
