import { MAX_SKEW_SECONDS } from '../site/clock.js'
import type { ClockMark } from '../store/records.js'
import { isBefore, isNotAfter } from '../time/seconds.js'

/**
 * How far a clock may be ahead of the last time at which it was trusted, in seconds: an hour and five minutes.
 * Rows are deleted that much later than they expire, so that a clock that is ahead by less deletes nothing
 * that is live.
 */
const SLACK_SECONDS = 3900
/** How long a clock must run without being set back, after a leap, until it is trusted: a day. */
const STEADY_SECONDS = 86_400

/** The meaning of a reading of the clock for the deletion of rows. Created by {@link decideDeletion}. */
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
 * clock that is wrong by a month look the same, so time itself has to tell. After a leap forward, nothing
 * more is deleted until the clock has run for a day and was never set back. Of a pause, at most an hour and
 * five minutes belong to that day.
 *
 * A clock that ran for that day without a pause is trusted. After a day with pauses, only its beginning is,
 * because any pause may hide another leap. A clock that is set back is believed immediately, because
 * an earlier time deletes less.
 *
 * @param reading - the mark that is stored, and the clock in epoch seconds
 */
export function decideDeletion({ mark, now }: { mark: ClockMark | null; now: number }): Deletion {
  const trustedAt = mark?.trustedAt ?? 0
  if (isNotAfter(now, trustedAt + SLACK_SECONDS)) return deletingFrom(now, null, null)

  const leap = mark?.leap ?? null
  const again: ClockMark['leap'] = { from: now, to: now, steadySeconds: 0 }
  if (leap === null) return deletingFrom(trustedAt, again, trustedAt === 0 ? null : now - trustedAt)
  // Processes that share a store without a clock may differ a little.
  if (isBefore(now, leap.to - MAX_SKEW_SECONDS)) return deletingFrom(trustedAt, again, null)

  const passed = Math.max(0, now - leap.to)
  const steadySeconds = leap.steadySeconds + Math.min(passed, SLACK_SECONDS)
  const next = { ...leap, to: leap.to + passed, steadySeconds }
  if (!isNotAfter(STEADY_SECONDS, steadySeconds)) return deletingFrom(trustedAt, next, null)
  const hasPaused = !isNotAfter(next.to - leap.from, steadySeconds)
  return hasPaused ? deletingFrom(leap.from, again, null) : deletingFrom(now, null, null)
}

/** Returns by which time expired rows were deleted as a mark has it, in epoch seconds; `null` without a mark. */
export const dueSinceOf = (mark: ClockMark | null): number | null =>
  // No row of a new site was due before its first maintenance.
  deletedBefore(mark?.trustedAt ?? 0) ?? mark?.leap?.from ?? null

/** Returns by which time expired rows may be deleted, if a clock was trusted then; `null` if it never was. */
export const deletedBefore = (trustedAt: number): number | null =>
  trustedAt === 0 ? null : trustedAt - SLACK_SECONDS

const deletingFrom = (
  trustedAt: number,
  leap: ClockMark['leap'],
  leapSeconds: number | null,
): Deletion => ({
  mark: { trustedAt, leap },
  deletesBefore: deletedBefore(trustedAt),
  leapSeconds,
})
