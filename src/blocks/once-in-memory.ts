import { isNotAfter } from '../time/seconds.js'

/** Most proofs that a process without a store remembers: 150 MB at most. */
const MAX_PROOFS = 1_000_000

/** A proof that is used up, and whose key made it: a thumbprint. */
export interface UsedProof {
  readonly key: string
  readonly until: number
  readonly sender: string
}

/**
 * Remembers what was used in this process, for a process without a store. What has expired goes as others come: the
 * oldest is first in a map.
 *
 * A sender has room for as many proofs as the others leave free: a single one for half of them, two for a third each. So
 * no one fills it, and who comes anew finds room.
 *
 * @param now - returns the time in epoch seconds
 */
export function onceInMemory(now: () => number): {
  readonly useOnce: (used: UsedProof) => Promise<'first' | 'again'>
} {
  const kept = new Map<string, { readonly until: number; readonly by: Sender }>()
  const senders = new Map<string, Sender>()

  function forget(key: string, by: Sender): void {
    kept.delete(key)
    by.proofs -= 1
    if (by.proofs === 0) senders.delete(by.name)
  }

  return {
    async useOnce({ key, until, sender }) {
      for (const [oldest, one] of kept) {
        if (!isNotAfter(one.until, now())) break
        forget(oldest, one.by)
      }
      if (kept.has(key)) return 'again'
      const by = senders.get(sender) ?? { name: sender, proofs: 0 }
      // A proof that is not remembered could be used again.
      if (by.proofs >= MAX_PROOFS - kept.size)
        throw new Error(`${kept.size} proofs are in memory, ${by.proofs} of this key: use a store`)
      by.proofs += 1
      senders.set(sender, by)
      kept.set(key, { until, by })
      return 'first'
    },
  }
}

/** Whose key signs proofs, with how many of them are kept. */
interface Sender {
  readonly name: string
  proofs: number
}
