import { OptionsError } from '../options/check.js'
import { withDeadline } from '../store/deadline.js'
import type { GuardedSiteStorage } from '../store/guard-site-storage.js'
import type { StoredEvent } from '../store/records.js'
import type { PlatformFault } from './options.js'
import { createTurns } from './turns.js'
import { createWalk, SCHOOLS } from './walk.js'

/** How long one process delivers before another may. */
const TURN_SECONDS = 60
/** How many events of each school are delivered in one turn. */
const EVENTS = 20
/** Most schools whose events one call delivers, so that it ends. */
const TURNS = 2000
const DELIVER_MILLISECONDS = 10_000

/**
 * Delivers events of one school, the oldest first. They are deleted when it resolves.
 *
 * @inline
 */
export type DeliverOf = (
  events: readonly StoredEvent[],
  about: { readonly site: string },
) => Promise<unknown>

interface Parts {
  readonly now: () => number
  readonly onFault: (fault: PlatformFault) => void
}

interface Delivered {
  /** How many events were delivered. */
  readonly delivered: number
  /** Whether none is left. */
  readonly isComplete: boolean
}
type DeliverInTime = (deliver: DeliverOf, ...given: Parameters<DeliverOf>) => Promise<unknown>

/** Creates the delivery of the events of all schools in turn, so that one with many holds up no other. */
export function createDelivery({
  storages,
  now,
  onFault,
}: Parts & { readonly storages: readonly GuardedSiteStorage[] }): (
  deliver: DeliverOf,
) => Promise<Delivered> {
  const inTime: DeliverInTime = withDeadline('deliver', DELIVER_MILLISECONDS, (deliver, ...given) =>
    deliver(...given),
  )
  const all = storages.map((storage) => createDeliveryOf(storage, { now, onFault, inTime }))
  return async (deliver) => {
    if (typeof deliver !== 'function')
      throw new OptionsError('platform', [
        'deliver must be a function such as async (events, { site }) => audit.append(site, events)',
      ])
    let [delivered, isComplete] = [0, true]
    for (const deliverOne of all) {
      const done = await deliverOne(deliver)
      delivered += done.delivered
      isComplete &&= done.isComplete
    }
    return { delivered, isComplete }
  }
}

/** Delivers the events of one storage, while it is the turn of this process: a few of each school, until none has more. */
function createDeliveryOf(
  storage: GuardedSiteStorage,
  { now, onFault, inTime }: Parts & { readonly inTime: DeliverInTime },
): (deliver: DeliverOf) => Promise<Delivered> {
  const isTurn = createTurns(storage, { name: 'deliver', seconds: TURN_SECONDS, now })
  const next = createWalk((after) => storage.listSites({ having: 'events', after, limit: SCHOOLS }))
  async function deliverOf(site: string, deliver: DeliverOf): Promise<number> {
    try {
      const store = storage.eventsOf(site)
      const events = await store.listEvents({ limit: EVENTS })
      if (events.length === 0) return 0
      await inTime(deliver, events, { site })
      await store.deleteEvents(events.map(({ id }) => id))
      return events.length
    } catch (fault) {
      onFault({ at: 'deliver', host: new URL(site).host, fault })
      return 0
    }
  }
  return async (deliver) => {
    let [delivered, before, seen] = [0, 0, 0]
    try {
      if (!(await isTurn())) return { delivered, isComplete: true }
      while (seen < TURNS) {
        const { schools, visited, isLast } = await next()
        for (const site of schools) delivered += await deliverOf(site, deliver)
        seen += visited
        // A round in which nothing was delivered is the last one.
        if (isLast && delivered === before) return { delivered, isComplete: true }
        if (isLast) before = delivered
      }
    } catch (fault) {
      onFault({ at: 'deliver', host: null, fault })
    }
    return { delivered, isComplete: false }
  }
}
