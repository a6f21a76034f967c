import { decideExpense } from '../site/budget.js'

/**
 * Returns a function that says whether one more may begin now: at most so many a second.
 *
 * @param seconds - a clock that never steps back
 */
export function createRate(perSecond: number, seconds: () => number): () => boolean {
  const allowance = { amount: perSecond, seconds: 1 }
  let at: number | null = null
  return () => {
    const { ok, wholeAt } = decideExpense(at, { cost: 1, allowance, now: seconds() })
    at = wholeAt
    return ok
  }
}
