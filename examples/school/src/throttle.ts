import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Slows down whoever guesses passwords. Nobody is locked out for good. */
export interface Throttle {
  /** Seconds to wait before the next try; 0 = go ahead. Counts as a try. */
  take(attempt: { email: string; address: string | null }): Promise<number>
  /** A successful sign-in forgets the tries of this person from this address. */
  forgive(attempt: { email: string; address: string | null }): Promise<void>
}

/** A throttle that counts in this process. */
export function createThrottle(): Throttle {
  const minutes = 60
  const pair = new RateLimiterMemory({ points: 6, duration: 10 * minutes })
  const account = new RateLimiterMemory({ points: 30, duration: 10 * minutes })
  const source = new RateLimiterMemory({ points: 120, duration: 10 * minutes })
  const fold = (email: string): string => email.trim().toLowerCase()
  const keyOf = ({ email, address }: { email: string; address: string | null }): string =>
    `${networkOf(address)} ${fold(email)}`

  async function waitOf(limiter: RateLimiterMemory, key: string): Promise<number> {
    try {
      await limiter.consume(key)
      return 0
    } catch (rejected) {
      if (rejected instanceof RateLimiterRes) return Math.ceil(rejected.msBeforeNext / 1000)
      throw rejected
    }
  }

  return {
    async take(attempt) {
      return Math.max(
        await waitOf(pair, keyOf(attempt)),
        await waitOf(account, fold(attempt.email)),
        await waitOf(source, networkOf(attempt.address)),
      )
    },
    async forgive(attempt) {
      await pair.delete(keyOf(attempt))
    },
  }
}

// Whoever has one IPv6 address has the other 2^64 of its network too.
function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : parsed.toString()
}
