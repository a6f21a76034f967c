/** The numbers of {@link createSlots}. */
export interface SlotLimits {
  /** How many tasks run at the same time. */
  readonly total: number
  /** How many of them may have the same key. */
  readonly perKey: number
  /** How many wait. A further one is refused. */
  readonly waiting: number
}

/**
 * Creates a function that waits for a slot, and returns the function that frees it. Slots are given in
 * order; a task whose key has all of its slots does not hold up the tasks of other keys.
 *
 * The function rejects with the reason of the signal if that is aborted first, and with an `Error` if too
 * many are waiting.
 */
export function createSlots({
  total,
  perKey,
  waiting,
}: SlotLimits): (key: string, signal: AbortSignal) => Promise<() => void> {
  let taken = 0
  const takenBy = new Map<string, number>()
  const queue = new Set<{ readonly key: string; readonly begin: () => void }>()

  const countOf = (key: string): number => takenBy.get(key) ?? 0
  const isFree = (key: string): boolean => taken < total && countOf(key) < perKey
  const take = (key: string): void => {
    taken += 1
    takenBy.set(key, countOf(key) + 1)
  }
  const free = (key: string): void => {
    taken -= 1
    if (countOf(key) === 1) takenBy.delete(key)
    else takenBy.set(key, countOf(key) - 1)
    for (const next of queue) {
      if (!isFree(next.key)) continue
      queue.delete(next)
      take(next.key)
      next.begin()
    }
  }

  return async (key, signal) => {
    signal.throwIfAborted()
    if (isFree(key)) take(key)
    else if (queue.size >= waiting) throw new Error('too many fetches are waiting')
    else
      await new Promise<void>((resolve, reject) => {
        const place = { key, begin: resolve }
        queue.add(place)
        signal.addEventListener('abort', () => {
          queue.delete(place)
          reject(signal.reason as Error)
        })
      })
    return () => free(key)
  }
}
