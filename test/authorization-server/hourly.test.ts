import { describe, expect, it } from 'vitest'
import { createHourly } from '../../src/authorization-server/hourly.js'
import { fixedClock } from '../../src/testing/clock.js'

describe('what is reported once an hour', () => {
  it('is reported again an hour later, and after the clock was set back by as much', () => {
    const { now, advance } = fixedClock(1_795_165_200)
    const isNews = createHourly(now)
    expect([isNews('one'), isNews('one'), isNews('other')]).toEqual([true, false, true])
    advance(3599)
    expect(isNews('one')).toBe(false)
    advance(1)
    expect([isNews('one'), isNews('one')]).toEqual([true, false])
    advance(-3600)
    expect(isNews('one')).toBe(true)
  })

  it('is forgotten first if it was reported first, beyond a thousand keys', () => {
    const { now } = fixedClock(1_795_165_200)
    const isNews = createHourly(now)
    for (let key = 0; key < 1000; key++) expect(isNews(`key ${key}`)).toBe(true)
    expect(isNews('key 0')).toBe(false)
    expect(isNews('one more')).toBe(true)
    expect([isNews('key 1'), isNews('key 999'), isNews('key 0')]).toEqual([false, false, true])
  })
})
