import { MAX_SKEW_SECONDS } from '../site/clock.js'
import type { ClockMark } from '../store/records.js'

/**
 * How far a clock may be ahead of the last time at which it was trusted, in seconds. Rows are deleted that
 * much later than they expire, so that a clock that is ahead by less deletes nothing that is live.
 */
export const SLACK_SECONDS = 900
/** The longest pause between two readings of a clock that runs steadily: a day and two hours. */
const PAUSE_SECONDS = 26 * 3600
/** How long a clock must run steadily after a leap until it is trusted. */
const STEADY_SECONDS = 24 * 3600

const NEVER: ClockMark = { trustedAt: 0, leaptTo: null, steadySeconds: 0 }

/** What a reading of the clock means for the deletion of rows. Created by {@link decideDeletion}. */
export interface Deletion {
  /** The mark to store. */
  readonly mark: ClockMark
  /** Epoch seconds: what had expired by then may be deleted; `null` if nothing may be. */
  readonly deletesBefore: number | null
  /** By how many seconds the clock has just leapt; `null` if it did not, or did so before. */
  readonly leapSeconds: number | null
}

/**
 * Decides by which time rows may be deleted. A process that slept, a school that was closed for a month and a
 * clock that is wrong by a month look the same, so time itself has to tell: after a leap forward, nothing
 * more is deleted until the clock has run steadily for a day, over restarts and pauses of up to 26 hours.
 *
 * A clock that is set back is believed at once, because an earlier time deletes less.
 *
 * @param reading - the mark that is stored, and the clock in epoch seconds
 */
export function decideDeletion({
  mark: stored,
  now,
}: {
  mark: ClockMark | null
  now: number
}): Deletion {
  const { trustedAt, leaptTo, steadySeconds } = stored ?? NEVER
  const trusted: ClockMark = { trustedAt: now, leaptTo: null, steadySeconds: 0 }
  if (now <= trustedAt + SLACK_SECONDS)
    return { mark: trusted, deletesBefore: now - SLACK_SECONDS, leapSeconds: null }

  const passed = leaptTo === null ? -Infinity : now - leaptTo
  // Processes that share a store without a clock may differ a little.
  const isSteady = passed >= -MAX_SKEW_SECONDS && passed <= PAUSE_SECONDS
  const steady = isSteady ? steadySeconds + Math.max(0, passed) : 0
  if (steady >= STEADY_SECONDS)
    return { mark: trusted, deletesBefore: now - SLACK_SECONDS, leapSeconds: null }
  return {
    mark: { trustedAt, leaptTo: isSteady ? Math.max(now, leaptTo!) : now, steadySeconds: steady },
    deletesBefore: trustedAt === 0 ? null : trustedAt - SLACK_SECONDS,
    leapSeconds: leaptTo === null && trustedAt !== 0 ? now - trustedAt : null,
  }
}
