import { describe, expect, it } from 'vitest'
import { createPace, type Pace } from '../../src/authorization-server/pace.js'
import { T } from '../support/school.js'

const again = (pace: Pace, key: string, now: number, count: number): readonly boolean[] =>
  Array.from({ length: count }, () => pace(key, now))

describe('createPace', () => {
  it('lets something happen so often in any window, not in any minute of the clock', () => {
    const pace = createPace({ times: 2, windowSeconds: 60 })
    const answers = [0, 59, 59, 60, 61, 118, 119, 120].map((second) => pace('a', T + second))
    expect(answers).toEqual([true, true, false, true, false, false, true, true])
  })

  it('counts each key for itself', () => {
    const pace = createPace({ times: 2, windowSeconds: 60 })
    expect(again(pace, 'a', T, 3)).toEqual([true, true, false])
    expect(again(pace, '__proto__', T, 3)).toEqual([true, true, false])
    expect(again(pace, 'constructor', T, 3)).toEqual([true, true, false])
  })

  it('does not count what it refused', () => {
    const pace = createPace({ times: 1, windowSeconds: 60 })
    pace('a', T)
    for (let second = 0; second < 60; second++) expect(pace('a', T + second)).toBe(false)
    expect(pace('a', T + 60)).toBe(true)
  })

  it('remembers a thousand keys and forgets those first that were not asked about for longest', () => {
    const pace = createPace({ times: 1, windowSeconds: 60 })
    for (let key = 0; key < 1000; key++) pace(`${key}`, T)
    expect(pace('0', T)).toBe(false)
    pace('one more', T)
    // Asked about a moment ago, if in vain.
    expect(pace('0', T)).toBe(false)
    expect(pace('2', T)).toBe(false)
    expect(pace('1', T)).toBe(true)
  })
})
