import { describe, expect, it } from 'vitest'
import { createOften } from '../../src/authorization-server/often.js'
import { fixedClock } from '../../src/testing/clock.js'

const WEEK = 7 * 86_400

describe('refreshes that were answered again', () => {
  const times = (
    isOften: ReturnType<typeof createOften>,
    grantId: string,
    refreshes: readonly number[],
  ): readonly number[] =>
    refreshes.filter((refresh) => isOften({ grantId, refresh: `refresh ${refresh}` }))

  it('are reported at the tenth of a grant, and not again within the week', () => {
    const { now, advance } = fixedClock(1_795_165_200)
    const isOften = createOften(now)
    const numbers = Array.from({ length: 30 }, (_, index) => index)
    expect(times(isOften, 'one', numbers)).toEqual([9])
    expect(times(isOften, 'other', numbers.slice(0, 9))).toEqual([])
    advance(WEEK - 1)
    expect(times(isOften, 'other', [9])).toEqual([9])
    advance(1)
    expect(times(isOften, 'one', numbers)).toEqual([9])
    advance(-WEEK)
    expect(times(isOften, 'one', numbers)).toEqual([9])
  })

  it('are counted once for each refresh', () => {
    const { now } = fixedClock(1_795_165_200)
    expect(times(createOften(now), 'one', Array<number>(100).fill(1))).toEqual([])
  })

  it('are forgotten first for the grant that was counted longest ago, beyond ten thousand', () => {
    const { now } = fixedClock(1_795_165_200)
    const isOften = createOften(now)
    const nine = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    for (const grantId of ['first', 'second', 'third']) times(isOften, grantId, nine)
    for (let grant = 0; grant < 9997; grant++) times(isOften, `grant ${grant}`, [0])
    expect(times(isOften, 'first', [9])).toEqual([9])
    times(isOften, 'one more', [0])
    expect(times(isOften, 'second', [9])).toEqual([])
    expect(times(isOften, 'grant 9996', nine)).toEqual([])
    expect(times(isOften, 'grant 9996', [9])).toEqual([9])
  })
})
