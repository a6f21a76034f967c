import { type Problem, refuseWith } from 'hallpass/admin'

/** States of a membership. */
type SubscriptionState =
  'incomplete' | 'trialing' | 'active' | 'past_due' | 'canceling' | 'canceled' | 'expired'

/** What the rules look at in a membership. Epoch seconds. */
export interface SubscriptionFacts {
  readonly state: SubscriptionState
  /** When what was paid for ends; `null` = never, or nothing was paid yet. */
  readonly periodEnd: number | null
  readonly nextChargeAt: number | null
  /** Whether another period follows by itself, with a charge. */
  readonly isRenewing: boolean
}

/** What becomes of a membership, and until when it opens its courses; `null` = without an end. */
export interface SubscriptionChange {
  readonly state: SubscriptionState
  readonly periodEnd: number | null
  readonly nextChargeAt: number | null
  readonly cancelAt: number | null
  readonly accessUntil: number | null
}

/** A decision on a membership: what it becomes, `null` where it is that already, or a problem. */
export type SubscriptionDecision = SubscriptionChange | null | Problem

const conflict = (detail: string): Problem => refuseWith('conflict', detail)

/** Ends a membership now or when its period does. Refusals: `conflict`. */
export function decideCancellation(
  { state, periodEnd }: SubscriptionFacts,
  { atPeriodEnd, now }: { atPeriodEnd: boolean; now: number },
): SubscriptionDecision {
  if (state === 'canceled') return null
  if (state === 'expired') return conflict('it has expired')
  if (!atPeriodEnd)
    return { state: 'canceled', periodEnd, nextChargeAt: null, cancelAt: now, accessUntil: now }
  if (state === 'canceling') return null
  if (periodEnd === null || periodEnd <= now)
    return conflict('there is no running period at whose end it could stop: cancel it at once')
  const end = { cancelAt: periodEnd, accessUntil: periodEnd }
  return { state: 'canceling', periodEnd, nextChargeAt: null, ...end }
}

/** Takes back that a membership ends with its period. Nothing is charged. Refusals: `conflict`. */
export function decideResumption({
  state,
  periodEnd,
  isRenewing,
}: SubscriptionFacts): SubscriptionDecision {
  if (state === 'active' || state === 'trialing') return null
  if (state !== 'canceling')
    return conflict(`it is ${state.replace('_', ' ')}: only one that ends with its period resumes`)
  const next = isRenewing
    ? { nextChargeAt: periodEnd, accessUntil: null }
    : { nextChargeAt: null, accessUntil: periodEnd }
  return { state: 'active', periodEnd, cancelAt: null, ...next }
}

const DAY = 86_400
const LONGEST_DAYS = 3650
const EXTENDABLE: readonly SubscriptionState[] = ['trialing', 'active', 'past_due', 'canceling']

/**
 * Moves the end of a membership's period to later. The next charge moves with it, and what was past due
 * is so no more.
 *
 * @param options - `days` from the present end, or `until` in epoch seconds: one of the two
 * @returns refusals: `conflict` by its state, `unprocessable` for an end that makes no sense
 */
export function decideExtension(
  { state, periodEnd, nextChargeAt, isRenewing }: SubscriptionFacts,
  { days, until, now }: { days: number | null; until: number | null; now: number },
): SubscriptionChange | Problem {
  if (!EXTENDABLE.includes(state)) return conflict(`it is ${state}: grant a new one`)
  if (periodEnd === null) return conflict('it has no end')
  if ((days === null) === (until === null))
    return refuseWith('unprocessable', 'send either days or until')
  const end = until ?? Math.max(periodEnd, now) + days! * DAY
  if (end <= Math.max(periodEnd, now))
    return refuseWith('unprocessable', 'until: it ends no earlier than that already')
  if (end > now + LONGEST_DAYS * DAY)
    return refuseWith('unprocessable', `it would end more than ${LONGEST_DAYS} days from now`)
  const isEnding = state === 'canceling'
  return {
    state: state === 'past_due' ? 'active' : state,
    periodEnd: end,
    nextChargeAt: nextChargeAt === null ? null : end,
    cancelAt: isEnding ? end : null,
    accessUntil: isRenewing && !isEnding ? null : end,
  }
}

/** What the rules look at in a plan that somebody is to get. Epoch seconds. */
export interface PlanFacts {
  readonly kind: 'recurring' | 'fixed_date' | 'specific_length' | 'lifetime'
  readonly isArchived: boolean
  /** When it ends if it begins now; `null` = never. */
  readonly endsAt: number | null
}

/**
 * When a membership ends that is granted now, without a charge; `endsAt: null` = never.
 *
 * @param options - `until`: the end that was asked for in the place of the plan's own; epoch seconds
 * @returns refusals: `conflict` where the plan is not to be had, `unprocessable` for an end that makes
 *   no sense
 */
export function decideGrant(
  { kind, isArchived, endsAt }: PlanFacts,
  { until, now }: { until: number | null; now: number },
): { readonly endsAt: number | null } | Problem {
  if (isArchived) return conflict('the plan is archived')
  if (until === null)
    return endsAt !== null && endsAt <= now ? conflict('the plan is over') : { endsAt }
  if (kind === 'fixed_date' || kind === 'lifetime')
    return refuseWith('unprocessable', `until: a plan of the kind ${kind} says itself when it ends`)
  if (until <= now) return refuseWith('unprocessable', 'until: it would be over already')
  return until > now + LONGEST_DAYS * DAY
    ? refuseWith('unprocessable', `until: more than ${LONGEST_DAYS} days from now`)
    : { endsAt: until }
}
