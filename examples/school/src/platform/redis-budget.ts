import { type Budget, createMemoryBudget, decideExpense } from 'hallpass/operations'
import { type SharedRedis, slotOf } from './redis.js'

/**
 * Returns when the allowance is whole again, as it was, and stores the time that it is after the expense.
 * The sum is that of `decideExpense`, repeated here so that reading and writing are one step.
 */
const SPEND = `
local now, amount, seconds, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local stored = redis.call('get', KEYS[1])
local before = math.min(math.max(tonumber(stored or now), now), now + seconds)
local after = math.max(before + cost * seconds / amount, now)
if after - now > seconds + 0.000001 then after = before end
redis.call('set', KEYS[1], string.format('%.6f', after), 'ex', math.ceil(after - now) + 1)
return stored
`

/** Creates a budget that all processes share. While Redis is unavailable, each has its own. */
export function createRedisBudget({ client, attempt }: SharedRedis): Budget {
  const own = createMemoryBudget()
  return {
    async spend(expense) {
      const { site, budget, spender, cost, allowance, now } = expense
      const before = await attempt(async () => ({
        wholeAt: await client.eval(
          SPEND, 1, `school-${slotOf(site)}-budget-${budget} ${spender}`,
          now, allowance.amount, allowance.seconds, cost,
        ), // prettier-ignore
      }))
      if (before === null) return own.spend(expense)
      const stored = before.wholeAt === null ? null : Number(before.wholeAt)
      const { wholeAt: _, ...spent } = decideExpense(stored, expense)
      return spent
    },
  }
}
