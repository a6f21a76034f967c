/** A rate limit: counts a use of a key, and returns whether it is within the limit. */
export type Pace = (key: string, now: number) => boolean

const MAX_KEYS = 1000

/**
 * Creates a rate limit: a number of uses of each key within a sliding window. It tracks the 1000 most
 * recently used keys. A key that is dropped begins again without uses.
 *
 * A refused use does not extend the wait. Each process has limits of its own.
 *
 * @returns a function that returns whether a use is allowed now, and counts it if so
 */
export function createPace({
  times,
  windowSeconds,
}: {
  times: number
  windowSeconds: number
}): Pace {
  const seen = new Map<string, readonly number[]>()
  return (key, now) => {
    const recent = (seen.get(key) ?? []).filter((at) => at > now - windowSeconds)
    const may = recent.length < times
    // Deleted and set again, so that the map stays in the order of use.
    seen.delete(key)
    seen.set(key, may ? [...recent, now] : recent)
    if (seen.size > MAX_KEYS) seen.delete(seen.keys().next().value!)
    return may
  }
}
