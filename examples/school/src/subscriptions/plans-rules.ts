import { type FieldFault, type Problem, refuseWith } from 'hallpass/admin'

/** The members of a membership plan that the rules use. Times are in RFC 3339. */
export interface PlanTerms {
  readonly kind: 'recurring' | 'fixed_date' | 'specific_length' | 'lifetime'
  readonly interval: 'day' | 'week' | 'month' | 'year' | null
  readonly trial_days: number | null
  readonly length_days: number | null
  readonly ends_at: string | null
}

type Term = Exclude<keyof PlanTerms, 'kind'>

const TERMS: readonly Term[] = ['interval', 'trial_days', 'length_days', 'ends_at']
const NEEDED: Readonly<Record<PlanTerms['kind'], Term | null>> = {
  recurring: 'interval',
  fixed_date: 'ends_at',
  specific_length: 'length_days',
  lifetime: null,
}

/** Returns why the terms of a plan do not fit its kind, or `null` if they do. */
export function faultOfPlan(plan: PlanTerms): Problem | null {
  const faults = TERMS.flatMap((term) => faultOfTerm(plan, term))
  return faults.length > 0
    ? refuseWith('unprocessable', faults.map(({ message }) => message).join('; '), faults)
    : null
}

function faultOfTerm(plan: PlanTerms, term: Term): readonly FieldFault[] {
  const { kind } = plan
  const isNeeded = NEEDED[kind] === term
  const isAllowed = isNeeded || (kind === 'recurring' && term === 'trial_days')
  if (plan[term] === null ? !isNeeded : isAllowed) return []
  const verb = isNeeded ? 'needs' : 'has no'
  return [
    {
      pointer: `/${term}`,
      code: isNeeded ? 'missing' : 'not_of_this_kind',
      message: `a plan of the kind ${kind} ${verb} ${term}`,
    },
  ]
}

/** Returns why a plan cannot be sold with its end, or `null` if it can or has no end. */
export function faultOfEnd({ ends_at }: PlanTerms, now: number): Problem | null {
  return ends_at !== null && Date.parse(ends_at) / 1000 <= now
    ? refuseWith('unprocessable', 'ends_at: must be in the future')
    : null
}

/**
 * Returns why a plan may not be changed in this way, or `null` if it may.
 *
 * @param options - `now`: epoch seconds
 */
export function decidePlanChange({
  current,
  next,
  now,
}: {
  current: PlanTerms & { readonly state: 'active' | 'archived'; readonly price: { readonly currency: string } } // prettier-ignore
  next: PlanTerms & { readonly price: { readonly currency: string } }
  now: number
}): Problem | null {
  if (current.state === 'archived') return refuseWith('conflict', 'the plan is archived')
  if (next.price.currency !== current.price.currency)
    return refuseWith(
      'unprocessable',
      `the currency of the plan cannot change: it is ${current.price.currency}`,
    )
  const fault = faultOfPlan(next)
  if (fault !== null) return fault
  return next.ends_at === current.ends_at ? null : faultOfEnd(next, now)
}
