import { checkOwnOptions, type Site } from '../site/site.js'
import { optional, type Rules, whole } from '../options/check.js'
import { letOthersIn } from '../store/deadline.js'
import { hasGroup } from '../store/groups.js'
import type { ClockMark } from '../store/records.js'
import type { Purged, StoreClock } from '../store/store.js'
import type { KeyRing } from '../token/key-ring.js'
import { decideDeletion, deletedBefore, dueSinceOf } from './deletion.js'
import { keyRingRule } from '../token/key-rules.js'

/** Rows of each kind that one purge deletes at most, so that each call of the store is short. */
const ROWS = 100
/** Most purges of one call, so that it ends even if rows expire faster than they are deleted. */
const ROUNDS = 1000
/** How long one call purges, unless the caller states otherwise. */
const PURGE_SECONDS = 10
/** Most attempts to store the mark of the clock; beyond that, other processes delete. */
const ATTEMPTS = 3

/**
 * The result of one call of {@link maintain}.
 *
 * @group Maintenance
 */
export interface Maintained {
  /**
   * Delete by this time what expires in tables of your own, in epoch seconds; `null` if nothing may be
   * deleted now. It is at least 65 minutes ago.
   */
  readonly deletesBefore: number | null
  /** How many rows were deleted. */
  readonly purged: number
  /**
   * For how many seconds the oldest row has been due that may be left: a metric. It is 0 if none is left, and
   * `null` if nothing may be deleted now. If it grows from call to call, more expires than is deleted.
   */
  readonly lagSeconds: number | null
  /**
   * Epoch seconds: every row that was due before this time is deleted, by whichever process. The time since then
   * is a metric. If nothing may be deleted now, it is when rows were last deleted, without a backlog of that
   * time, or when a new site was first maintained. `null` if the store has no mark of its clock.
   */
  readonly dueSince: number | null
}

/**
 * Maintains a site: compares the clock of the process with that of the store, advances the lifecycle of the
 * signing keys, and deletes expired rows. After a change of the sealing secret, it seals the keys again. Call
 * it at start-up and every few minutes, in every process; concurrent calls are safe.
 *
 * A process whose clock differs from the store's by more than 60 seconds moves no key and deletes nothing.
 * After a leap of the clock by more than 65 minutes, nothing more is deleted until it has run steadily for a
 * day: `oauth.clock.leapt` reports it. A row is deleted 65 minutes after it expired, or later. Expired rows are
 * never valid, so that costs only space.
 *
 * If the store lacks the group `clock`, the process trusts its own clock. Nothing is compared, no leap is noticed, and
 * rows are deleted 65 minutes after they expired by that clock.
 *
 * The keys come first, so a failure of the purge does not delay a rotation. Rows are deleted in steps of 1000 of
 * each kind, the oldest first, until none is due or `purgeSeconds` have passed.
 *
 * @returns the time by which you may delete expired rows of your own, and what was and was not deleted
 * @throws OptionsError if the site was not created by `defineSite`, or if an option is invalid
 * @throws whatever the store throws; the steps before that are not undone. A `StorageFailure` that names
 *   `sealingSecret` if a key is sealed with a secret that the key ring does not have
 * @group Maintenance
 * @example
 * ```ts
 * import { maintain } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const { lagSeconds } = await maintain(site, { keys }) // at start-up
 * lagSeconds // => null
 * const timer = setInterval(() => void maintain(site, { keys }).catch(console.error), 5 * 60_000)
 * clearInterval(timer)
 * const jwks = await keys.jwks()
 * jwks.keys.length // => 1
 * ```
 */
export async function maintain(
  site: Site,
  options: {
    /** The key ring of the site. */
    readonly keys: KeyRing
    /**
     * How long rows are deleted, in seconds: an integer from 1 to 3600. The call that is under way then is
     * completed, and the next `maintain` continues. Default: 10.
     */
    readonly purgeSeconds?: number
  },
): Promise<Maintained> {
  const { keys, purgeSeconds = PURGE_SECONDS } = checkOwnOptions('maintain', site, options, RULES)
  const { found } = await site.clock.compare()
  await keys.maintain()
  const agrees = await site.clock.agrees()
  const { deletesBefore, mark } = agrees
    ? await moveMark(site, found)
    : { deletesBefore: null, mark: found.mark }
  if (deletesBefore === null)
    return { deletesBefore, purged: 0, lagSeconds: null, dueSince: dueSinceOf(mark) }
  await site.watcher.maintain?.(deletesBefore)
  const { rows, dueSince } = await purgeFor(purgeSeconds, () =>
    site.store.purge({ now: deletesBefore, limit: ROWS }),
  )
  const lagSeconds = dueSince === null ? 0 : Math.max(0, deletesBefore - dueSince)
  return { deletesBefore, purged: rows, lagSeconds, dueSince: deletesBefore - lagSeconds }
}

/** Purges until nothing is left or the time is over, and returns the sum of the rows. */
export async function purgeFor(seconds: number, purge: () => Promise<Purged>): Promise<Purged> {
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
  }, seconds * 1000)
  try {
    let total = 0
    for (let round = 1; ; round++) {
      const { rows, dueSince } = await purge()
      total += rows
      if (dueSince === null || isOver || round === ROUNDS) return { rows: total, dueSince }
      await letOthersIn()
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Stores what a reading of the clock means, and returns the time by which rows may be deleted, with the mark. */
export async function moveMark(
  { store, now, announce }: Pick<Site, 'now' | 'announce'> & { readonly store: object },
  first: StoreClock,
): Promise<{ deletesBefore: number | null; mark: ClockMark | null }> {
  // Without a mark, nothing tells whether the clock has leapt.
  if (!hasGroup(store, 'clock')) return { deletesBefore: deletedBefore(now()), mark: null }
  let found = first
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { mark, deletesBefore, leapSeconds } = decideDeletion({
      mark: found.mark,
      now: found.now ?? now(),
    })
    const { events, tell } = announce(
      ...(leapSeconds === null
        ? []
        : [{ type: 'oauth.clock.leapt' as const, at: now(), leapSeconds }]),
    )
    if ((await store.moveClock({ from: found.mark, to: mark }, events)) === 'moved') {
      tell()
      return { deletesBefore, mark }
    }
    found = await store.findClock()
  }
  return { deletesBefore: null, mark: found.mark }
}

const RULES: Rules<Parameters<typeof maintain>[1]> = {
  purgeSeconds: optional(whole(1, 3600)),
  keys: keyRingRule,
}
