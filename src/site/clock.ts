import { ClockSkew } from '../store/guard.js'
import { hasGroup } from '../store/groups.js'
import type { StoreClock } from '../store/store.js'
import { isBefore, isNotAfter, secondsSince } from '../time/seconds.js'
import type { SiteEvent } from './events.js'

/** How far the clock of a process may be from that of the store, in seconds. */
export const MAX_SKEW_SECONDS = 60
/**
 * How long a comparison of the two is used, in seconds. It is not longer than the skew that is allowed, so
 * that a jump beyond that makes the comparison look old, and the next request compares again.
 */
const COMPARED_SECONDS = 60

/**
 * The clock of a process, compared with that of its store. A store without a clock of its own, or without the group
 * `clock`, agrees with every process.
 */
export interface SiteClock {
  /**
   * Reads the clock of the store and compares. Reports `oauth.clock.skewed` and `oauth.clock.corrected`.
   *
   * @returns the skew, and what the store returned. Rejects if the store fails
   */
  readonly compare: () => Promise<{
    readonly skewSeconds: number | null
    readonly found: StoreClock
  }>
  /**
   * Returns by how many seconds the clock of the process is ahead of the store's; negative if it is behind,
   * `null` if the store has no clock. A comparison is used for a minute. Rejects if the store fails.
   */
  readonly skewSeconds: () => Promise<number | null>
  /** Whether both clocks differ by at most 60 seconds. Rejects if the store fails. */
  readonly agrees: () => Promise<boolean>
  /** Rejects with a `ClockSkew`, which leads to a 503 response, unless both clocks agree. */
  readonly assertAgrees: () => Promise<void>
  /**
   * Returns the later of the two clocks, in epoch seconds, so that a process whose clock is behind accepts
   * nothing that has expired. Rejects if the store fails.
   */
  readonly latest: () => Promise<number>
}

/** The clock of a store without the group `clock`. */
const NO_CLOCK: StoreClock = { now: null, mark: null }

/** Creates the comparison of the clock `now` with that of a store. */
export function createSiteClock({
  store,
  now,
  onEvent,
}: {
  store: object
  now: () => number
  onEvent: (event: SiteEvent) => void
}): SiteClock {
  let last: { readonly skewSeconds: number | null; readonly at: number } | null = null
  let comparing: Promise<number | null> | null = null

  const compare: SiteClock['compare'] = async () => {
    const before = now()
    const found = hasGroup(store, 'clock') ? await store.findClock() : NO_CLOCK
    const at = now()
    // The store read its clock between the two, so a slow store causes no difference.
    const skewSeconds = found.now === null ? null : distance(found.now, before, at)
    const was = isSkewed(last?.skewSeconds ?? null)
    last = { skewSeconds, at }
    if (skewSeconds !== null && isSkewed(skewSeconds))
      onEvent({ type: 'oauth.clock.skewed', at, skewSeconds })
    else if (skewSeconds !== null && was)
      onEvent({ type: 'oauth.clock.corrected', at, skewSeconds })
    return { skewSeconds, found }
  }
  const skewSeconds: SiteClock['skewSeconds'] = async () => {
    const age = secondsSince(last?.at ?? null, now())
    if (isNotAfter(0, age) && isBefore(age, COMPARED_SECONDS)) return last!.skewSeconds
    comparing ??= compare()
      .then((compared) => compared.skewSeconds)
      .finally(() => {
        comparing = null
      })
    return comparing
  }

  return {
    compare,
    skewSeconds,
    agrees: async () => !isSkewed(await skewSeconds()),
    async assertAgrees() {
      const skew = await skewSeconds()
      if (skew !== null && isSkewed(skew)) throw new ClockSkew(skew)
    },
    async latest() {
      const skew = await skewSeconds()
      return now() + Math.max(0, -(skew ?? 0))
    },
  }
}

const isSkewed = (skewSeconds: number | null): boolean =>
  skewSeconds !== null && !isNotAfter(Math.abs(skewSeconds), MAX_SKEW_SECONDS)

/**
 * Returns how far the process is ahead of `read`, a time that was read from `before` until `after`; NaN, which is too
 * far, for anything but a time.
 */
function distance(read: number, before: number, after: number): number {
  if (isBefore(read, before)) return before - read
  if (isBefore(after, read)) return after - read
  return isNotAfter(read, after) ? 0 : NaN
}
