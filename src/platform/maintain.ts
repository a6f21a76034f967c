import { randomBytes } from '../encoding/random.js'
import { moveMark, purgeFor } from '../operations/maintain.js'
import { createSiteClock } from '../site/clock.js'
import type { SiteEvent } from '../site/events.js'
import { createAnnounce } from '../site/outbox.js'
import type { SiteStorage } from '../store/storage.js'
import { isBefore } from '../time/seconds.js'
import { NEXT_KEY_SECONDS } from '../token/key-ring.js'
import type { PlatformFault } from './options.js'
import type { Entry } from './residents.js'
import { createTurns } from './turns.js'
import { createWalk, SCHOOLS } from './walk.js'

/** How often a storage is maintained, by one process of all. */
const TURN_SECONDS = 300
/** How long one maintenance looks after keys, and how long it purges. */
const KEYS_SECONDS = 10
const PURGE_SECONDS = 10
const ROWS = 1000

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
  const all = parts.storages.map((storage) => createOne(storage, parts))
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
  storage: SiteStorage,
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
function createKeyWalk(storage: SiteStorage, parts: Parts): () => Promise<number> {
  const { now, seconds, borrow, hasPreviousSecrets, onFault } = parts
  const next = createWalk((after) =>
    storage.listSites({
      ...(hasPreviousSecrets
        ? { having: 'keys' }
        : { having: 'due keys', createdBefore: now() - NEXT_KEY_SECONDS }),
      after,
      limit: SCHOOLS,
    }),
  )
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
    for (let moved = 0; ;) {
      const { schools, isLast } = await next()
      for (const site of schools) await move(site)
      moved += schools.length
      if (isLast || !isBefore(seconds(), until)) return moved
    }
  }
}
