import type { Server } from '../authorization-server/whole-server.js'
import type { Outgoing } from '../http/exchange.js'
import { orAbsent, orNull, record, SWITCH } from '../options/wanted.js'
import { withDeadline } from '../store/deadline.js'
import { readAs } from '../store/guard.js'
import { NOT_OPEN, UNKNOWN_HOST } from './answers.js'
import { isBefore } from '../time/seconds.js'
import type { KnownHosts } from './known-hosts.js'
import type { PlatformFault, School } from './options.js'
import { createRate } from './rate.js'

const FIND_MILLISECONDS = 1500
const OPEN_MILLISECONDS = 5000
/** How long a school is served before `find` is asked again, where no one tells what changes. */
export const FRESH_SECONDS = 30
/** The same where `changes` tells: a row that was deleted may be in no list of changes. */
const TRUSTED_SECONDS = 600
/** The same for one that is paused, which ends at some moment. */
const PAUSED_SECONDS = 2
/** How long a school that is open is served although `find` fails. */
export const FAILING_SECONDS = 60
/** How long the absence of a school is remembered, and the failure of `open`. */
const MISSING_SECONDS = 10
const BROKEN_SECONDS = 5
/** Hosts whose absence is remembered. */
const MAX_MISSING = 10_000
/** Schools that are looked up and opened together. */
const MAX_LOOK_UPS = 64
/** Look-ups of a second while it is not known which hosts exist. */
const LOOK_UPS_PER_SECOND = 200

/** A school that is kept. */
export interface Entry {
  readonly row: School
  /** `null` where the school is paused, or has moved. */
  readonly server: Server | null
  /** Requests in flight. */
  busy: number
  /** Requests so far. */
  requests: number
  lookedAt: number
  /** When it was last put behind all others. */
  usedAt: number
  failingSince: number | null
  isStale: boolean
  /** Whether it has a signing key; a promise while the first one is created. */
  hasKey: boolean | Promise<boolean>
}

/** The schools that are open, in the order of their use. */
export interface Residents {
  readonly has: (host: string | null) => host is string
  /** Returns the school of a host, or why it cannot be asked; a promise if it has to be looked up. */
  readonly at: (host: string) => Entry | Outgoing | Promise<Entry | Outgoing>
  /** Opens the school of a host for work of the platform, and keeps it only if it was open. */
  readonly borrow: (host: string) => Promise<Entry | null>
  /** The next request for a host looks it up again. Those in flight end on the server that they began with. */
  readonly changed: (host: string) => void
  readonly counts: {
    /** Calls of `find`. */
    lookUps: number
    opened: number
    evicted: number
    unknownHosts: number
    unavailable: number
  }
  readonly opening: () => number
  readonly entries: () => Iterable<readonly [host: string, entry: Entry]>
}

export const isAnswer = (found: Entry | Outgoing): found is Outgoing => 'status' in found

export function createResidents({
  find,
  open,
  most,
  known,
  seconds,
  onFault,
}: {
  readonly find: (host: string) => Promise<School | null>
  readonly open: (row: School) => Promise<Server>
  readonly most: number
  readonly known: KnownHosts
  readonly seconds: () => number
  readonly onFault: (fault: PlatformFault) => void
}): Residents {
  const kept = new Map<string, Entry>()
  const opening = new Map<string, Promise<Entry | Outgoing>>()
  /** Hosts that changed while they were looked up, perhaps after the answer was made. */
  const changedMeanwhile = new Set<string>()
  const missing = new Map<string, { readonly until: number; readonly answer: Outgoing }>()
  const counts = { lookUps: 0, opened: 0, evicted: 0, unknownHosts: 0, unavailable: 0 }
  const findInTime = withDeadline('find', FIND_MILLISECONDS, find)
  const openInTime = withDeadline('open', OPEN_MILLISECONDS, open)
  const mayLookUp = createRate(LOOK_UPS_PER_SECOND, seconds)

  function remember(host: string, answer: Outgoing, forSeconds: number): Outgoing {
    missing.delete(host)
    missing.set(host, { until: seconds() + forSeconds, answer })
    if (missing.size > MAX_MISSING) missing.delete(missing.keys().next().value!)
    return answer
  }

  function isFresh({ isStale, lookedAt, row }: Entry, at: number): boolean {
    if (isStale) return false
    if (row.paused === true) return isBefore(at, lookedAt + PAUSED_SECONDS)
    const wait = known.isCurrent(FRESH_SECONDS) ? TRUSTED_SECONDS : FRESH_SECONDS
    return isBefore(at, lookedAt + wait)
  }

  function keep(host: string, entry: Entry): Entry {
    kept.delete(host)
    kept.set(host, entry)
    while (kept.size > most) {
      kept.delete(kept.keys().next().value!)
      counts.evicted += 1
    }
    return entry
  }

  /** The school as it was, while the look-up fails. One that was closed in this time ends with it. */
  function failing(old: Entry | undefined): Entry | Outgoing {
    if (old !== undefined) {
      old.failingSince ??= seconds()
      if (isBefore(seconds(), old.failingSince + FAILING_SECONDS)) return old
    }
    counts.unavailable += 1
    return NOT_OPEN
  }

  async function create(row: School): Promise<Entry> {
    const isServed = row.paused !== true && row.moved !== true
    const server = isServed ? await openInTime(row) : null
    counts.opened += 1
    return {
      row,
      server,
      busy: 0,
      requests: 0,
      lookedAt: seconds(),
      usedAt: seconds(),
      failingSince: null,
      isStale: false,
      hasKey: false,
    }
  }

  async function look(host: string): Promise<School | null> {
    counts.lookUps += 1
    return readRow(await findInTime(host), host)
  }

  async function load(host: string, old: Entry | undefined): Promise<Entry | Outgoing> {
    let row: School | null
    try {
      row = await look(host)
    } catch (fault) {
      onFault({ at: 'find', host, fault })
      return failing(old)
    }
    if (row === null) {
      kept.delete(host)
      counts.unknownHosts += 1
      return remember(host, UNKNOWN_HOST, MISSING_SECONDS)
    }
    if (old?.row.revision === row.revision) {
      old.lookedAt = seconds()
      old.failingSince = null
      old.isStale = changedMeanwhile.has(host)
      return old
    }
    try {
      const entry = await create(row)
      entry.isStale = changedMeanwhile.has(host)
      return keep(host, entry)
    } catch (fault) {
      kept.delete(host)
      counts.unavailable += 1
      onFault({ at: 'open', host, fault })
      return remember(host, NOT_OPEN, BROKEN_SECONDS)
    }
  }

  function loadOnce(
    host: string,
    old: Entry | undefined,
  ): Promise<Entry | Outgoing> | Entry | Outgoing {
    const running = opening.get(host)
    if (running !== undefined) return running
    if (opening.size >= MAX_LOOK_UPS || !(known.areListed() || mayLookUp())) return failing(old)
    const loading = load(host, old).finally(() => {
      opening.delete(host)
      changedMeanwhile.delete(host)
    })
    opening.set(host, loading)
    return loading
  }

  function absent(host: string): Outgoing | null {
    const known = missing.get(host)
    if (known === undefined) return null
    if (isBefore(seconds(), known.until)) return known.answer
    missing.delete(host)
    return null
  }

  async function first(host: string): Promise<Entry | Outgoing> {
    const answer = absent(host)
    if (answer !== null) return answer
    if (await known.mayBe(host)) return loadOnce(host, undefined)
    counts.unknownHosts += 1
    return UNKNOWN_HOST
  }

  return {
    has: (host): host is string => host !== null && kept.has(host),
    at(host) {
      const at = seconds()
      known.look(at)
      const entry = kept.get(host)
      if (entry === undefined) return first(host)
      if (!isFresh(entry, at)) return loadOnce(host, entry)
      // Once a second is enough to tell who is used least.
      if (isBefore(entry.usedAt + 1, at)) {
        entry.usedAt = at
        kept.delete(host)
        kept.set(host, entry)
      }
      return entry
    },
    async borrow(host) {
      const entry = kept.get(host)
      if (entry !== undefined && isFresh(entry, seconds())) return entry
      const row = await look(host)
      return row === null ? null : create(row)
    },
    changed(host) {
      known.add(host)
      missing.delete(host)
      if (opening.has(host)) changedMeanwhile.add(host)
      const entry = kept.get(host)
      if (entry !== undefined) entry.isStale = true
    },
    counts,
    opening: () => opening.size,
    entries: () => kept,
  }
}

const ROW = orNull(
  record({
    issuer: {
      words: 'an origin such as https://art.example',
      fits: (value) => typeof value === 'string' && URL.canParse(value),
    },
    revision: {
      words: 'a number or a string',
      fits: (value) => typeof value === 'number' || typeof value === 'string',
    },
    paused: orAbsent(SWITCH),
    moved: orAbsent(SWITCH),
  }),
)

/** Reads what `find` returned. A row never serves a host that is not its own. */
function readRow(returned: School | null | undefined, host: string): School | null {
  const row = readAs(returned ?? null, ROW, 'find returned')
  if (row !== null && row.moved !== true && new URL(row.issuer).host !== host)
    throw new TypeError(`find returned the school ${row.issuer} for the host ${host}`)
  return row
}
