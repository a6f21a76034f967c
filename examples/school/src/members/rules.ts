import { type Problem, refuseWith } from 'hallpass/admin'

/** The roles of a school, from the lowest rank to the highest. */
export const memberRoles = ['student', 'assistant', 'lecturer', 'manager', 'owner'] as const
export type MemberRole = (typeof memberRoles)[number]
export type MemberState = 'invited' | 'active' | 'suspended' | 'deleted'

/** SQL for the state of a member, from the columns of a person `p`. */
export const memberStateSql = `case
  when p.deleted_at is not null then 'deleted'
  when p.suspended then 'suspended'
  when p.invited_at is not null and p.password_hash is null then 'invited'
  else 'active' end`

const rankOf = (roles: readonly string[]): number =>
  Math.max(-1, ...roles.map((role) => memberRoles.indexOf(role as MemberRole)))

const forbidden = (detail: string): Problem => refuseWith('forbidden_role', detail)

/** Refuses a role that is not below the caller's highest role, so that no caller creates an equal. */
export function refuseRoles(
  callerRoles: readonly string[],
  roles: readonly MemberRole[],
): Problem | null {
  return rankOf(roles) < rankOf(callerRoles)
    ? null
    : forbidden('the role must be below your own role')
}

/** A change of a member, to be decided. */
export interface MemberChange {
  readonly callerRoles: readonly string[]
  readonly member: { readonly roles: readonly MemberRole[]; readonly state: MemberState }
  /** Whether the change affects the member's access: their role, or whether they can sign in. */
  readonly touchesStanding: boolean
}

/**
 * Refuses changes of the owner and of deleted members. Also refuses changes of the access of members
 * whose role is not below the caller's, which includes the caller.
 */
export function refuseMemberChange({
  callerRoles,
  member: { roles, state },
  touchesStanding,
}: MemberChange): Problem | null {
  if (roles.includes('owner')) return forbidden('the owner cannot be changed here')
  if (state === 'deleted') return refuseWith('conflict', 'the member is deleted')
  return touchesStanding && rankOf(roles) >= rankOf(callerRoles)
    ? forbidden('the role and the access of a member can only be changed by a higher role')
    : null
}

/** Refuses a new email address after the invitation was accepted, because it would allow taking over the account. */
export function refuseAddress(state: MemberState): Problem | null {
  return state === 'invited'
    ? null
    : refuseWith('conflict', 'only the member can change the email address they sign in with')
}

/** Refuses to opt a member in to marketing, because only the member can do that. */
export function refuseOptIn(current: boolean, wanted: boolean | undefined): Problem | null {
  return wanted === true && !current
    ? refuseWith('unprocessable', 'only the member can opt in to marketing')
    : null
}
