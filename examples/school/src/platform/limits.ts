import { ALLOWANCES } from 'hallpass/operations'
import { type SiteOptions } from 'hallpass'
import type { AdminApiOptions } from 'hallpass/admin'
import { networkOfAddress } from 'hallpass/node'
import { type Counter, type Counters, networkOf } from './counters.js'
import type { PayerOf, Sender } from './payer.js'

/**
 * Requests in one minute of one payer. A network may send ten times as many: a school of ten thousand people may have
 * one address, and within an hour all of them sign in. All networks of one IPv6 subscriber together may send twenty
 * times as many.
 */
export const RATES = {
  /** All paths together. */
  all: 600,
  token: 60,
  authorize: 60,
  introspect: 100,
  revoke: 60,
  register: 60,
  userinfo: 60,
  graphql: 120,
  anonymousMcp: 60,
} as const

const NETWORK_FACTOR = 10
const WIDE_FACTOR = 2 * NETWORK_FACTOR

/** An endpoint with a limit of its own. */
export type RateName = Exclude<keyof typeof RATES, 'all'>

const WINDOW_SECONDS = 60

/** The rate limits of the school. */
export interface Limits {
  /** Limits the requests of a grant to the admin API. `null` for no limit. */
  readonly ofGrant: NonNullable<AdminApiOptions['rateLimit']> | null
  /**
   * Limits the requests of one sender, to all paths together.
   *
   * @returns the seconds to wait, or 0 if the request may proceed
   */
  readonly ofSender: (sender: Sender) => Promise<number>
  /**
   * Limits the requests to one endpoint. `null` for no limit.
   *
   * @param findHolder - finds the grant or the person that a valid credential of the request belongs to, or `null`. The
   *   holder pays once the network has spent what it has. A request's own claims, such as its client, make no difference
   * @returns the seconds to wait, or 0 if the request may proceed
   */
  readonly ofEndpoint:
    | ((
        name: RateName,
        sender: Sender,
        findHolder: () => Promise<string | null>,
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
export const NO_LIMITS: Limits = { ofGrant: null, ofSender: async () => 0, ofEndpoint: null }

/** Creates the limits on these counters. */
export function createLimits(
  counters: Pick<Counters, 'of'>,
  {
    payerOf,
    rates = RATES,
  }: { payerOf: PayerOf; rates?: Readonly<Record<keyof typeof RATES, number>> },
): Limits {
  const counter = (name: string, times: number) =>
    counters.of({ name, times, windowSeconds: WINDOW_SECONDS })
  const grants = counter('grant', GRANT_RATE.limit)
  const byName = new Map(
    Object.entries(rates).map(([name, times]) => [
      name,
      {
        own: counter(name, times),
        network: counter(`${name}-network`, times * NETWORK_FACTOR),
        wide: counter(`${name}-wide`, times * WIDE_FACTOR),
      },
    ]),
  )
  const waitOf = async (counter: Counter, key: string): Promise<number> => {
    const { ok, resetSeconds } = await counter.take(key)
    return ok ? 0 : resetSeconds
  }
  /** A look-up costs a query, so none is made before it is needed. */
  async function wait(
    name: keyof typeof RATES,
    sender: Sender,
    findHolder: () => Promise<string | null>,
  ): Promise<number> {
    const { own, network, wide } = byName.get(name)!
    const { isNetwork, key } = payerOf(sender)
    let seconds = await waitOf(isNetwork ? network : own, key)
    // An IPv4 address has no wider network.
    const subscriber = isNetwork ? networkOfAddress(sender.address ?? '', 48) : null
    if (seconds === 0 && subscriber !== null && subscriber !== key)
      seconds = await waitOf(wide, subscriber)
    const holder = seconds === 0 ? null : await findHolder()
    return holder === null ? seconds : waitOf(own, `${networkOf(sender.address)} ${holder}`)
  }
  return {
    async ofGrant({ access }) {
      const count = await grants.take(access.grantId)
      return { ...count, ...GRANT_RATE }
    },
    ofSender: (sender) => wait('all', sender, async () => null),
    ofEndpoint: wait,
  }
}
