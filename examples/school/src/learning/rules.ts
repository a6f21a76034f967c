import { type Problem, refuseWith } from 'hallpass/admin'

export type AccessState = 'scheduled' | 'active' | 'suspended' | 'expired' | 'revoked'

/** The facts of an enrollment that the rules use. Times are in seconds since the epoch. */
export interface Standing {
  readonly state: AccessState
  readonly startsAt: number | null
  /** The end of access, or `null` if it is unknown: for life, or as long as a membership lasts. */
  readonly expiresAt: number | null
  readonly isLifetime: boolean
}

/** How long access is to last. Exactly one member is present. */
export interface Term {
  readonly days?: number | undefined
  /** Epoch seconds. */
  readonly until?: number | undefined
  readonly isLifetime?: true | undefined
}

/** The new end of access. */
export interface End {
  readonly expiresAt: number | null
  readonly isLifetime: boolean
}

const DAY_SECONDS = 86_400
const no = (detail: string): Problem => refuseWith('conflict', detail)

/**
 * Decides the new end of access. Access never becomes shorter.
 *
 * @param now - in seconds since the epoch; days are added to the current end, or to now if that has passed
 * @returns the new end, `conflict` if the state leaves nothing to extend, or `unprocessable` for an invalid
 *   term
 */
export function decideExtension(
  { state, startsAt, expiresAt, isLifetime }: Standing,
  term: Term,
  now: number,
): End | Problem {
  if (Object.values(term).filter((one) => one !== undefined).length !== 1)
    return refuseWith('unprocessable', 'send one of days, until and lifetime')
  if (state === 'revoked') return no('access was revoked: enrol the member again')
  if (isLifetime)
    return term.isLifetime === true ? { expiresAt, isLifetime } : no('access already has no end')
  if (expiresAt === null) return no('access lasts as long as the membership: extend that')
  if (term.isLifetime === true) return { expiresAt: null, isLifetime: true }
  const end = term.until ?? Math.max(expiresAt, now) + (term.days ?? 0) * DAY_SECONDS
  if (end === expiresAt && end > now) return { expiresAt, isLifetime }
  if (end <= Math.max(expiresAt, startsAt ?? 0, now))
    return refuseWith('unprocessable', 'until must not be earlier than the current end or than now')
  return { expiresAt: end, isLifetime: false }
}

/** A change to the state of an enrollment. */
export type EnrollmentOrder = 'expire' | 'suspend' | 'resume' | 'revoke'

const ORDERS: Readonly<
  Record<EnrollmentOrder, { readonly from: readonly AccessState[]; readonly to: AccessState }>
> = {
  expire: { from: ['active', 'suspended'], to: 'expired' },
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  revoke: { from: ['scheduled', 'active', 'suspended', 'expired'], to: 'revoked' },
}

/**
 * Decides whether a change has an effect.
 *
 * @returns `apply`, `done` if the state is already the requested one, or `conflict` if the state does not allow it
 */
export function decideOrder(
  state: AccessState,
  order: EnrollmentOrder,
): 'apply' | 'done' | Problem {
  const { from, to } = ORDERS[order]
  if (state === to) return 'done'
  return from.includes(state) ? 'apply' : no(`access is ${state}: it cannot ${order}`)
}

/** The facts that decide whether a member may get access. */
export interface GrantRequest {
  readonly courseState: string
  /** The state of the member, or `null` if there is no such member. */
  readonly memberState: string | null
  /** The id of an enrollment that gives access now or later, or `null` if there is none. */
  readonly standing: string | null
  readonly startsAt: number | null
  readonly end: End
  readonly now: number
}

/** Refuses access that the states do not allow, or that would end before it begins. */
export function refuseGrant({
  courseState,
  memberState,
  standing,
  startsAt,
  end: { expiresAt, isLifetime },
  now,
}: GrantRequest): Problem | null {
  if (isLifetime === (expiresAt !== null))
    return refuseWith('unprocessable', 'send one of lifetime and expires_at')
  if (expiresAt !== null && expiresAt <= Math.max(startsAt ?? now, now))
    return refuseWith('unprocessable', 'it must end after it starts')
  if (memberState === null) return refuseWith('unprocessable', 'there is no such member')
  if (memberState !== 'active' && memberState !== 'invited')
    return no(`the member is ${memberState}`)
  if (courseState !== 'published') return no(`the course is ${courseState}: publish it first`)
  return standing === null ? null : no(`the member already has ${standing}: extend or resume it`)
}
