import { type Problem, refuseWith } from 'hallpass/admin'

/** States of a membership. */
type SubscriptionState =
  'incomplete' | 'trialing' | 'active' | 'past_due' | 'canceling' | 'canceled' | 'expired'

/** The facts of a membership that the rules use. Times are in seconds since the epoch. */
export interface SubscriptionFacts {
  readonly state: SubscriptionState
  /** The end of the paid period, or `null` if there is none or nothing was paid yet. */
  readonly periodEnd: number | null
  readonly nextChargeAt: number | null
  /** Whether the membership renews automatically, with a charge. */
  readonly isRenewing: boolean
}

/** The new state of a membership, and the end of access to its courses, where `null` means no end. */
export interface SubscriptionChange {
  readonly state: SubscriptionState
  readonly periodEnd: number | null
  readonly nextChargeAt: number | null
  readonly cancelAt: number | null
  readonly accessUntil: number | null
}

/** A decision on a membership: the change, `null` if there is nothing to change, or a problem. */
export type SubscriptionDecision = SubscriptionChange | null | Problem

const conflict = (detail: string): Problem => refuseWith('conflict', detail)

/** Decides the end of a membership, now or with its period. The problem is `conflict`. */
export function decideCancellation(
  { state, periodEnd }: SubscriptionFacts,
  { atPeriodEnd, now }: { atPeriodEnd: boolean; now: number },
): SubscriptionDecision {
  if (state === 'canceled') return null
  if (state === 'expired') return conflict('the membership has expired')
  if (!atPeriodEnd)
    return { state: 'canceled', periodEnd, nextChargeAt: null, cancelAt: now, accessUntil: now }
  if (state === 'canceling') return null
  if (periodEnd === null || periodEnd <= now)
    return conflict('the membership has no current period to end with: cancel it immediately')
  const end = { cancelAt: periodEnd, accessUntil: periodEnd }
  return { state: 'canceling', periodEnd, nextChargeAt: null, ...end }
}

/** Decides whether a cancelled membership continues after its period. The problem is `conflict`. */
export function decideResumption({
  state,
  periodEnd,
  isRenewing,
}: SubscriptionFacts): SubscriptionDecision {
  if (state === 'active' || state === 'trialing') return null
  if (state !== 'canceling')
    return conflict(
      `the membership is ${state.replace('_', ' ')}: only one that ends with its period can be resumed`,
    )
  const next = isRenewing
    ? { nextChargeAt: periodEnd, accessUntil: null }
    : { nextChargeAt: null, accessUntil: periodEnd }
  return { state: 'active', periodEnd, cancelAt: null, ...next }
}

const DAY = 86_400
const LONGEST_DAYS = 3650
const EXTENDABLE: readonly SubscriptionState[] = ['trialing', 'active', 'past_due', 'canceling']

/**
 * Decides a later end for the period of a membership. The next charge moves with it, and a membership that was
 * past due becomes active.
 *
 * @param options - either `days` from the current end, or `until` in seconds since the epoch
 * @returns the change, `conflict` if the state does not allow it, or `unprocessable` for an invalid end
 */
export function decideExtension(
  { state, periodEnd, nextChargeAt, isRenewing }: SubscriptionFacts,
  { days, until, now }: { days: number | null; until: number | null; now: number },
): SubscriptionChange | Problem {
  if (!EXTENDABLE.includes(state)) return conflict(`the membership is ${state}: grant a new one`)
  if (periodEnd === null) return conflict('the membership has no end')
  if ((days === null) === (until === null))
    return refuseWith('unprocessable', 'send either days or until')
  const end = until ?? Math.max(periodEnd, now) + days! * DAY
  if (end <= Math.max(periodEnd, now))
    return refuseWith('unprocessable', 'until: must be later than the current end')
  if (end > now + LONGEST_DAYS * DAY)
    return refuseWith('unprocessable', `the end must be at most ${LONGEST_DAYS} days from now`)
  const isEnding = state === 'canceling'
  return {
    state: state === 'past_due' ? 'active' : state,
    periodEnd: end,
    nextChargeAt: nextChargeAt === null ? null : end,
    cancelAt: isEnding ? end : null,
    accessUntil: isRenewing && !isEnding ? null : end,
  }
}

/** The facts of a plan that the rules use. Times are in seconds since the epoch. */
export interface PlanFacts {
  readonly kind: 'recurring' | 'fixed_date' | 'specific_length' | 'lifetime'
  readonly isArchived: boolean
  /** The end of a membership that begins now, or `null` if it never ends. */
  readonly endsAt: number | null
}

/**
 * Decides the end of a membership that is granted now. `endsAt` is `null` if it never ends.
 *
 * @param options - `until`: the requested end instead of the plan's own, in seconds since the epoch
 * @returns the end, `conflict` if the plan is not available, or `unprocessable` for an invalid end
 */
export function decideGrant(
  { kind, isArchived, endsAt }: PlanFacts,
  { until, now }: { until: number | null; now: number },
): { readonly endsAt: number | null } | Problem {
  if (isArchived) return conflict('the plan is archived')
  if (until === null)
    return endsAt !== null && endsAt <= now
      ? conflict('the end of the plan has passed')
      : { endsAt }
  if (kind === 'fixed_date' || kind === 'lifetime')
    return refuseWith('unprocessable', `until: a plan of the kind ${kind} determines its own end`)
  if (until <= now) return refuseWith('unprocessable', 'until: must be in the future')
  return until > now + LONGEST_DAYS * DAY
    ? refuseWith('unprocessable', `until: must be at most ${LONGEST_DAYS} days from now`)
    : { endsAt: until }
}
