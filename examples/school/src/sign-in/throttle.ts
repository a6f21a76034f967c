import { type Counters, networkOf, waitOf } from '../platform/counters.js'
import { foldEmail } from './known-browsers.js'

/** An attempt to sign in. */
export interface Attempt {
  readonly email: string
  readonly address: string | null
  /** The identifier of a browser that is known for this account, or `null`. */
  readonly browser: string | null
}

/** Slows down password guessing. No account is locked permanently. */
export interface Throttle {
  /**
   * Records an attempt. A known browser has a counter of its own. Any other browser is counted by person
   * and address, then by address, then by person. An attempt that one of them refuses leaves the next as
   * it was, so a single address cannot use up the attempts of an account.
   *
   * @returns the seconds to wait, or 0 if the attempt may proceed
   */
  take(attempt: Attempt): Promise<number>
  /**
   * Resets the attempts of this person from this address or known browser after a successful sign-in. It is not counted
   * for the address either, which a whole school may have, nor for the person, whom every visitor of the demo may be.
   */
  forgive(attempt: Attempt): Promise<void>
}

/** Creates a throttle that uses these counters. */
export function createThrottle(counters: Pick<Counters, 'of'>): Throttle {
  const windowSeconds = 10 * 60
  const pair = counters.of({ name: 'sign-in', times: 6, windowSeconds })
  const known = counters.of({ name: 'sign-in-browser', times: 6, windowSeconds })
  const source = counters.of({ name: 'sign-in-address', times: 300, windowSeconds })
  const account = counters.of({ name: 'sign-in-account', times: 30, windowSeconds })
  const pairOf = ({ email, address }: Attempt): string =>
    `${networkOf(address)} ${foldEmail(email)}`

  return {
    take(attempt) {
      const { email, address, browser } = attempt
      return browser === null
        ? waitOf([pair, pairOf(attempt)], [source, networkOf(address)], [account, foldEmail(email)])
        : waitOf([known, browser])
    },
    async forgive(attempt) {
      if (attempt.browser !== null) return known.forget(attempt.browser)
      await Promise.all([
        pair.forget(pairOf(attempt)),
        source.giveBack(networkOf(attempt.address)),
        account.giveBack(foldEmail(attempt.email)),
      ])
    },
  }
}
