/** Loads by key. */
export interface Batched<Value> {
  (key: string): Promise<Value | null>
  /** What was loaded so far is loaded again. */
  readonly forget: () => void
}

/**
 * Gathers what is asked for in one turn and loads it in one call; what was loaded once is not loaded
 * again.
 *
 * @param load - gets distinct keys; keys missing from its answer resolve to `null`
 */
export function batched<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Batched<Value> {
  const known = new Map<string, Promise<Value | null>>()
  let waiting: { readonly keys: string[]; readonly loaded: Promise<ReadonlyMap<string, Value>> }
  let open = false
  const get = (key: string): Promise<Value | null> => {
    const before = known.get(key)
    if (before !== undefined) return before
    if (!open) {
      const keys: string[] = []
      open = true
      const turn = endOfTurn().then(() => (open = false))
      waiting = { keys, loaded: turn.then(() => load(keys)) }
    }
    waiting.keys.push(key)
    const value = waiting.loaded.then((values) => values.get(key) ?? null)
    known.set(key, value)
    return value
  }
  return Object.assign(get, { forget: () => known.clear() })
}

// Resolvers of one level run in one turn of the microtask queue, give or take a promise.
async function endOfTurn(): Promise<void> {
  await Promise.resolve()
  await Promise.resolve()
}
