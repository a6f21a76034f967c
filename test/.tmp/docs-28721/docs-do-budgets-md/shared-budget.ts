// shared-budget.ts
import { type Budget, decideExpense } from 'hallpass/operations'

interface Table {
  /** Replaces the number of a key in a transaction. */
  readonly update: (key: string, change: (stored: number | null) => number) => Promise<void>
}

export const createSharedBudget = (table: Table): Budget => ({
  async spend(expense) {
    let spent = { ok: false, remaining: 0, retryAfterSeconds: 1 }
    await table.update(`${expense.budget} ${expense.spender}`, (stored) => {
      const { wholeAt, ...decided } = decideExpense(stored, expense)
      spent = decided
      return wholeAt
    })
    return spent
  },
})
