import { type Problem, refuseWith } from 'hallpass/admin'

export type AccessState = 'scheduled' | 'active' | 'suspended' | 'expired' | 'revoked'

/** What rules are asked about an enrollment. Times are epoch seconds. */
export interface Standing {
  readonly state: AccessState
  readonly startsAt: number | null
  /** `null` = no end is known: for good, or for as long as a membership lasts. */
  readonly expiresAt: number | null
  readonly isLifetime: boolean
}

/** How long access shall last: exactly one of these. */
export interface Term {
  readonly days?: number | undefined
  /** Epoch seconds. */
  readonly until?: number | undefined
  readonly isLifetime?: true | undefined
}

/** When access ends from now on. */
export interface End {
  readonly expiresAt: number | null
  readonly isLifetime: boolean
}

const DAY_SECONDS = 86_400
const no = (detail: string): Problem => refuseWith('conflict', detail)

/**
 * Decides until when access is extended. It never gets shorter.
 *
 * @param request - `now`: epoch seconds; days are counted from the present end or, where that is over,
 *   from now
 * @returns the new end, or the problem: `conflict` where the state has nothing to extend,
 *   `unprocessable` where the term makes no sense
 */
export function decideExtension(
  { state, startsAt, expiresAt, isLifetime }: Standing,
  term: Term,
  now: number,
): End | Problem {
  if (Object.values(term).filter((one) => one !== undefined).length !== 1)
    return refuseWith('unprocessable', 'send one of days, until and lifetime')
  if (state === 'revoked') return no('access was taken away: enrol the member anew')
  if (isLifetime)
    return term.isLifetime === true ? { expiresAt, isLifetime } : no('access has no end already')
  if (expiresAt === null) return no('access lasts as long as the membership: extend that')
  if (term.isLifetime === true) return { expiresAt: null, isLifetime: true }
  const end = term.until ?? Math.max(expiresAt, now) + (term.days ?? 0) * DAY_SECONDS
  if (end === expiresAt && end > now) return { expiresAt, isLifetime }
  if (end <= Math.max(expiresAt, startsAt ?? 0, now))
    return refuseWith(
      'unprocessable',
      'until must not be earlier than the present end, or than now',
    )
  return { expiresAt: end, isLifetime: false }
}

/** A change of state that somebody orders. */
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
 * Decides whether an order has an effect.
 *
 * @returns `apply`; `done` where it is so already; the problem where the state does not allow it
 */
export function decideOrder(
  state: AccessState,
  order: EnrollmentOrder,
): 'apply' | 'done' | Problem {
  const { from, to } = ORDERS[order]
  if (state === to) return 'done'
  return from.includes(state) ? 'apply' : no(`access is ${state}: it cannot ${order}`)
}

/** What is asked before somebody gets access. */
export interface GrantRequest {
  readonly courseState: string
  /** `null` = there is no such member. */
  readonly memberState: string | null
  /** An enrollment that lets the member in already, or will; `null` = none. */
  readonly standing: string | null
  readonly startsAt: number | null
  readonly end: End
  readonly now: number
}

/** Refuses access that nobody should get, or that would end before it begins. */
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
    return refuseWith('unprocessable', 'it ends before it starts')
  if (memberState === null) return refuseWith('unprocessable', 'there is no such member')
  if (memberState !== 'active' && memberState !== 'invited')
    return no(`the member is ${memberState}`)
  if (courseState !== 'published') return no(`the course is ${courseState}: publish it first`)
  return standing === null ? null : no(`the member has ${standing} already: extend or resume that`)
}
