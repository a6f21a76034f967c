import type { AdminApiOptions } from 'hallpass/admin'
import { type Counters, networkOf } from './counters.js'

/** The rate limits of the school. */
export interface Limits {
  /** Limits the requests of a grant to the admin API. `null` for no limit. */
  readonly ofGrant: NonNullable<AdminApiOptions['rateLimit']> | null
  /**
   * Limits the requests from an IP address. The limit is generous, because hosted clients share
   * addresses.
   *
   * @returns the seconds to wait, or 0 if the request may proceed
   */
  readonly ofAddress: (request: { path: string; address: string | null }) => Promise<number>
}

/** The rate limit of one grant at the admin API. */
export const GRANT_RATE = { limit: 100, windowSeconds: 60 }

/** Limits that never apply, for load tests. */
export const NO_LIMITS: Limits = { ofGrant: null, ofAddress: async () => 0 }

/** Creates the limits on these counters. */
export function createLimits(counters: Counters): Limits {
  const grants = counters.of({
    name: 'grant',
    times: GRANT_RATE.limit,
    windowSeconds: GRANT_RATE.windowSeconds,
  })
  const addresses = counters.of({ name: 'address', times: 1200, windowSeconds: 60 })
  const registrations = counters.of({ name: 'registration', times: 60, windowSeconds: 60 })
  return {
    async ofGrant({ access }) {
      const count = await grants.take(access.grantId)
      return { ...count, ...GRANT_RATE }
    },
    async ofAddress({ path, address }) {
      const network = networkOf(address)
      const counted = [await addresses.take(network)]
      if (path === '/api/oauth/register') counted.push(await registrations.take(network))
      return Math.max(...counted.map(({ ok, resetSeconds }) => (ok ? 0 : resetSeconds)))
    },
  }
}
