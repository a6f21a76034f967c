import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { earliestEnd, hasEnded } from '../../src/policy/end.js'

const second = fc.integer({ min: 0, max: 2 ** 40 })

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
