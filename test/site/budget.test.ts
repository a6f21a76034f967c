import { readFileSync } from 'node:fs'
import { ALLOWANCES, createMemoryBudget, type Expense, type Spent } from 'hallpass/operations'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'

const EXPENSE: Expense = {
  site: 'https://school.example',
  budget: 'codesOfPerson',
  spender: 'mem_1 app_1',
  cost: 1,
  allowance: { amount: 3, seconds: 60 },
  now: T,
}

/** Spends one after another, and returns what each was told. */
async function spendAll(changes: readonly Partial<Expense>[]): Promise<readonly Spent[]> {
  const budget = createMemoryBudget()
  const told: Spent[] = []
  for (const change of changes) told.push(await budget.spend({ ...EXPENSE, ...change }))
  return told
}

const allowed = (told: readonly Spent[]): readonly boolean[] => told.map(({ ok }) => ok)

describe('a budget in memory', () => {
  it('allows the whole amount at once, and then what was restored', async () => {
    const told = await spendAll([0, 0, 0, 0, 19, 20, 20, 39].map((later) => ({ now: T + later })))
    expect(told).toEqual([
      { ok: true, remaining: 2, retryAfterSeconds: 0 },
      { ok: true, remaining: 1, retryAfterSeconds: 0 },
      { ok: true, remaining: 0, retryAfterSeconds: 0 },
      { ok: false, remaining: 0, retryAfterSeconds: 20 },
      { ok: false, remaining: 0, retryAfterSeconds: 1 },
      { ok: true, remaining: 0, retryAfterSeconds: 0 },
      { ok: false, remaining: 0, retryAfterSeconds: 20 },
      { ok: false, remaining: 0, retryAfterSeconds: 1 },
    ])
  })

  it('saves up no more than the amount', async () => {
    const told = await spendAll([0, 1e6, 1e6, 1e6, 1e6].map((later) => ({ now: T + later })))
    expect(allowed(told)).toEqual([true, true, true, true, false])
  })

  it('counts each spender and each budget for itself', async () => {
    const all = { cost: 3 }
    const told = await spendAll([
      all,
      { ...all, spender: '__proto__' },
      { ...all, spender: 'constructor' },
      { ...all, budget: 'fetchesOfHost' },
      {},
    ])
    expect(allowed(told)).toEqual([true, true, true, true, false])
  })

  it('says how long to wait for a cost, and for the whole amount if it is above it', async () => {
    const told = await spendAll([{ cost: 2 }, { cost: 3 }, { cost: 300 }])
    expect(told).toEqual([
      { ok: true, remaining: 1, retryAfterSeconds: 0 },
      { ok: false, remaining: 1, retryAfterSeconds: 40 },
      { ok: false, remaining: 1, retryAfterSeconds: 40 },
    ])
  })

  it('adds up shares that no fraction is exact for', async () => {
    const allowance = { amount: 7, seconds: 60 }
    const told = await spendAll(Array.from({ length: 8 }, () => ({ allowance })))
    expect(told.map(({ remaining }) => remaining)).toEqual([6, 5, 4, 3, 2, 1, 0, 0])
    expect(allowed(told).at(6)).toBe(true)
  })

  it('keeps nobody out for longer than the allowance takes, if the clock was ahead', async () => {
    const told = await spendAll([{ now: T + 400 * 86_400, cost: 3 }, { now: T }, { now: T + 20 }])
    expect(told[1]).toEqual({ ok: false, remaining: 0, retryAfterSeconds: 20 })
    expect(told[2]!.ok).toBe(true)
  })

  it('forgets those first who are not heard of for longest, beyond 100,000', async () => {
    const budget = createMemoryBudget()
    const spend = (spender: string): Promise<Spent> =>
      budget.spend({ ...EXPENSE, spender, cost: 3 })
    for (let index = 0; index < 100_000; index++) await spend(`${index}`)
    expect((await spend('0')).ok).toBe(false)
    await spend('one more')
    expect((await spend('0')).ok).toBe(false)
    expect((await spend('99999')).ok).toBe(false)
    expect((await spend('1')).ok).toBe(true)
  })

  it('has room again when allowances are whole', async () => {
    const budget = createMemoryBudget()
    for (let index = 0; index < 100_000; index++)
      await budget.spend({ ...EXPENSE, spender: `${index}`, now: T - 60 })
    await budget.spend({ ...EXPENSE, spender: 'kept', cost: 3 })
    for (let index = 0; index < 99_000; index++)
      await budget.spend({ ...EXPENSE, spender: `again ${index}` })
    expect((await budget.spend({ ...EXPENSE, spender: 'kept' })).ok).toBe(false)
  })
})

it('the allowances are positive and at most a day long', () => {
  for (const { amount, seconds } of Object.values(ALLOWANCES)) {
    expect(amount).toBeGreaterThan(0)
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(86_400)
  }
})

it('the allowances are those of the documentation', () => {
  const page = readFileSync(new URL('../../docs/do/budgets.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\| (\d+) +\|/gm)]
  expect(
    Object.fromEntries(
      rows.map(([, name, amount, seconds]) => [
        name,
        { amount: Number(amount), seconds: Number(seconds) },
      ]),
    ),
  ).toEqual(ALLOWANCES)
  const DAY = 86_400
  // What is kept at most: a whole allowance, and what is restored while a row is kept.
  const kept = (name: keyof typeof ALLOWANCES, seconds: number): number =>
    ALLOWANCES[name].amount * (1 + seconds / ALLOWANCES[name].seconds)
  expect([...page.matchAll(/\| (\d+) +\|$/gm)].map(([, most]) => Number(most))).toEqual([
    kept('registrationsOfNetwork', 7 * DAY),
    kept('newDocumentsOfNetwork', 7 * DAY),
    kept('requestsOfNetwork', 600),
    kept('codesOfPerson', 180 * DAY),
  ])
})
