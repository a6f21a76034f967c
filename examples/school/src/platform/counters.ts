import { type Budget, createMemoryBudget } from 'hallpass/operations'
import { networkOfAddress } from 'hallpass/node'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { createRedisBudget } from './redis-budget.js'
import { openRedis, type RedisClient, type RedisState, slotOf } from './redis.js'

/** A rate limit. */
interface Rule {
  /** A unique name, under which the counts are stored. */
  readonly name: string
  readonly times: number
  readonly windowSeconds: number
}

/** The state of a limit after one more use. */
interface Count {
  readonly ok: boolean
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** A counter for each key. */
export interface Counter {
  readonly take: (key: string) => Promise<Count>
}

/** Creates counters: in this process, or shared by all processes that use the same Redis. */
export interface Counters {
  readonly of: (rule: Rule) => Counter
  readonly budget: Budget
  readonly close: () => Promise<void>
}

/**
 * Opens the counters.
 *
 * @param options - `redisUrl`: `null` to count in this process only, which is also the fallback while Redis
 *   fails or hangs. `sites`: Redis is used again when the counters of all of them can be written. `onChange`:
 *   called each time that the fallback begins or ends
 */
export async function openCounters({
  redisUrl,
  sites = [],
  onChange = () => {},
}: {
  redisUrl: string | null
  sites?: readonly string[]
  onChange?: (state: RedisState) => void
}): Promise<Counters> {
  const redis =
    redisUrl === null ? null : await openRedis(redisUrl, { probe: probeOf(sites), onChange })
  return {
    budget: redis === null ? createMemoryBudget() : createRedisBudget(redis),
    of({ name, times, windowSeconds }) {
      const rule = { keyPrefix: `school-${name}`, points: times, duration: windowSeconds }
      const own = new RateLimiterMemory(rule)
      if (redis === null)
        return {
          take: (key) => count(own, key),
        }
      const shared = new RateLimiterRedis({ ...rule, storeClient: redis.client })
      return {
        take: async (key) => (await redis.attempt(() => count(shared, key))) ?? count(own, key),
      }
    },
    async close() {
      redis?.close()
    },
  }
}

/** Counts once for each site, because the nodes of a cluster fail one by one. */
const probeOf =
  (sites: readonly string[]) =>
  (storeClient: RedisClient): (() => Promise<object>) => {
    const rule = { storeClient, keyPrefix: 'school-probe', points: 1, duration: 1 }
    const limiter = new RateLimiterRedis(rule)
    const keys = sites.length === 0 ? ['probe'] : sites.map(slotOf)
    return () => Promise.all(keys.map((key) => count(limiter, key)))
  }

async function count(limiter: RateLimiterMemory | RateLimiterRedis, key: string): Promise<Count> {
  try {
    return countOf(await limiter.consume(key), true)
  } catch (rejected) {
    if (rejected instanceof RateLimiterRes) return countOf(rejected, false)
    throw rejected
  }
}

/** Returns the same counters with names that contain the site, so that each school has its own. An expense names its site. */
export const countersOf = (counters: Counters, site: string): Counters => ({
  ...counters,
  of: (rule) => counters.of({ ...rule, name: `${slotOf(site)}-${rule.name}` }),
})

const countOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, ok: boolean): Count => ({
  ok,
  remaining: Math.max(remainingPoints, 0),
  resetSeconds: Math.ceil(msBeforeNext / 1000),
})

/** Returns the network of an address, under which requests are counted, also if the address is not known. */
export const networkOf = (address: string | null): string =>
  networkOfAddress(address ?? '') ?? 'unknown'
