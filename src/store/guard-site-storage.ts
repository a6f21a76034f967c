import { ANY, COUNT, record, TEXT, TEXTS, type Wanted } from '../options/wanted.js'
import { STORE_ARGUMENTS } from './arguments.js'
import { createDeadline, DEADLINE_MILLISECONDS } from './deadline.js'
import { guardStorage, type Limit, type Read, readAs, thrownBy, UnusableValue } from './guard.js'
import { STORE_RESULTS, value } from './returned.js'
import type { SiteStorage } from './storage.js'
import type { Store } from './store.js'

/** How long a call over all sites may take, in milliseconds, and a page of an export. */
const BULK_MILLISECONDS = 30_000
/** How long a whole site may take to be stored or deleted. */
const WHOLE_MILLISECONDS = 3_600_000

type EventsOf = Pick<Store, 'listEvents' | 'deleteEvents'>
type Lines = Parameters<SiteStorage['importSite']>[0]

/** The result of {@link guardSiteStorage}. */
export interface GuardedSiteStorage extends SiteStorage {
  /** Returns the guarded methods for the events of a site. */
  readonly eventsOf: (site: string) => EventsOf
}

const STORE: Wanted = {
  words: 'a store with every method, not a promise of one',
  fits: (returned) =>
    typeof returned === 'object' &&
    returned !== null &&
    Object.keys(STORE_RESULTS).every((name) => name in returned),
}
const LINES: Wanted = {
  words: 'an async iterable of lines',
  fits: (returned) =>
    typeof (returned as Partial<AsyncIterable<string>> | null | undefined)?.[
      Symbol.asyncIterator
    ] === 'function',
}
const NEXT_LINE: Wanted = {
  words: 'lines, each a string',
  fits: (returned) => {
    const { done, value: line } = (returned ?? {}) as Partial<IteratorResult<unknown>>
    return done === true || typeof line === 'string'
  },
}

const readSites: Read = (returned, name, asked) => {
  const sites = readAs(returned as readonly string[], TEXTS, `${name} returned`)
  const { limit } = asked as { readonly limit: number }
  if (sites.length > limit)
    throw new UnusableValue(`${name} returned ${sites.length} sites: it must be at most ${limit}`)
  return sites
}

/** How what each method of a storage returns is read. */
const SITE_STORAGE_RESULTS = {
  ...STORE_RESULTS,
  listSites: readSites,
  storeOf: value(STORE),
  importSite: value(record({ site: TEXT, rows: COUNT })),
  eraseSite: value(record({ rows: COUNT })),
}

const { findClock, moveClock, useOnce, purge, listEvents, deleteEvents } = STORE_ARGUMENTS

/**
 * Guards the storage of a host application, as `defineSite` guards a store: each call ends in bounded time, and what it
 * returns is read. The stores of its sites are only looked at, because each site guards its own.
 */
export function guardSiteStorage(storage: SiteStorage): GuardedSiteStorage {
  const results = SITE_STORAGE_RESULTS
  const each = { results, deadline: createDeadline(DEADLINE_MILLISECONDS) }
  const bulk = { results, deadline: createDeadline(BULK_MILLISECONDS) }
  const whole = createDeadline(WHOLE_MILLISECONDS)
  const ofMany: Pick<SiteStorage, 'purge' | 'listSites'> = storage
  function storeOf(site: string): Store {
    try {
      return results.storeOf(storage.storeOf(site), 'storeOf', site) as Store
    } catch (fault) {
      throw thrownBy('storeOf')(fault)
    }
  }
  /** An exception of these says what is wrong with the rows of a site, so it is passed on. */
  const ofWhole =
    <Given, Result>(name: 'importSite' | 'eraseSite', call: (given: Given) => Promise<Result>) =>
    (given: Given): Promise<Result> =>
      whole(name)(async () => results[name](await call(given), name, given) as Result)

  return Object.assign(guardStorage(ofMany, { purge, listSites: [ANY] }, bulk), {
    storeOf,
    ofAll: guardStorage(storage.ofAll, { findClock, moveClock, useOnce }, each),
    eventsOf: (site: string) =>
      guardStorage<EventsOf>(storeOf(site), { listEvents, deleteEvents }, each),
    exportSite: (...given: Parameters<SiteStorage['exportSite']>) =>
      linesOf(storage.exportSite(...given), bulk.deadline('exportSite')),
    importSite: ofWhole('importSite', (lines: Lines) => storage.importSite(lines)),
    eraseSite: ofWhole('eraseSite', (site: string) => storage.eraseSite(site)),
  })
}

/** Reads the lines of an export, each in bounded time. */
function linesOf(returned: AsyncIterable<string>, limit: Limit): AsyncIterable<string> {
  const place = 'exportSite returned'
  const lines = readAs(returned, LINES, place)
  return {
    [Symbol.asyncIterator]() {
      const own = lines[Symbol.asyncIterator]()
      return {
        next: () => limit(async () => readAs(await own.next(), NEXT_LINE, place)),
        return: async () => own.return?.() ?? { done: true, value: undefined },
      }
    },
  }
}
