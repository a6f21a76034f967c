import { list, optional, text } from '../options/check.js'
import { checkGroup, checkOwnOptions, currentRequestId, type Site } from '../site/site.js'
import type { StoreWith } from '../store/groups.js'
import type { Store } from '../store/store.js'

/**
 * Deletes every row about a person at a site: grants with all access and refresh tokens, codes, and
 * remembered consents. Every token of the person is invalid immediately, in every process. For a day
 * afterwards no code is issued for this subject, so that a request that was under way brings nothing back.
 *
 * The event `oauth.person.erased` says that it happened, and names no one. Sessions, profiles and the audit
 * log belong to the host application: delete them there. A second call deletes nothing and does no harm.
 *
 * @returns how many rows were deleted. If the store fails, the promise rejects and nothing was deleted
 * @throws OptionsError - if the site was not created by `defineSite`, its store lacks the group `erasure`, or an option
 *   is invalid
 * @see [GDPR, article 17](https://eur-lex.europa.eu/eli/reg/2016/679/oj)
 * @example
 * ```ts
 * import { erasePerson } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * await tokenFor({ subject: 'mem_mei' }, 'account:read')
 *
 * const person = { subject: 'mem_mei', loginHints: ['mei@school.example'] }
 * const erased = await erasePerson(site, person)
 * erased.grants // => 1
 * const again = await erasePerson(site, person)
 * again.grants // => 0
 * ```
 *
 * @group Erasure
 */
export async function erasePerson(
  site: Site<string, StoreWith<'erasure'>>,
  person: {
    readonly subject: string
    /**
     * Values of `login_hint` that name the person, such as the email address, compared without regard to case.
     * Authorization requests with such a hint that wait for a decision are deleted, and so are the records of attempts
     * to connect that contain one of these texts. The subject is always a hint as well. Default: none.
     */
    readonly loginHints?: readonly string[]
  },
): Promise<Awaited<ReturnType<Store['erasePerson']>>> {
  const { subject, loginHints = [] } = checkOwnOptions('erasePerson', site, person, {
    subject: text('"mem_mei"'),
    loginHints: optional(list(text('"mei@school.example"'))),
  })
  checkGroup('erasePerson', site, { needer: 'erasePerson', group: 'erasure' })
  const erasedAt = site.now()
  const hints = [subject, ...loginHints]
  // The store knows how many grants there are.
  const { events, tell } = site.announce({
    type: 'oauth.person.erased',
    at: erasedAt,
    grants: 0,
    requestId: currentRequestId(site),
  })
  const erased = await site.store.erasePerson({ subject, loginHints: hints, erasedAt }, events)
  tell({ grants: erased.grants })
  // A subject may be as short as 7, which is in every record.
  await site.watcher.erase?.(loginHints)
  return erased
}
