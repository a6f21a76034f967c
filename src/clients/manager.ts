import type { RoleTable } from '../scope/role.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { Person } from '../policy/person.js'

declare const managing: unique symbol

/** A person who may manage a site's clients. Only {@link decideManager} makes one. */
export type Manager = Person & { readonly [managing]: true }

/**
 * Decides whether a person may manage the clients of their site: whether one of their roles has
 * `managesClients`.
 *
 * @returns the refusal is `access_denied`
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
    : refuse('access_denied', 'person_may_not_manage', 'your role does not manage applications')
}
