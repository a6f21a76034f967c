import type { Server } from '../authorization-server/whole-server.js'
import {
  type Endpoint,
  incomingFrom,
  type Incoming,
  type Outgoing,
  pathOf,
  responseFrom,
} from '../http/exchange.js'
import { checkOptions } from '../options/check.js'
import { shielded } from '../site/hooks.js'
import { readPage } from '../site/returned.js'
import { withDeadline } from '../store/deadline.js'
import { guardSiteStorage } from '../store/guard-site-storage.js'
import { CROWDED, FAULT, NO_HOST, NOT_OPEN, PAUSED, UNKNOWN_HOST } from './answers.js'
import { readHost } from './host.js'
import { createDelivery, type DeliverOf } from './deliver.js'
import { createKnownHosts, NO_HOSTS } from './known-hosts.js'
import { createMaintenance, type PlatformMaintained } from './maintain.js'
import { movedTo } from './moved.js'
import { createKeysOnDemand, createOpener } from './opener.js'
import { PLATFORM_RULES, type PlatformFault, type PlatformOptions, type School } from './options.js'
import { createResidents, type Entry, isAnswer } from './residents.js'

/** The same request at the origin of its school. */
const at = (incoming: Incoming, origin: string): Incoming => incoming.at?.(origin) ?? incoming

const FALLBACK_MILLISECONDS = 30_000
/** How many of the schools that are open `status` names. */
const BUSIEST = 50

/**
 * The state of a platform, for metrics whose number does not grow with that of the schools.
 *
 * @inline
 */
interface PlatformStatus {
  /** Schools that are open. */
  readonly resident: number
  /** Schools that are being looked up or opened. */
  readonly opening: number
  /** Since the start: calls of `find`. */
  readonly lookUps: number
  /** Since the start: schools that were opened, or opened anew for a new revision. */
  readonly opened: number
  /** Since the start: schools that left for others. */
  readonly evicted: number
  /** Since the start: requests for a host that no school has. */
  readonly unknownHosts: number
  /** Since the start: requests that got 503 because `find` or `open` failed, or too many look-ups were under way. */
  readonly unavailable: number
  /** Since the start: requests beyond `inFlight` of their school. */
  readonly crowded: number
  /** At most 50 of the open schools, those with most requests since they were opened first. */
  readonly busiest: readonly { readonly site: string; readonly requests: number }[]
}

/**
 * Many schools behind one endpoint. Created by {@link createPlatform}, and served by `serve` from hallpass/node.
 *
 * @group Platforms
 */
export interface Platform extends Endpoint {
  /**
   * Returns the server of a host, for routes of your own, such as the admin API of its site.
   *
   * @param host - as the request has it
   * @returns `null` if no school has this host, or it cannot be opened now
   */
  readonly serverOf: (host: string) => Promise<Server | null>
  /**
   * Says that the school of this host was created, changed or ended. The next request in this process looks it up again, and
   * those in flight end on the server with which they began. Other processes see it by `changes`, or after half a minute.
   */
  readonly changed: (host: string) => void
  /**
   * Maintains all schools: moves the signing keys that are due, and deletes what has expired. `serve` from hallpass/node calls
   * it every five minutes; of all processes that do, one has the turn.
   */
  readonly maintain: () => Promise<PlatformMaintained>
  /**
   * Delivers the events that the stores keep, as `deliverEvents` from hallpass/operations does for one site. Order holds
   * within a school, and schools take turns of 20 events. Call it every few seconds in each process; one of them has the turn.
   * What `deliver` throws goes to `onFault`, and its events stay.
   *
   * @returns how many events were delivered, and `false` if more are waiting: call it again now
   */
  readonly deliverEvents: (
    deliver: DeliverOf,
  ) => Promise<{ readonly delivered: number; readonly isComplete: boolean }>
  /** Returns what is open now, and the busiest schools. Reads no storage. */
  readonly status: () => PlatformStatus
  /** Reports an exception to `onFault`. Never throws. */
  readonly notifyFault: (at: PlatformFault['at'], fault: unknown) => void
}

/**
 * Creates one endpoint for many schools (multi-tenant), each with its own origin, issuer, keys and rows. A school is opened
 * at its first request, and leaves when it is the least recently used of too many.
 *
 * A request belongs to the school whose issuer has its `Host`, and to no other. A host that no issuer can have gets 400, one
 * that no school has 421, and a school that cannot be asked now 503.
 *
 * @returns an endpoint for `serve` or `toNodeHandler` from hallpass/node, or any router with the Fetch API
 * @throws OptionsError that lists every mistake in the options
 * @see [RFC 9110, section 7.4](https://www.rfc-editor.org/rfc/rfc9110#section-7.4)
 * @group Platforms
 * @example
 * ```ts
 * import { createServer, defineSite } from 'hallpass'
 * import { createMemoryBudget } from 'hallpass/operations'
 * import { createPlatform } from 'hallpass/platform'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStorage } from 'hallpass/store'
 *
 * const schools = new Map([['art.example', { name: 'School of Art', revision: 1 }]])
 * const page = () => new Response('your page')
 * const platform = createPlatform({
 *   find: async (host) => {
 *     const school = schools.get(host)
 *     return school === undefined ? null : { ...school, issuer: `https://${host}` }
 *   },
 *   open: ({ name }, given) => {
 *     const findPerson = async () => null // look the person up in the tables of this school
 *     const site = defineSite({ ...given.site, name, scopes: schoolScopes, roles: schoolRoles, findPerson })
 *     const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 *     return createServer(site, { ...given.server, interact })
 *   },
 *   storages: [createMemoryStorage()],
 *   budget: createMemoryBudget(), // one that all processes share, with more than one process
 *   secret: 'use at least 32 random characters here',
 * })
 *
 * const path = '/.well-known/openid-configuration'
 * const found = await platform(new Request(`https://art.example${path}`))
 * const { issuer } = await found.json()
 * issuer // => 'https://art.example'
 * const unknown = await platform(new Request(`https://music.example${path}`))
 * unknown.status // => 421
 * ```
 */
export function createPlatform<Row extends School>(options: PlatformOptions<Row>): Platform {
  const checked = checkOptions<PlatformOptions<School>>(
    'platform',
    options as unknown as PlatformOptions<School>,
    PLATFORM_RULES,
  )
  const { find, changes, previousSecrets = [], resident = 2000, inFlight = 16 } = checked
  const { hostHeader = 'host', fallback, now = () => Math.floor(Date.now() / 1000) } = checked
  const isByHost = hostHeader === 'host'
  const onFault = shielded(checked.onFault, () => {})
  // Ages are measured by a clock that no one sets.
  const seconds = (): number => performance.now() / 1000
  const storages = new Map(checked.storages.map((one) => [one, guardSiteStorage(one)]))
  const known =
    changes === undefined
      ? NO_HOSTS
      : createKnownHosts({
          changes,
          changed: (host) => residents.changed(host),
          seconds,
          onFault: (fault) => onFault({ at: 'changes', host: null, fault }),
        })
  const residents = createResidents({
    find,
    open: createOpener(checked, storages, onFault),
    most: resident,
    known,
    seconds,
    onFault,
  })
  const withKeys = createKeysOnDemand(seconds)
  const answerElsewhere =
    fallback === undefined
      ? null
      : withDeadline('fallback', FALLBACK_MILLISECONDS, async (request: Request) =>
          readPage('fallback', await fallback(request)),
        )
  let crowded = 0

  async function elsewhere(host: string, incoming: Incoming) {
    if (answerElsewhere === null) return UNKNOWN_HOST
    const scheme = /^(?:[\w-]+\.)*localhost(?::|$)|^127\./.test(host) ? 'http' : 'https'
    try {
      return await answerElsewhere(at(incoming, `${scheme}://${host}`).request())
    } catch (fault) {
      onFault({ at: 'fallback', host, fault })
      return FAULT
    }
  }

  async function serve(entry: Entry, server: Server, incoming: Incoming) {
    const { issuer } = entry.row
    entry.busy += 1
    entry.requests += 1
    try {
      if (entry.hasKey !== true && !(await withKeys(entry, pathOf(incoming.target))))
        return NOT_OPEN
      return await server.handle(at(incoming, issuer))
    } catch (fault) {
      onFault({ at: 'open', host: new URL(issuer).host, fault })
      return NOT_OPEN
    } finally {
      entry.busy -= 1
    }
  }

  function answer(host: string, found: Entry | Outgoing, incoming: Incoming) {
    if (isAnswer(found)) return found === UNKNOWN_HOST ? elsewhere(host, incoming) : found
    const { row, server } = found
    if (server === null) return row.paused === true ? PAUSED : movedTo(row.issuer, incoming)
    if (found.busy < inFlight) return serve(found, server, incoming)
    crowded += 1
    return CROWDED
  }

  function respond(named: string | null, incoming: Incoming) {
    // A host that is kept has been read before.
    const host = residents.has(named) ? named : readHost(named)
    if (host === null) return NO_HOST
    const found = residents.at(host)
    return found instanceof Promise
      ? found.then((one) => answer(host, one, incoming))
      : answer(host, found, incoming)
  }

  const handle = (incoming: Incoming): Promise<Outgoing | Response> => {
    // HTTP/2 has a pseudo-header in place of Host (RFC 9113, section 8.3.1).
    const named = incoming.header(hostHeader) ?? (isByHost ? incoming.header(':authority') : null)
    return Promise.resolve(respond(named, incoming))
  }
  async function fetchStyle(request: Request): Promise<Response> {
    // A Request that did not come from a network has no Host.
    const named = request.headers.get(hostHeader) ?? (isByHost ? new URL(request.url).host : null)
    return responseFrom(await respond(named, incomingFrom(request)))
  }

  const all = [...storages.values()]
  const maintenance = { storages: all, now, seconds, borrow: residents.borrow, onFault }
  return Object.assign(fetchStyle, {
    handle,
    async serverOf(host: string) {
      const read = readHost(host)
      const found = read === null ? NO_HOST : await residents.at(read)
      return isAnswer(found) ? null : found.server
    },
    changed: residents.changed,
    maintain: createMaintenance({ ...maintenance, hasPreviousSecrets: previousSecrets.length > 0 }),
    deliverEvents: createDelivery(maintenance),
    status: () => {
      const open = [...residents.entries()].map(([, { row, requests }]) => ({
        site: row.issuer,
        requests,
      }))
      return {
        resident: open.length,
        opening: residents.opening(),
        ...residents.counts,
        crowded,
        busiest: open.toSorted((one, other) => other.requests - one.requests).slice(0, BUSIEST),
      }
    },
    notifyFault: (at: PlatformFault['at'], fault: unknown) => onFault({ at, host: null, fault }),
  })
}
