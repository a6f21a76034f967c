/**
 * Returns a function that says whether one more may begin now: at most so many a second.
 *
 * @param seconds - a clock that never steps back
 */
export function createRate(perSecond: number, seconds: () => number): () => boolean {
  let left = perSecond
  let filledAt = seconds()
  return () => {
    const at = seconds()
    left = Math.min(perSecond, left + (at - filledAt) * perSecond)
    filledAt = at
    if (left < 1) return false
    left -= 1
    return true
  }
}
