import { checkOwnOptions, type Site } from '../site/site.js'
import { methods, type Rules } from '../options/check.js'
import type { StoreClock } from '../store/store.js'
import type { KeyRing, KeySource } from '../token/key-ring.js'
import { decideDeletion } from './deletion.js'

/** Rows of each kind that one purge deletes at most, so that each call of the store is short. */
const ROWS = 1000
/** Most purges of one call, so that it ends even if rows expire faster than they are deleted. */
const ROUNDS = 1000
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
}

/**
 * Maintains a site: compares the clock of the process with that of the store, advances the lifecycle of the
 * signing keys, and deletes expired rows. Call it at start-up and every few minutes, in every process;
 * concurrent calls are safe.
 *
 * A process whose clock differs from the store's by more than 60 seconds moves no key and deletes nothing.
 * After a leap of the clock by more than 65 minutes, nothing more is deleted until it has run steadily for a
 * day: `oauth.clock.leapt` reports it. A row is deleted 65 minutes after it expired, or later. Expired rows are
 * never valid, so that costs only space.
 *
 * The keys come first, so a failure of the purge does not delay a rotation.
 *
 * @param options - `keys`: the key ring of the site
 * @returns the time by which you may delete expired rows of your own
 * @throws OptionsError if the site was not created by `defineSite`, or if `keys` is not a key ring
 * @throws whatever the store throws; the steps before that are not undone
 * @group Maintenance
 * @example
 * ```ts
 * import { maintain } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * await maintain(site, { keys }) // at start-up
 * const timer = setInterval(() => void maintain(site, { keys }).catch(console.error), 5 * 60_000)
 * clearInterval(timer)
 * const jwks = await keys.jwks()
 * jwks.keys.length // => 1
 * ```
 */
export async function maintain(
  site: Site,
  options: { readonly keys: KeyRing },
): Promise<Maintained> {
  const { keys } = checkOwnOptions('maintain', site, options, RULES)
  const { found } = await site.clock.compare()
  await keys.maintain()
  if (!(await site.clock.agrees())) return { deletesBefore: null }
  const deletesBefore = await moveMark(site, found)
  if (deletesBefore === null) return { deletesBefore }
  for (let round = 0; round < ROUNDS; round++)
    if ((await site.store.purge({ now: deletesBefore, limit: ROWS })) === 0) break
  return { deletesBefore }
}

/** Stores what a reading of the clock means, and returns the time by which rows may be deleted. */
async function moveMark({ store, now, announce }: Site, first: StoreClock): Promise<number | null> {
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
      return deletesBefore
    }
    found = await store.findClock()
  }
  return null
}

/**
 * A reason for which a process cannot serve: its clock disagrees with that of the store, no key signs, or the
 * storage failed.
 *
 * @group Maintenance
 */
export type HealthProblem = 'clock_skewed' | 'key_none_active' | 'storage_failed'

/**
 * Whether a process can serve its site. Created by {@link healthOf}.
 *
 * @group Maintenance
 */
export interface Health {
  /** Whether there is no problem. */
  readonly ready: boolean
  readonly problems: readonly HealthProblem[]
  /**
   * By how many seconds the clock of the process is ahead of the store's, negative if it is behind; `null`
   * if the store has no clock or failed.
   */
  readonly skewSeconds: number | null
}

/**
 * Checks whether a process can serve its site, for a readiness check of a load balancer. It uses what was read
 * in the last minute, so it may be called every second.
 *
 * @param options - `keys`: the keys of the site
 * @returns the problems, if there are any. It does not reject if the storage fails
 * @throws OptionsError if the site was not created by `defineSite`, or if `keys` is not a source of keys
 * @group Maintenance
 * @example
 * ```ts
 * import { healthOf, maintain } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const before = await healthOf(site, { keys })
 * before.problems // => ['key_none_active']
 *
 * await maintain(site, { keys })
 * await healthOf(site, { keys }) // => { ready: true, problems: [], skewSeconds: null }
 * ```
 */
export async function healthOf(site: Site, options: { readonly keys: KeySource }): Promise<Health> {
  const { keys } = checkOwnOptions('health', site, options, HEALTH_RULES)
  try {
    const skewSeconds = await site.clock.skewSeconds()
    const signs = keys.signing === false || (await keys.signer()) !== null
    const problems: readonly HealthProblem[] = [
      ...((await site.clock.agrees()) ? [] : (['clock_skewed'] as const)),
      ...(signs ? [] : (['key_none_active'] as const)),
    ]
    return { ready: problems.length === 0, problems, skewSeconds }
  } catch (fault) {
    site.notifyFault('health', fault)
    return { ready: false, problems: ['storage_failed'], skewSeconds: null }
  }
}

const HEALTH_RULES: Rules<{ readonly keys: KeySource }> = {
  keys: methods<KeySource>('createKeyRing(site, { sealingSecret })', { jwks: true, signer: true }),
}
const RULES: Rules<{ readonly keys: KeyRing }> = {
  keys: methods<KeyRing>('createKeyRing(site, { sealingSecret })', {
    maintain: true,
    jwks: true,
    signer: true,
  }),
}
