import type { AdminApiOptions } from 'hallpass/admin'
import { type Counters, networkOf } from './counters.js'

/** How much the school answers. */
export interface Limits {
  /** Requests of a grant at the admin API. `null` = as many as it likes. */
  readonly ofGrant: NonNullable<AdminApiOptions['rateLimit']> | null
  /**
   * Requests from an address; hosted clients share theirs, so it is generous.
   *
   * @returns seconds to wait; 0 = go ahead
   */
  readonly ofAddress: (request: { path: string; address: string | null }) => Promise<number>
}

/** Requests of one grant at the admin API. */
export const GRANT_RATE = { limit: 100, windowSeconds: 60 }

/** No limit at all, for whoever measures how much the school can answer. */
export const NO_LIMITS: Limits = { ofGrant: null, ofAddress: async () => 0 }

/** The limits on these counters. */
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
