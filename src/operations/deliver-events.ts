import { callback, optional, OptionsError, type Rules, whole } from '../options/check.js'
import { withDeadline } from '../store/deadline.js'
import type { StoreWith } from '../store/groups.js'
import type { StoredEvent } from '../store/records.js'
import { checkGroup, checkOwnOptions, type Site } from '../site/site.js'

/** Most calls of `deliver` in one delivery, so that it ends even if events are added as fast. */
const BATCHES = 100

const RULES: Rules<Parameters<typeof deliverEvents>[1]> = {
  deliver: callback('(events) => audit.append(events)'),
  limit: optional(whole(1, 1000)),
  deadlineMilliseconds: optional(whole(1, 60_000)),
}

/**
 * Delivers the events that the store has kept along with their changes, for an audit log that must not miss one. Every
 * event is delivered at least once, and in the order of the changes. Call it every few seconds; several
 * processes may do so at the same time.
 *
 * The site needs the option `outbox`, and so its store the group `outbox`. Events without a change, such as
 * `oauth.authorization.requested`, are not kept: only `onEvent` receives them, and they have no `id`. An event that is
 * not delivered for 30 days is deleted by `maintain`.
 *
 * @returns how many events were delivered
 * @throws OptionsError that lists every mistake in the options, or if the site has no outbox
 * @throws StorageFailure - if the store or `deliver` fails or is late. Nothing is lost: the events that were not
 *   delivered remain
 * @group Events and notices
 * @example
 * ```ts
 * import { deliverEvents, erasePerson } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ outbox: true })
 * await erasePerson(site, { subject: 'mem_mei' })
 *
 * const audit = new Map<string, string>()
 * const deliver = async (events: readonly { id: string; type: string }[]) => {
 *   for (const { id, type } of events) audit.set(id, type)
 * }
 * await deliverEvents(site, { deliver }) // => { delivered: 1, isComplete: true }
 * const types = [...audit.values()]
 * types // => ['oauth.person.erased']
 * await deliverEvents(site, { deliver }) // => { delivered: 0, isComplete: true }
 * ```
 */
export async function deliverEvents(
  site: Site<string, StoreWith<'outbox'>>,
  options: {
    /**
     * Delivers events, the oldest first. When it resolves, they are deleted from the store. If it rejects, they
     * are delivered again by the next call, so it must have the same effect if an `id` comes twice.
     */
    readonly deliver: (events: readonly StoredEvent[]) => Promise<unknown>
    /** How many events `deliver` receives at most: an integer from 1 to 1000. Default: 100. */
    readonly limit?: number
    /**
     * How long each call of `deliver` may take, in milliseconds: an integer from 1 to 60,000. Default: 10,000.
     */
    readonly deadlineMilliseconds?: number
  },
): Promise<{
  /** How many events were delivered. */
  readonly delivered: number
  /** Whether no event was left. `false`: more events are waiting, so call it again now. */
  readonly isComplete: boolean
}> {
  const {
    deliver,
    limit = 100,
    deadlineMilliseconds = 10_000,
  } = checkOwnOptions('event delivery', site, options, RULES)
  checkOutbox(site, 'deliverEvents')
  const { store } = site
  const deliverInTime = withDeadline('deliver', deadlineMilliseconds, deliver)
  let delivered = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const events = await store.listEvents({ limit })
    if (events.length > 0) {
      await deliverInTime(events)
      await store.deleteEvents(events.map(({ id }) => id))
    }
    delivered += events.length
    if (events.length < limit) return { delivered, isComplete: true }
  }
  return { delivered, isComplete: false }
}

/**
 * Returns how long the oldest event has waited for its delivery, for a metric or an alert.
 *
 * @returns seconds; 0 if no event waits
 * @throws OptionsError - if the site was not created by `defineSite`, or has no outbox
 * @throws StorageFailure - if the store fails
 * @group Events and notices
 * @example
 * ```ts
 * import { deliveryLagSeconds, erasePerson } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, clock } = testSite({ outbox: true })
 * await deliveryLagSeconds(site) // => 0
 * await erasePerson(site, { subject: 'mem_mei' })
 * clock.advance(90)
 * await deliveryLagSeconds(site) // => 90
 * ```
 */
export async function deliveryLagSeconds(site: Site<string, StoreWith<'outbox'>>): Promise<number> {
  checkOwnOptions('event delivery', site, {}, {})
  checkOutbox(site, 'deliveryLagSeconds')
  const [oldest] = await site.store.listEvents({ limit: 1 })
  return oldest === undefined ? 0 : Math.max(0, site.now() - oldest.at)
}

function checkOutbox(site: Site, needer: string): void {
  checkGroup('event delivery', site, { needer, group: 'outbox' })
  if (!site.outbox)
    throw new OptionsError('event delivery', [
      'the site must be defined with outbox: true, so that its store keeps events',
    ])
}
