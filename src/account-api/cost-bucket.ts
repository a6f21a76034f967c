/**
 * A rate limit in points of query cost, for each grant.
 *
 * @group Limits
 */
export interface CostBucket {
  /** Largest number of points that a grant can save up: a number above 0, at least `limits.cost`. */
  readonly capacity: number
  /** Points restored per second: a number above 0. */
  readonly restoreRate: number
}

export const DEFAULT_BUCKET: CostBucket = { capacity: 2000, restoreRate: 50 }

/** The result of spending points. */
export interface Spending {
  readonly ok: boolean
  /** Points left in the bucket. */
  readonly available: number
  /** Seconds until the bucket has enough points; 0 if it has. */
  readonly retryAfterSeconds: number
}

const MAX_GRANTS = 10_000

/**
 * Creates a token bucket per grant, in process memory. The 10,000 most recently used grants are tracked; an
 * evicted grant starts with a full bucket.
 */
export function createCostBuckets({
  capacity,
  restoreRate,
}: CostBucket): (grantId: string, cost: number, now: number) => Spending {
  const buckets = new Map<string, { points: number; at: number }>()
  return (grantId, cost, now) => {
    const before = buckets.get(grantId) ?? { points: capacity, at: now }
    const restored = Math.max(now - before.at, 0) * restoreRate
    const points = Math.min(before.points + restored, capacity)
    const ok = cost <= points
    const available = ok ? points - cost : points
    buckets.delete(grantId)
    buckets.set(grantId, { points: available, at: now })
    if (buckets.size > MAX_GRANTS) buckets.delete(buckets.keys().next().value!)
    const retryAfterSeconds = ok ? 0 : Math.ceil((Math.min(cost, capacity) - points) / restoreRate)
    return { ok, available, retryAfterSeconds }
  }
}
