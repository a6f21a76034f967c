import { randomBytes } from '../encoding/random.js'
import { moveMark, purgeFor } from '../operations/maintain.js'
import { OptionsError } from '../options/check.js'
import { createSiteClock } from '../site/clock.js'
import type { SiteEvent } from '../site/events.js'
import { createAnnounce } from '../site/outbox.js'
import { createDeadline } from '../store/deadline.js'
import { guarded } from '../store/guard.js'
import type { StoredEvent } from '../store/records.js'
import type { SiteStorage } from '../store/storage.js'
import { inTime, type TimedStorage } from './in-time.js'
import { isBefore } from '../time/seconds.js'
import { NEXT_KEY_SECONDS } from '../token/key-ring.js'
import type { PlatformFault } from './options.js'
import type { Entry } from './residents.js'
import { createTurns } from './turns.js'

/** How often a storage is maintained, by one process of all. */
const TURN_SECONDS = 300
/** How long one process delivers before another may. */
const DELIVERY_TURN_SECONDS = 60
/** How long one maintenance looks after keys, and how long it purges. */
const KEYS_SECONDS = 10
const PURGE_SECONDS = 10
/** How many schools are listed together, and how many events of each are delivered in one turn. */
const SCHOOLS = 100
const EVENTS = 20
/** Most schools whose events one call delivers, so that it ends. */
const TURNS = 2000
const ROWS = 1000
const DELIVER_MILLISECONDS = 10_000

const CLOCK_FAULTS: Readonly<Partial<Record<SiteEvent['type'], string>>> = {
  'oauth.clock.skewed':
    'the clock of this process differs from that of a storage by more than a minute: nothing was maintained',
  'oauth.clock.leapt':
    'the clock of a storage leapt: nothing is deleted until it has run for a day',
}

/**
 * The result of a maintenance.
 *
 * @inline
 */
export interface PlatformMaintained {
  /** How many storages it was the turn of this process to maintain. */
  readonly storages: number
  /** How many expired rows were deleted. */
  readonly purged: number
  /**
   * Delete by this time what expires in tables of your own, in epoch seconds; `null` if nothing may be deleted now, or it was
   * the turn of another process.
   */
  readonly deletesBefore: number | null
  /** How many schools had keys to move. */
  readonly schools: number
  /**
   * For how many seconds the oldest row has been due that may be left; `null` if nothing may be deleted now, or it was the
   * turn of another process.
   */
  readonly lagSeconds: number | null
}

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
  readonly storages: readonly SiteStorage[]
  readonly now: () => number
  readonly seconds: () => number
  readonly hasPreviousSecrets: boolean
  readonly borrow: (host: string) => Promise<Entry | null>
  readonly onFault: (fault: PlatformFault) => void
}

/** Creates the maintenance of all schools, whose cost follows what is due. */
export function createMaintenance(parts: Parts): () => Promise<PlatformMaintained> {
  const all = parts.storages.map((storage) => createOne(inTime(storage), parts))
  return async () => {
    const own: NonNullable<Awaited<ReturnType<(typeof all)[number]>>>[] = []
    const faults: unknown[] = []
    for (const one of all)
      try {
        const done = await one()
        if (done !== null) own.push(done)
      } catch (fault) {
        // A database that is down holds up no other.
        faults.push(fault)
      }
    if (faults.length === all.length) throw faults[0]
    for (const fault of faults) parts.onFault({ at: 'maintain', host: null, fault })
    const most = (values: readonly (number | null)[], one: (...all: number[]) => number) =>
      values.length === 0 || values.includes(null) ? null : one(...(values as number[]))
    return {
      storages: own.length,
      purged: own.reduce((sum, { purged }) => sum + purged, 0),
      schools: own.reduce((sum, { schools }) => sum + schools, 0),
      lagSeconds: most(
        own.map((done) => done.lagSeconds),
        Math.max,
      ),
      deletesBefore: most(
        own.map((done) => done.deletesBefore),
        Math.min,
      ),
    }
  }
}

const NOTHING = { purged: 0, lagSeconds: null, deletesBefore: null }

function createOne(
  storage: TimedStorage,
  parts: Parts,
): () => Promise<Omit<PlatformMaintained, 'storages'> | null> {
  const { now, onFault } = parts
  const isTurn = createTurns(storage, { name: 'maintain', seconds: TURN_SECONDS, now })
  const onEvent = (event: SiteEvent): void => {
    const words = CLOCK_FAULTS[event.type]
    if (words !== undefined) onFault({ at: 'maintain', host: null, fault: new Error(words) })
  }
  const { ofAll } = storage
  const clock = createSiteClock({ store: ofAll, now, onEvent })
  const announce = createAnnounce({ outbox: false, onEvent, randomBytes })
  const moveKeys = createKeyWalk(storage, parts)
  return async () => {
    if (!(await isTurn())) return null
    const { found } = await clock.compare()
    if (!(await clock.agrees())) return { ...NOTHING, schools: 0 }
    const schools = await moveKeys()
    const { deletesBefore } = await moveMark({ store: ofAll, now, announce }, found)
    if (deletesBefore === null) return { ...NOTHING, schools }
    const { rows, dueSince } = await purgeFor(PURGE_SECONDS, () =>
      storage.purge({ now: deletesBefore, limit: ROWS }),
    )
    const lagSeconds = dueSince === null ? 0 : Math.max(0, deletesBefore - dueSince)
    return { purged: rows, schools, lagSeconds, deletesBefore }
  }
}

/** Moves the keys that are due, from where the last walk ended: one that fails does not hold up the others. */
function createKeyWalk(storage: TimedStorage, parts: Parts): () => Promise<number> {
  const { now, seconds, borrow, hasPreviousSecrets, onFault } = parts
  let after = ''
  const list = (): Promise<readonly string[]> =>
    storage.listSites({
      ...(hasPreviousSecrets
        ? { having: 'keys' }
        : { having: 'due keys', createdBefore: now() - NEXT_KEY_SECONDS }),
      after,
      limit: SCHOOLS,
    })
  async function move(site: string): Promise<void> {
    const { host } = new URL(site)
    try {
      const entry = await borrow(host)
      if (entry?.row.issuer === site) await entry.server?.keys.maintain()
    } catch (fault) {
      onFault({ at: 'maintain', host, fault })
    }
  }
  return async () => {
    const until = seconds() + KEYS_SECONDS
    let moved = 0
    do {
      const sites = await list()
      for (const site of sites) await move(site)
      moved += sites.length
      after = sites.length < SCHOOLS ? '' : sites.at(-1)!
    } while (after !== '' && isBefore(seconds(), until))
    return moved
  }
}

/** Creates the delivery of the events of all schools in turn, so that one with many holds up no other. */
export function createDelivery({
  storages,
  now,
  onFault,
}: Pick<Parts, 'storages' | 'now' | 'onFault'>): (
  deliver: DeliverOf,
) => Promise<{ readonly delivered: number; readonly isComplete: boolean }> {
  const deadline = createDeadline(DELIVER_MILLISECONDS)('deliver')
  const all = storages.map(inTime).map((storage) => ({
    storage,
    after: '',
    isTurn: createTurns(storage, { name: 'deliver', seconds: DELIVERY_TURN_SECONDS, now }),
  }))
  return async (deliver) => {
    if (typeof deliver !== 'function')
      throw new OptionsError('platform', [
        'deliver must be a function such as async (events, { site }) => audit.append(site, events)',
      ])
    const deliverInTime = guarded('deliver', deliver, deadline)
    async function deliverOf(storage: TimedStorage, site: string): Promise<number> {
      try {
        const store = storage.eventsOf(site)
        const events = await store.listEvents({ limit: EVENTS })
        if (events.length === 0) return 0
        await deliverInTime(events, { site })
        await store.deleteEvents(events.map(({ id }) => id))
        return events.length
      } catch (fault) {
        onFault({ at: 'deliver', host: new URL(site).host, fault })
        return 0
      }
    }
    let delivered = 0
    let isComplete = true
    async function deliverAll(one: (typeof all)[number]): Promise<void> {
      if (!(await one.isTurn())) return
      let before: number
      let visited = 0
      do {
        before = delivered
        do {
          const sites = await one.storage.listSites({
            having: 'events',
            after: one.after,
            limit: SCHOOLS,
          })
          for (const site of sites) delivered += await deliverOf(one.storage, site)
          visited += sites.length
          one.after = sites.length < SCHOOLS ? '' : sites.at(-1)!
        } while (one.after !== '' && visited < TURNS)
      } while (delivered > before && visited < TURNS)
      isComplete &&= visited < TURNS
    }
    for (const one of all)
      try {
        await deliverAll(one)
      } catch (fault) {
        isComplete = false
        onFault({ at: 'deliver', host: null, fault })
      }
    return { delivered, isComplete }
  }
}
