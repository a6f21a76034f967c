import { describe, expect, it } from 'vitest'
import { createHourlyThrottle } from '../../src/authorization-server/throttle.js'
import { fixedClock } from '../../src/testing/clock.js'

describe('what is reported once an hour', () => {
  it('is reported again an hour later, and after the clock was set back by as much', () => {
    const { now, advance } = fixedClock(1_795_165_200)
    const isDue = createHourlyThrottle(now)
    expect([isDue('one'), isDue('one'), isDue('other')]).toEqual([true, false, true])
    advance(3599)
    expect(isDue('one')).toBe(false)
    advance(1)
    expect([isDue('one'), isDue('one')]).toEqual([true, false])
    advance(-3600)
    expect(isDue('one')).toBe(true)
  })

  it('is forgotten first if it was reported first, beyond a thousand keys', () => {
    const { now } = fixedClock(1_795_165_200)
    const isDue = createHourlyThrottle(now)
    for (let key = 0; key < 1000; key++) expect(isDue(`key ${key}`)).toBe(true)
    expect(isDue('key 0')).toBe(false)
    expect(isDue('one more')).toBe(true)
    expect([isDue('key 1'), isDue('key 999'), isDue('key 0')]).toEqual([false, false, true])
  })
})
