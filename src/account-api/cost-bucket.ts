/** Points that one grant may spend, refilled with time. */
export interface CostBucket {
  /** Points at most. */
  readonly capacity: number
  /** Points per second. */
  readonly restoreRate: number
}

export const DEFAULT_BUCKET: CostBucket = { capacity: 2000, restoreRate: 50 }

/** What spending came to. */
export interface Spending {
  readonly ok: boolean
  /** Points left. */
  readonly available: number
  /** Seconds until there are enough; 0 = there are. */
  readonly retryAfterSeconds: number
}

const MAX_GRANTS = 10_000

/** Keeps the buckets of grants in this process; whoever was not heard of for longest has a full one. */
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
