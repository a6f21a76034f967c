/** A function that loads one value by its key. Created by {@link batched}. */
export interface Batched<Value> {
  (key: string): Promise<Value | null>
  /** Empties the cache, so that later calls load again. */
  readonly forget: () => void
}

/**
 * Creates a loader that collects the keys requested in one turn of the microtask queue and loads them
 * with a single call. Every key is loaded once.
 *
 * @param load - called with distinct keys; a key that its result lacks resolves to `null`
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

// graphql-js runs the resolvers of one level in the same turn; awaited values can add one microtask.
async function endOfTurn(): Promise<void> {
  await Promise.resolve()
  await Promise.resolve()
}
