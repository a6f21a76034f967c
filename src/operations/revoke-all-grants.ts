import { optional, type Rules, whole } from '../options/check.js'
import { MAX_SKEW_SECONDS } from '../site/clock.js'
import { checkGroup, checkOwnOptions, currentRequestId, type Site } from '../site/site.js'
import { letOthersIn } from '../store/deadline.js'
import type { StoreWith } from '../store/groups.js'
import type { Store } from '../store/store.js'
import { END_OF_SECONDS } from '../time/seconds.js'

/** Rows of each kind that one call of the store changes at most, so that each is short. */
const ROWS = 50
/** Most calls of the store, so that it ends even if others issue faster than this revokes. */
const ROUNDS = 100_000

/**
 * Revokes every grant of a site that was issued before a time, with all access and refresh tokens. It is for a
 * database that was restored from a backup. There, grants that were revoked since the backup are valid again,
 * and refresh tokens that were used since look new.
 *
 * It also deletes the codes and the pending requests from before that time, and every remembered consent. It runs
 * in steps of 1000 rows of each kind, and every token of a step is invalid in every process. Call it before the
 * processes start again. A second call does no harm. The event `oauth.grants.revoked` has the number of grants.
 *
 * Sessions belong to the host application: end them there. Clients and signing keys stay as the backup has them.
 *
 * @returns how many rows were revoked or deleted. If the store fails, the promise rejects, and a part of them may be:
 *   call it again
 * @throws OptionsError - if the site was not created by `defineSite`, its store lacks the group `restore`, or an option
 *   is invalid
 * @throws Error - if others issue faster than it revokes
 * @example
 * ```ts
 * import { revokeAllGrants } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * await tokenFor({ subject: 'mem_mei' }, 'account:read')
 *
 * const revoked = await revokeAllGrants(site)
 * revoked.grants // => 1
 * const again = await revokeAllGrants(site)
 * again.grants // => 0
 * ```
 *
 * @group Restore
 */
export async function revokeAllGrants(
  site: Site<string, StoreWith<'restore'>>,
  options: {
    /**
     * The time before which everything is revoked that was issued, in epoch seconds: the time of the restore, if
     * people have signed in since. Default: now, by the later of the clocks of process and store, and a minute
     * more, because the clocks of processes may differ by that.
     */
    readonly issuedBefore?: number
  } = {},
): Promise<Awaited<ReturnType<Store['revokeAllGrants']>>> {
  const given = checkOwnOptions('revokeAllGrants', site, options, RULES)
  checkGroup('revokeAllGrants', site, { needer: 'revokeAllGrants', group: 'restore' })
  const revokedAt = await site.clock.latest()
  const { issuedBefore = revokedAt + MAX_SKEW_SECONDS } = given
  const revocation = { issuedBefore, revokedAt, revokedReason: 'restored', limit: ROWS }
  const total = { grants: 0, codes: 0, consents: 0, pending: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const { events, tell } = site.announce({
      type: 'oauth.grants.revoked',
      at: revokedAt,
      issuedBefore,
      grants: total.grants,
      requestId: currentRequestId(site),
    })
    const revoked = await site.store.revokeAllGrants(revocation, events)
    const { grants, codes, consents, pending } = revoked
    if (grants + codes + consents + pending === 0) {
      tell()
      return total
    }
    total.grants += grants
    total.codes += codes
    total.consents += consents
    total.pending += pending
    await letOthersIn()
  }
  throw new Error(
    'revokeAllGrants found further rows in each round: stop the processes, and repeat it',
  )
}

const RULES: Rules<NonNullable<Parameters<typeof revokeAllGrants>[1]>> = {
  issuedBefore: optional(whole(0, END_OF_SECONDS)),
}
