import { beforeEach, describe, expect, it } from 'vitest'
import type { Counters } from '../../../examples/school/src/platform/counters.js'
import {
  type Attempt,
  createThrottle,
  type Throttle,
} from '../../../examples/school/src/sign-in/throttle.js'

const MEI = 'mei@example.com'

let counts: Map<string, number>
let rules: unknown[]
let throttle: Throttle

/** Counters without a clock: whoever went too often waits as many seconds as the rule allows tries. */
function countersIn(held: Map<string, number>): Pick<Counters, 'of'> {
  return {
    of(rule) {
      rules.push(rule)
      const nameOf = (key: string): string => `${rule.name}: ${key}`
      return {
        async take(key) {
          const count = (held.get(nameOf(key)) ?? 0) + 1
          held.set(nameOf(key), count)
          const ok = count <= rule.times
          return { ok, remaining: Math.max(rule.times - count, 0), resetSeconds: rule.times }
        },
        async giveBack(key) {
          held.set(nameOf(key), held.get(nameOf(key))! - 1)
        },
        async forget(key) {
          held.delete(nameOf(key))
        },
      }
    },
  }
}
beforeEach(() => {
  counts = new Map()
  rules = []
  throttle = createThrottle(countersIn(counts))
})

const tries = async (
  times: number,
  attempt: (index: number) => Pick<Attempt, 'email' | 'address'> & Partial<Attempt>,
): Promise<number[]> => {
  const waits: number[] = []
  for (let index = 0; index < times; index++)
    waits.push(await throttle.take({ browser: null, ...attempt(index) }))
  return waits
}

describe('createThrottle', () => {
  it('counts for ten minutes: by person and address, by browser, by address, and by person', () => {
    expect(rules).toEqual([
      { name: 'sign-in', times: 6, windowSeconds: 600 },
      { name: 'sign-in-browser', times: 6, windowSeconds: 600 },
      { name: 'sign-in-address', times: 300, windowSeconds: 600 },
      { name: 'sign-in-account', times: 30, windowSeconds: 600 },
    ])
  })

  it('counts each try under its person, its network and both', async () => {
    const address = '2001:db8:0:1::7'
    await throttle.take({ email: '  Mei@Example.com ', address, browser: null })
    expect([...counts]).toEqual([
      [`sign-in: 2001:db8:0:1::/64 ${MEI}`, 1],
      ['sign-in-address: 2001:db8:0:1::/64', 1],
      [`sign-in-account: ${MEI}`, 1],
    ])
  })

  it('lets a person try six times from one address', async () => {
    const waits = await tries(7, () => ({ email: MEI, address: '203.0.113.7' }))
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 6])
  })

  it('lets a person be tried thirty times from wherever', async () => {
    const waits = await tries(31, (index) => ({ email: MEI, address: `203.0.113.${index}` }))
    expect(waits).toEqual([...Array.from({ length: 30 }, () => 0), 30])
  })

  it('lets an address fail three hundred times, whoever it is', async () => {
    const address = '203.0.113.7'
    const waits = await tries(301, (index) => ({ email: `p${index}@example.com`, address }))
    expect(waits).toEqual([...Array.from({ length: 300 }, () => 0), 300])
  })

  it('counts a try that is refused nowhere else [UX-11]', async () => {
    const address = '203.0.113.7'
    const waits = await tries(32, () => ({ email: MEI, address }))
    expect(waits.slice(6)).toEqual(Array.from({ length: 26 }, () => 6))
    await tries(310, (index) => ({ email: `p${index}@example.com`, address }))
    expect(counts.get(`sign-in-account: ${MEI}`)).toBe(6)
    expect(counts.get('sign-in-account: p293@example.com')).toBe(1)
    expect(counts.has('sign-in-account: p294@example.com')).toBe(false)
  })

  it('lets a known browser try six times, wherever it is and whatever others try [UX-11]', async () => {
    await tries(31, (index) => ({ email: MEI, address: `203.0.113.${index}` }))
    const before = [...counts]
    const known = (index: number) => ({ email: MEI, address: `203.0.113.${index}`, browser: 'b1' })
    expect(await tries(7, known)).toEqual([0, 0, 0, 0, 0, 0, 6])
    expect([...counts]).toEqual([...before, ['sign-in-browser: b1', 7]])
    expect(await tries(1, () => ({ email: MEI, address: null, browser: 'b2' }))).toEqual([0])
    await throttle.forgive({ email: MEI, address: null, browser: 'b1' })
    expect(counts.has('sign-in-browser: b1')).toBe(false)
    expect(counts.get('sign-in-browser: b2')).toBe(1)
  })

  it('counts nobody who signs in for the address of a whole school', async () => {
    const address = '203.0.113.7'
    for (let index = 0; index < 1000; index++) {
      const attempt = { email: `p${index}@example.com`, address, browser: null }
      expect(await throttle.take(attempt)).toBe(0)
      await throttle.forgive(attempt)
    }
  })

  it('counts nobody who signs in for the person, whom each visitor of a demo may be', async () => {
    for (let index = 0; index < 100; index++) {
      const attempt = { email: MEI, address: `203.0.113.${index}`, browser: null }
      expect(await throttle.take(attempt)).toBe(0)
      await throttle.forgive({ ...attempt, email: ` ${MEI.toUpperCase()}` })
    }
  })

  it('forgets the tries of a person from an address, and no others', async () => {
    await tries(7, () => ({ email: MEI, address: '203.0.113.7' }))
    await throttle.forgive({ email: ' MEI@example.com', address: '203.0.113.7', browser: null })
    expect([...counts]).toEqual([
      ['sign-in-address: 203.0.113.7', 5],
      [`sign-in-account: ${MEI}`, 5],
    ])
  })
})
