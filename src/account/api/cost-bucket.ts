import type { Access } from '../../policy/bearer.js'
import type { Spent } from '../../site/budget.js'
import type { Payer } from '../../site/payer.js'

export const DEFAULT_BUCKET = { capacity: 2000, restoreRate: 50 }

type CostBucket = Readonly<typeof DEFAULT_BUCKET>

/** A person may spend this many times the points of one grant, through all clients together. */
const GRANTS_OF_PERSON = 4

/** Creates the function that spends the points of a grant, and those of its person. */
export function createSpendPoints({
  capacity,
  restoreRate,
}: CostBucket): (payer: Payer, access: Access, cost: number) => Promise<Spent> {
  const ofGrant = { amount: capacity, seconds: capacity / restoreRate }
  const ofPerson = { ...ofGrant, amount: capacity * GRANTS_OF_PERSON }
  return (payer, { grantId, person }, cost) =>
    payer.spend(
      ['pointsOfGrant', grantId, { cost, allowance: ofGrant }],
      ['pointsOfPerson', person.subject, { cost, allowance: ofPerson }],
    )
}
