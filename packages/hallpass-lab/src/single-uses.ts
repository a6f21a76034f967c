import type { SimulationRule } from './ledger.js'

/** Something that a client may use once, and what a refusal calls its second use. */
const CODES = ['authorization code', 'device code']
const REASONS: Readonly<Record<string, readonly string[]>> = {
  assertion_used_before: ['client assertion'],
  identity_assertion_used_before: ['ID-JAG'],
  dpop_proof_used_before: ['DPoP proof'],
  code_lost_race: CODES,
  code_replayed: CODES,
  code_unknown: CODES,
  pushed_request_unknown: ['pushed request'],
  pushed_request_of_other_browser: ['pushed request'],
  interaction_expired: ['authorization request', 'device code'],
  user_code_unknown: ['device code'],
}

/** Something that a client may use once. */
export interface SingleUse {
  readonly kind: string
  readonly label: string
  /** Epoch seconds from which some process may have forgotten it. */
  readonly until: number
  /** Whether a second use may be refused: an earlier one had another answer than 503. */
  isSpoiled: boolean
  /** How many requests with it are under way. */
  open: number
  /** Whether a 503 said to fetch it anew. */
  isToReplace: boolean
  isUsed: boolean
}

/** How a request ended; `null` if its client does not know. */
export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'try again'; readonly description: string }
  | null

export const createSingleUse = (
  kind: string,
  label: string,
  until: number = Infinity,
): SingleUse => ({
  kind,
  label,
  until,
  isSpoiled: false,
  open: 0,
  isToReplace: false,
  isUsed: false,
})

/**
 * Begins a request with things that may be used once, and returns what to call with its answer. What only got 503 may be
 * sent again, unless that answer said what to fetch anew, and nothing gets two answers that it was accepted.
 */
export function sendOnce(
  uses: readonly SingleUse[],
  { time, violate }: { time: () => number; violate: (rule: SimulationRule, what: string) => void },
): (answer: Answer) => void {
  for (const one of uses) {
    if (one.open > 0) one.isSpoiled = true
    one.open++
  }
  return (answer) => {
    for (const one of uses) {
      if (--one.open > 0) one.isSpoiled = true
      const isSecond =
        answer?.kind === 'refused' && REASONS[answer.reason]?.includes(one.kind) === true
      const isExcused = one.isSpoiled || one.isToReplace || time() >= one.until
      if (isSecond && !isExcused) violate('used_up_by_503', one.label)
      if (answer?.kind === 'try again')
        one.isToReplace ||= answer.description.includes(`a new ${one.kind}`)
      else one.isSpoiled = true
      if (answer?.kind !== 'done') continue
      if (one.isUsed) violate('used_twice', one.label)
      one.isUsed = true
    }
  }
}
