import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  earliestEnd,
  hasEnded,
  isBefore,
  isEpochSeconds,
  isNotAfter,
} from '../../src/time/seconds.js'
import { NO_SECONDS } from './support.js'

const second = fc.integer({ min: 0, max: 2 ** 36 })
const noSeconds = fc.oneof(
  fc.constantFrom(...NO_SECONDS),
  fc.anything().filter((value) => !(typeof value === 'number' && Math.abs(value) < 1e11)),
) as fc.Arbitrary<number>

describe('the comparisons of times', () => {
  it('are those of numbers', () => {
    fc.assert(
      fc.property(second, second, (one, other) => {
        expect(isBefore(one, other)).toBe(one < other)
        expect(isNotAfter(one, other)).toBe(one <= other)
        expect(isEpochSeconds(one)).toBe(true)
      }),
    )
    expect([isBefore(-1, 0.5), isNotAfter(0.5, 0.5), isBefore(0.5, 0.5)]).toEqual([
      true,
      true,
      false,
    ])
    expect([-1, 0.5, 1e11].map(isEpochSeconds)).toEqual([false, false, false])
  })

  it('are false for anything but two numbers of seconds', () => {
    fc.assert(
      fc.property(fc.oneof(second, noSeconds), noSeconds, fc.boolean(), (one, other, swapped) => {
        const pair: [number, number] = swapped ? [other, one] : [one, other]
        expect([isBefore(...pair), isNotAfter(...pair)]).toEqual([false, false])
      }),
    )
    for (const value of NO_SECONDS) expect(isEpochSeconds(value)).toBe(false)
  })
})

describe('an end', () => {
  it('is open in every second before, and over in every second from it on [END-01]', () => {
    fc.assert(
      fc.property(second, second, (end, now) => {
        expect(hasEnded(end, now)).toBe(now >= end)
        expect([end - 1, end, end + 1].map((at) => hasEnded(end, at))).toEqual([false, true, true])
        expect(hasEnded(null, now)).toBe(false)
      }),
    )
  })

  it('is over if it, or the clock, is no number of seconds', () => {
    fc.assert(
      fc.property(second, noSeconds, (at, wrong) => {
        expect(hasEnded(at, wrong)).toBe(true)
        expect(hasEnded(wrong, at)).toBe(wrong !== null)
      }),
    )
  })

  it('is the earliest of all that apply [END-02]', () => {
    fc.assert(
      fc.property(second, fc.array(fc.option(second)), (first, others) => {
        const end = earliestEnd(first, ...others)
        expect([first, ...others]).toContain(end)
        for (const other of others) expect(other === null || end <= other).toBe(true)
        expect(end).toBeLessThanOrEqual(first)
      }),
    )
  })
})
