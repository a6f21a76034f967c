import ipaddr from 'ipaddr.js'
import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** How often something may be done. */
interface Rule {
  /** Unique: the name under which it is counted. */
  readonly name: string
  readonly times: number
  readonly windowSeconds: number
}

/** What is left after one more. */
interface Count {
  readonly ok: boolean
  readonly remaining: number
  /** Until the window ends. */
  readonly resetSeconds: number
}

/** Counts under keys. */
export interface Counter {
  readonly take: (key: string) => Promise<Count>
  readonly forget: (key: string) => Promise<void>
}

/** Makes counters: of this process, or shared by all that ask one Redis. */
export interface Counters {
  readonly of: (rule: Rule) => Counter
  readonly close: () => Promise<void>
}

/**
 * Opens the counters.
 *
 * @param redisUrl - `null` = this process counts for itself. While a Redis is away it does so too.
 */
export async function openCounters({ redisUrl }: { redisUrl: string | null }): Promise<Counters> {
  const redis =
    redisUrl === null
      ? null
      : new Redis(redisUrl, {
          lazyConnect: true,
          enableOfflineQueue: false,
          maxRetriesPerRequest: 1,
        })
  // Tried again by itself; meanwhile the counters of this process stand in.
  redis?.on('error', () => {})
  await redis?.connect().catch(() => {})
  return {
    of({ name, times, windowSeconds }) {
      const rule = { keyPrefix: `school-${name}`, points: times, duration: windowSeconds }
      const memory = new RateLimiterMemory(rule)
      const limiter =
        redis === null
          ? memory
          : new RateLimiterRedis({ ...rule, storeClient: redis, insuranceLimiter: memory })
      return {
        async take(key) {
          try {
            return countOf(await limiter.consume(key), true)
          } catch (rejected) {
            if (rejected instanceof RateLimiterRes) return countOf(rejected, false)
            throw rejected
          }
        },
        async forget(key) {
          await limiter.delete(key)
        },
      }
    },
    async close() {
      redis?.disconnect()
    },
  }
}

/** The same counters under the name of a site: what one school counts is nothing to another. */
export const countersOf = (counters: Counters, site: string): Counters => ({
  ...counters,
  of: (rule) => counters.of({ ...rule, name: `${site}-${rule.name}` }),
})

const countOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, ok: boolean): Count => ({
  ok,
  remaining: Math.max(remainingPoints, 0),
  resetSeconds: Math.ceil(msBeforeNext / 1000),
})

/** The network of an address: whoever has one IPv6 address has the other 2^64 of its network too. */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : parsed.toString()
}
