import { type Counter, type Counters, networkOf } from '../platform/counters.js'

/** Slows down password guessing. No account is locked permanently. */
export interface Throttle {
  /** Records an attempt. Returns the seconds to wait, or 0 if the attempt may proceed. */
  take(attempt: { email: string; address: string | null }): Promise<number>
  /** Resets the attempts of this person from this address after a successful sign-in. */
  forgive(attempt: { email: string; address: string | null }): Promise<void>
}

/** Creates a throttle that uses these counters. */
export function createThrottle(counters: Counters): Throttle {
  const windowSeconds = 10 * 60
  const pair = counters.of({ name: 'sign-in', times: 6, windowSeconds })
  const account = counters.of({ name: 'sign-in-account', times: 30, windowSeconds })
  const source = counters.of({ name: 'sign-in-address', times: 120, windowSeconds })
  const fold = (email: string): string => email.trim().toLowerCase()
  const keyOf = ({ email, address }: { email: string; address: string | null }): string =>
    `${networkOf(address)} ${fold(email)}`

  async function waitOf(counter: Counter, key: string): Promise<number> {
    const { ok, resetSeconds } = await counter.take(key)
    return ok ? 0 : resetSeconds
  }

  return {
    async take(attempt) {
      return Math.max(
        await waitOf(pair, keyOf(attempt)),
        await waitOf(account, fold(attempt.email)),
        await waitOf(source, networkOf(attempt.address)),
      )
    },
    forgive: (attempt) => pair.forget(keyOf(attempt)),
  }
}
