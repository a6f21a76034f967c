import { ALLOWANCES, type SiteOptions } from 'hallpass'
import type { AdminApiOptions } from 'hallpass/admin'
import { type Counters, networkOf, waitOf } from './counters.js'

/** Requests in one minute: of each client or account at an address. */
export const RATES = {
  token: 60,
  authorize: 60,
  introspect: 100,
  revoke: 60,
  register: 60,
  userinfo: 60,
  graphql: 120,
  anonymousMcp: 60,
} as const

/** An endpoint with a limit of its own. */
export type RateName = keyof typeof RATES

/** An address may send this many times the requests of one client, because hosted clients share addresses. */
const ADDRESS_FACTOR = 10

const WINDOW_SECONDS = 60

/** The rate limits of the school. */
export interface Limits {
  /** Limits the requests of a grant to the admin API. `null` for no limit. */
  readonly ofGrant: NonNullable<AdminApiOptions['rateLimit']> | null
  /**
   * Limits the requests from an IP address, to all paths together.
   *
   * @returns the seconds to wait, or 0 if the request may proceed
   */
  readonly ofAddress: (address: string | null) => Promise<number>
  /**
   * Limits the requests to one endpoint. `null` for no limit.
   *
   * @param request - `sender`: the client or account, or `null` if the endpoint knows neither: the limit
   *   then applies to the address
   * @returns the seconds to wait, or 0 if the request may proceed
   */
  readonly ofEndpoint:
    | ((
        name: RateName,
        request: { sender: string | null; address: string | null },
      ) => Promise<number>)
    | null
}

/** The rate limit of one grant at the admin API. */
export const GRANT_RATE = { limit: 100, windowSeconds: WINDOW_SECONDS }

/** Lifts every allowance of the site, for load tests. */
export const NO_ALLOWANCES: NonNullable<SiteOptions['allowances']> = Object.fromEntries(
  Object.keys(ALLOWANCES).map((name) => [name, null]),
)

/** Limits that never apply, for load tests. */
export const NO_LIMITS: Limits = { ofGrant: null, ofAddress: async () => 0, ofEndpoint: null }

/** Creates the limits on these counters. */
export function createLimits(counters: Pick<Counters, 'of'>): Limits {
  const counter = (name: string, times: number) =>
    counters.of({ name, times, windowSeconds: WINDOW_SECONDS })
  const grants = counter('grant', GRANT_RATE.limit)
  const addresses = counters.of({ name: 'address', times: 1200, windowSeconds: WINDOW_SECONDS })
  const endpoints = Object.entries(RATES).map(
    ([name, times]) =>
      [
        name,
        {
          senders: counter(name, times),
          addresses: counter(`${name}-address`, times * ADDRESS_FACTOR),
        },
      ] as const,
  )
  const byName = new Map<string, (typeof endpoints)[number][1]>(endpoints)
  return {
    async ofGrant({ access }) {
      const count = await grants.take(access.grantId)
      return { ...count, ...GRANT_RATE }
    },
    ofAddress: (address) => waitOf([addresses, networkOf(address)]),
    ofEndpoint(name, { sender, address }) {
      const one = byName.get(name)!
      const network = networkOf(address)
      // Whatever a client sends as its name, a key has a bound.
      const key = `${network} ${(sender ?? '').slice(0, 256)}`
      return waitOf([one.senders, key], [one.addresses, network])
    },
  }
}
