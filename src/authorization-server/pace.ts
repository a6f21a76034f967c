/** Counts how often something was done under a key, and says when it is enough. */
export type Pace = (key: string, now: number) => boolean

const MAX_KEYS = 1000

/**
 * Lets something happen a number of times in a window, for each key. What was not asked about for the
 * longest time is forgotten first.
 *
 * @returns a function that says whether it may happen once more now, and counts it if so
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
    // Set anew, so that the map stays in the order of use.
    seen.delete(key)
    seen.set(key, may ? [...recent, now] : recent)
    if (seen.size > MAX_KEYS) seen.delete(seen.keys().next().value!)
    return may
  }
}
