import { type Problem, refuseWith } from 'hallpass/admin'

/** From the least to the most that somebody may do. */
export const memberRoles = ['student', 'assistant', 'lecturer', 'manager', 'owner'] as const
export type MemberRole = (typeof memberRoles)[number]
export type MemberState = 'invited' | 'active' | 'suspended' | 'deleted'

/** How a member stands, from the columns of a person `p`. */
export const memberStateSql = `case
  when p.deleted_at is not null then 'deleted'
  when p.suspended then 'suspended'
  when p.invited_at is not null and p.password_hash is null then 'invited'
  else 'active' end`

const rankOf = (roles: readonly string[]): number =>
  Math.max(-1, ...roles.map((role) => memberRoles.indexOf(role as MemberRole)))

const no = (detail: string): Problem => refuseWith('forbidden_role', detail)

/** Refuses roles that are not below every one of the caller's: nobody makes themselves an equal. */
export function refuseRoles(
  callerRoles: readonly string[],
  roles: readonly MemberRole[],
): Problem | null {
  return rankOf(roles) < rankOf(callerRoles)
    ? null
    : no('a role must be below the role of whoever gives it')
}

/** What is asked before a member is changed. */
export interface MemberChange {
  readonly callerRoles: readonly string[]
  readonly member: { readonly roles: readonly MemberRole[]; readonly state: MemberState }
  /** It is about what they may do here: their roles, or whether they may sign in. */
  readonly touchesStanding: boolean
}

/**
 * Refuses to touch the owner and whoever is gone; and to change the standing of somebody who is not
 * below the caller, who may be the caller.
 */
export function refuseMemberChange({
  callerRoles,
  member: { roles, state },
  touchesStanding,
}: MemberChange): Problem | null {
  if (roles.includes('owner')) return no('nothing of the owner is changed here')
  if (state === 'deleted') return refuseWith('conflict', 'the member is deleted')
  return touchesStanding && rankOf(roles) >= rankOf(callerRoles)
    ? no('the roles and the access of an equal are changed by somebody above both')
    : null
}

/** Refuses another address for somebody who signs in with theirs: it would be a way into the account. */
export function refuseAddress(state: MemberState): Problem | null {
  return state === 'invited'
    ? null
    : refuseWith('conflict', 'only the member can change the address they sign in with')
}

/** Refuses a consent that only the member can give. */
export function refuseOptIn(current: boolean, wanted: boolean | undefined): Problem | null {
  return wanted === true && !current
    ? refuseWith('unprocessable', 'only the member can opt in to marketing')
    : null
}
