import { describe, expect, it } from 'vitest'
import { createWeeklyThrottle } from '../../src/authorization-server/throttle.js'
import { fixedClock } from '../../src/testing/clock.js'

const WEEK = 7 * 86_400

describe('refreshes that were answered again', () => {
  const times = (
    isFrequent: ReturnType<typeof createWeeklyThrottle>,
    grantId: string,
    refreshes: readonly number[],
  ): readonly number[] =>
    refreshes.filter((refresh) => isFrequent({ grantId, refresh: `refresh ${refresh}` }))

  it('are reported at the tenth of a grant, and not again within the week', () => {
    const { now, advance } = fixedClock(1_795_165_200)
    const isFrequent = createWeeklyThrottle(now)
    const numbers = Array.from({ length: 30 }, (_, index) => index)
    expect(times(isFrequent, 'one', numbers)).toEqual([9])
    expect(times(isFrequent, 'other', numbers.slice(0, 9))).toEqual([])
    advance(WEEK - 1)
    expect(times(isFrequent, 'other', [9])).toEqual([9])
    advance(1)
    expect(times(isFrequent, 'one', numbers)).toEqual([9])
    advance(-WEEK)
    expect(times(isFrequent, 'one', numbers)).toEqual([9])
  })

  it('are counted once for each refresh', () => {
    const { now } = fixedClock(1_795_165_200)
    expect(times(createWeeklyThrottle(now), 'one', Array<number>(100).fill(1))).toEqual([])
  })

  it('are forgotten first for the grant that was counted longest ago, beyond ten thousand', () => {
    const { now } = fixedClock(1_795_165_200)
    const isFrequent = createWeeklyThrottle(now)
    const nine = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    for (const grantId of ['first', 'second', 'third']) times(isFrequent, grantId, nine)
    for (let grant = 0; grant < 9997; grant++) times(isFrequent, `grant ${grant}`, [0])
    expect(times(isFrequent, 'first', [9])).toEqual([9])
    times(isFrequent, 'one more', [0])
    expect(times(isFrequent, 'second', [9])).toEqual([])
    expect(times(isFrequent, 'grant 9996', nine)).toEqual([])
    expect(times(isFrequent, 'grant 9996', [9])).toEqual([9])
  })
})
