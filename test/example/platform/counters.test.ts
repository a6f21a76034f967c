import { randomUUID } from 'node:crypto'
import { createMemoryBudget } from 'hallpass/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Counters, openCounters } from '../../../examples/school/src/platform/counters.js'

const redisUrl = process.env['REDIS_URL'] ?? null

it('are tried on Redis too where everything has to be tried', () => {
  expect(process.env['CI'] === 'true' && redisUrl === null).toBe(false)
})

const places: readonly (readonly [string, string | null])[] = [
  ['this process', null],
  ['a Redis that is away', 'redis://127.0.0.1:1'],
  ...(redisUrl === null ? [] : [['Redis', redisUrl] as const]),
]

/** Seconds since the expense before, and the cost; once the clock goes back. */
const STEPS = [
  [0, 1], [0, 5], [0, 2], [0, 1], [0, 1], [9, 1], [8, 2], [1, 2], [20, 3], [-15, 2], [60, 7], [0, 8],
] as const // prettier-ignore

describe.each(places)('counters in %s', (_, url) => {
  let counters: Counters
  // A name of its own for each run: a Redis remembers.
  const name = `test-${randomUUID()}`
  beforeAll(async () => {
    counters = await openCounters({ redisUrl: url })
  })
  afterAll(() => counters.close())

  it('let something happen a number of times for each key', async () => {
    const counter = counters.of({ name, times: 2, windowSeconds: 60 })
    expect(await counter.take('a')).toMatchObject({ ok: true, remaining: 1 })
    expect(await counter.take('a')).toMatchObject({ ok: true, remaining: 0 })
    const third = await counter.take('a')
    expect(third).toMatchObject({ ok: false, remaining: 0 })
    expect(third.resetSeconds).toBeGreaterThan(0)
    expect(third.resetSeconds).toBeLessThanOrEqual(60)
    expect(await counter.take('b')).toMatchObject({ ok: true })
  })

  it('keep a budget that decides like the memory of one process', async () => {
    const memory = createMemoryBudget()
    const { budget } = counters
    const allowance = { amount: 7, seconds: 60 }
    let now = 1_795_165_200
    for (const [later, cost] of STEPS) {
      now += later
      const expense = {
        site: name,
        budget: 'codesOfPerson',
        spender: 'a',
        cost,
        allowance,
        now,
      } as const
      expect(await budget.spend(expense)).toEqual(await memory.spend(expense))
    }
    const other = {
      site: name,
      budget: 'fetchesOfHost',
      spender: 'a',
      cost: 7,
      allowance,
      now,
    } as const
    expect((await budget.spend(other)).ok).toBe(true)
    expect((await budget.spend({ ...other, site: `${name}-2` })).ok).toBe(true)
  })

  it('let a hundred at once spend no more than a budget has', async () => {
    const { budget } = counters
    const expense = {
      site: `${name}-at-once`,
      budget: 'codesOfPerson',
      spender: 'a',
      cost: 1,
      allowance: { amount: 40, seconds: 86_400 },
      now: 1_795_165_200,
    } as const
    const spent = await Promise.all(Array.from({ length: 100 }, () => budget.spend(expense)))
    expect(spent.filter(({ ok }) => ok)).toHaveLength(40)
  })

  it('lose none of a hundred that come at once', async () => {
    const counter = counters.of({ name: `${name}-many`, times: 40, windowSeconds: 60 })
    const counts = await Promise.all(Array.from({ length: 100 }, () => counter.take('a')))
    expect(counts.filter(({ ok }) => ok)).toHaveLength(40)
  })
})

if (redisUrl !== null)
  it('are one for all processes that ask one Redis', async () => {
    const rule = { name: `shared-${randomUUID()}`, times: 1, windowSeconds: 60 }
    const open = () => openCounters({ redisUrl })
    const [one, other] = await Promise.all([open(), open()])
    expect((await one.of(rule).take('a')).ok).toBe(true)
    expect((await other.of(rule).take('a')).ok).toBe(false)
    await Promise.all([one.close(), other.close()])
  })
