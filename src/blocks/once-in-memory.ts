import type { Store } from '../store/store.js'
import { isNotAfter } from '../time/seconds.js'

/** Most proofs that a process without a store remembers: 100 MB at most. */
const MAX_PROOFS = 1_000_000

/**
 * Remembers what was used in this process, for a process without a store. What has expired goes as others come: the
 * oldest is first in a map.
 *
 * @param now - returns the time in epoch seconds
 */
export function onceInMemory(now: () => number): Pick<Store, 'useOnce'> {
  const kept = new Map<string, number>()
  return {
    async useOnce({ key, until }) {
      for (const [oldest, end] of kept) {
        if (!isNotAfter(end, now())) break
        kept.delete(oldest)
      }
      if (kept.has(key)) return 'again'
      // A proof that is not remembered could be used again.
      if (kept.size >= MAX_PROOFS)
        throw new Error(`${MAX_PROOFS} proofs are in memory: use a store`)
      kept.set(key, until)
      return 'first'
    },
  }
}
