import type { Server } from '../authorization-server/whole-server.js'
import {
  callback,
  custom,
  list,
  methods,
  oneOf,
  optional,
  type RequiredRule,
  type Rules,
  whole,
} from '../options/check.js'
import type { Budget } from '../site/budget.js'
import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import { KEY_RING_RULES } from '../token/key-ring.js'

/**
 * The least that a platform knows about a school. Your rows have more, for `open`.
 *
 * @group Platforms
 */
export interface School {
  /** Its origin, which is its issuer. */
  readonly issuer: string
  /** Changes with every change of the row, such as a counter or the time of the change. */
  readonly revision: string | number
  /** Requests get 503 and nothing is written, such as while the school is moved. Default: `false`. */
  readonly paused?: boolean
  /**
   * The school was found by a host that it has left, or that only leads to it. Pages are redirected to the issuer with 308.
   * Endpoints of the protocol get 421, so that no client mixes two issuers. Default: `false`, and then a row with another
   * host is a mistake of `find`.
   */
  readonly moved?: boolean
}

/**
 * The parts of a school that its platform decides: pass them on to `defineSite` and `createServer`.
 *
 * @group Platforms
 */
export interface Given {
  /** For `defineSite`. */
  readonly site: {
    readonly issuer: string
    readonly store: Store
    readonly budget: Budget
    /** Passes the faults of requests to the platform. With one of your own behind it, they go there instead. */
    readonly onFault: (notice: { readonly fault: unknown }) => void
  }
  /** For `createServer`: secrets of this school, derived from those of the platform. */
  readonly server: {
    readonly sealingSecret: string
    readonly previousSealingSecrets?: readonly string[]
  }
}

/**
 * An exception in the work of a platform.
 *
 * @inline
 */
export interface PlatformFault {
  /** The function or the work that failed; `request` for what an endpoint of a school met. */
  readonly at:
    'find' | 'open' | 'request' | 'changes' | 'fallback' | 'maintain' | 'deliver' | 'serve'
  /** The host of the school; `null` if it is of no single one. */
  readonly host: string | null
  readonly fault: unknown
}

/**
 * The options of {@link createPlatform}.
 *
 * @group Platforms
 */
export interface PlatformOptions<Row extends School> {
  /**
   * Returns the school with this host; `null` if there is none, or it is closed. It is called once for all who wait for the
   * same host, and at most 200 times a second. A call that is late or fails leads to 503, or leaves a school that is open as it
   * is, for a minute.
   *
   * @param host - in lower case, with its port unless that is 443
   */
  readonly find: (host: string) => Promise<Row | null>
  /**
   * Creates the server of a school. An exception leads to 503 for this school, and to `onFault`.
   *
   * @param given - what a platform decides for each school
   */
  readonly open: (row: Row, given: Given) => Server | Promise<Server>
  /**
   * Returns the hosts whose schools were created, changed or ended since then, and `until`, with which it is called again,
   * within five seconds while requests come. `null` asks for all hosts. With it, unknown hosts cost no call of `find`, and
   * `find` is asked again after a change, or ten minutes. Beyond a million hosts, unknown ones cost calls of `find` again.
   * Default: `find` is asked after half a minute, and for each unknown host.
   */
  readonly changes?: (
    since: string | null,
  ) => Promise<{ readonly until: string; readonly hosts: Iterable<string> }>
  /**
   * The storages of the schools, each named once: `createPostgresStorage` from hallpass/postgres and the like. The platform
   * maintains them, and no school on its own.
   */
  readonly storages: readonly [SiteStorage, ...SiteStorage[]]
  /** Returns which of `storages` has the rows of a school. Default: the first. */
  readonly storageOf?: (row: Row) => SiteStorage
  /** Keeps what each spender has left, for all schools and processes: each expense names its site. */
  readonly budget: Budget
  /** From which the sealing secrets of all schools are derived: at least 32 random characters. */
  readonly secret: string
  /** Earlier secrets, newest first, at most 4. While there is one, `maintain` seals all keys again. Default: none. */
  readonly previousSecrets?: readonly string[]
  /** How many schools are kept open. The least recently used leave, behind their last request. Default: 2000. */
  readonly resident?: number
  /** How many requests of one school may be under way, beyond which they get 503: a quarter of the connections to the database. Default: 16. */
  readonly inFlight?: number
  /**
   * The header that names the host. `x-forwarded-host` is for a proxy that replaces `Host`, and sets this header in each
   * request. Default: `host`.
   */
  readonly hostHeader?: 'host' | 'x-forwarded-host'
  /** Answers for a host that no school has, such as with the pages of the platform. Default: 421. */
  readonly fallback?: (request: Request) => Response | Promise<Response>
  /** Receives the exceptions of these functions, and of maintenance. Default: they are not reported. */
  readonly onFault?: (fault: PlatformFault) => void
  /** Returns the time in whole epoch seconds. Default: the clock of the computer. */
  readonly now?: () => number
}

const EXAMPLE = 'createPostgresStorage({ execute })'
const OF_SITES = methods<SiteStorage>(EXAMPLE, {
  storeOf: true,
  purge: true,
  listSites: true,
  exportSite: true,
  importSite: true,
  eraseSite: true,
})
const OF_ALL = methods<SiteStorage['ofAll']>(EXAMPLE, {
  findClock: true,
  moveClock: true,
  useOnce: true,
})

/** The rule of a storage of many sites. */
export const STORAGE_RULE: RequiredRule<SiteStorage> = custom(EXAMPLE, (value, name) => {
  const mistakes = OF_SITES.mistakes(value, name)
  return mistakes.length > 0
    ? mistakes
    : OF_ALL.mistakes((value as SiteStorage).ofAll, `${name}.ofAll`)
})

export const PLATFORM_RULES: Rules<PlatformOptions<School>> = {
  find: callback('async (host) => schools.findByHost(host)'),
  open: callback('(row, given) => createServer(defineSite({ ...given.site }), given.server)'),
  changes: optional(callback('async (since) => ({ until, hosts })')),
  storages: custom(`an array of storages, such as [${EXAMPLE}]`, (value, name) =>
    Array.isArray(value) && value.length === 0
      ? [`${name} is empty: name each storage of the schools`]
      : list(STORAGE_RULE).mistakes(value, name),
  ),
  storageOf: optional(callback('(row) => storages[row.shard]')),
  budget: methods<Budget>('createMemoryBudget()', { spend: true }),
  secret: KEY_RING_RULES.sealingSecret,
  previousSecrets: KEY_RING_RULES.previousSealingSecrets,
  resident: optional(whole(1, 1_000_000)),
  inFlight: optional(whole(1, 100_000)),
  hostHeader: optional(oneOf('host', 'x-forwarded-host')),
  fallback: optional(callback("() => new Response('welcome')")),
  onFault: optional(callback('({ at, host, fault }) => console.error(at, host, fault)')),
  now: optional(callback('() => Math.floor(Date.now() / 1000)')),
}
