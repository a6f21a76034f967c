import type { Access } from '../policy/bearer.js'
import type { Spent } from '../site/budget.js'
import type { Site } from '../site/site.js'

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

/** A person may spend this many times the points of one grant, through all clients together. */
const GRANTS_OF_PERSON = 4

/** Creates the function that spends the points of a grant, and those of its person. */
export function createSpendPoints(
  { spend }: Pick<Site, 'spend'>,
  { capacity, restoreRate }: CostBucket,
): (access: Access, cost: number) => Promise<Spent> {
  const ofGrant = { amount: capacity, seconds: capacity / restoreRate }
  const ofPerson = { ...ofGrant, amount: capacity * GRANTS_OF_PERSON }
  return ({ grantId, person }, cost) =>
    spend(
      ['pointsOfGrant', grantId, { cost, allowance: ofGrant }],
      ['pointsOfPerson', person.subject, { cost, allowance: ofPerson }],
    )
}
