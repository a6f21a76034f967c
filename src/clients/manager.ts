import type { RoleTable } from '../scope/role.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { Person } from '../policy/person.js'

declare const managing: unique symbol

/**
 * A person who may manage the clients of a site. Only {@link decideManager} returns one: call it for each
 * request, because roles change.
 *
 * @group Managers
 */
export type Manager = Person & { readonly [managing]: true }

/**
 * Decides whether a person may manage the clients of their site: one of their roles must have
 * `managesClients: true`.
 *
 * @param request - `person`: as your tables know them now; `table`: the roles of the site
 * @returns the manager, or a refusal with `access_denied`: `person_may_not_manage`
 * @example
 * ```ts
 * import { decideManager } from 'hallpass/clients'
 * import { schoolRoles } from 'hallpass/scope'
 *
 * const ines = { subject: 'mem_ines', orgId: 'school', name: 'Ines', email: null, picture: null }
 * const owner = decideManager({ person: { ...ines, roles: ['owner'] }, table: schoolRoles })
 * owner.ok // => true
 * const lecturer = decideManager({ person: { ...ines, roles: ['lecturer'] }, table: schoolRoles })
 * lecturer.ok || lecturer.reason // => 'person_may_not_manage'
 * ```
 *
 * @group Managers
 */
export function decideManager({
  person,
  table,
}: {
  person: Person
  table: RoleTable
}): Decision<{ manager: Manager }, 'person_may_not_manage'> {
  const may = person.roles.some(
    (role) => Object.hasOwn(table, role) && table[role]!.managesClients === true,
  )
  return may
    ? { ok: true, manager: person as Manager }
    : refuse('access_denied', 'person_may_not_manage', 'none of your roles may manage apps')
}
