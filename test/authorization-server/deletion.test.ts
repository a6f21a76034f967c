import type { ClockMark } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { decideDeletion } from '../../src/authorization-server/deletion.js'
import { T } from '../support/school.js'

const HOUR = 3600
const DAY = 24 * HOUR
const TRUSTED: ClockMark = { trustedAt: T, leaptTo: null, steadySeconds: 0 }
const at = (now: number, mark: ClockMark | null = TRUSTED): ReturnType<typeof decideDeletion> =>
  decideDeletion({ mark, now })

/** Reads a clock at each of these times. Returns what the last reading means. */
function after(
  times: readonly number[],
  first: ClockMark | null = TRUSTED,
): ReturnType<typeof decideDeletion> {
  let mark = first
  for (const now of times.slice(0, -1)) mark = at(now, mark).mark
  return at(times.at(-1)!, mark)
}

const trusted = (now: number): object => ({
  mark: { trustedAt: now, leaptTo: null, steadySeconds: 0 },
  deletesBefore: now - 900,
  leapSeconds: null,
})

describe('decideDeletion', () => {
  it('deletes what expired a quarter of an hour ago, while the clock runs as expected', () => {
    for (const now of [T, T + 300, T + 900]) expect(at(now)).toEqual(trusted(now))
  })

  it('deletes nothing more after a leap, and tells of it once', () => {
    const leapt = { ...TRUSTED, leaptTo: T + 901 }
    expect(at(T + 901)).toEqual({ mark: leapt, deletesBefore: T - 900, leapSeconds: 901 })
    expect(at(T + 1201, leapt)).toEqual({
      mark: { ...TRUSTED, leaptTo: T + 1201, steadySeconds: 300 },
      deletesBefore: T - 900,
      leapSeconds: null,
    })
  })

  it('believes a clock that is set back, also after a leap', () => {
    for (const now of [T - 1, T - 400 * DAY]) expect(at(now)).toEqual(trusted(now))
    expect(after([T + 400 * DAY, T + 300])).toEqual(trusted(T + 300))
  })

  it('trusts a clock that ran for a day after a leap, at any pace up to 26 hours', () => {
    const month = T + 30 * DAY
    for (const pace of [300, HOUR, 10 * HOUR, DAY, 26 * HOUR]) {
      const times = Array.from({ length: Math.ceil(DAY / pace) + 1 }, (_, n) => month + n * pace)
      expect(after(times.slice(0, -1)).deletesBefore).toBe(T - 900)
      expect(after(times)).toEqual(trusted(times.at(-1)!))
    }
  })

  it('begins the day again where the clock leaps again or is set back', () => {
    for (const again of [26 * HOUR + 1, -61]) {
      const half = T + 30 * DAY + 12 * HOUR
      const { mark, deletesBefore } = after([half - 12 * HOUR, half, half + again])
      expect(mark).toEqual({ ...TRUSTED, leaptTo: half + again, steadySeconds: 0 })
      expect(deletesBefore).toBe(T - 900)
    }
  })

  it('takes clocks that differ by a minute for one', () => {
    const leapt = { ...TRUSTED, leaptTo: T + DAY, steadySeconds: HOUR }
    expect(at(T + DAY - 60, leapt).mark).toEqual(leapt)
  })

  it('deletes nothing before a clock was ever trusted, and tells of no leap', () => {
    const first = { trustedAt: 0, leaptTo: T, steadySeconds: 0 }
    expect(at(T, null)).toEqual({ mark: first, deletesBefore: null, leapSeconds: null })
    expect(after([T, T + 12 * HOUR, T + DAY], null)).toEqual(trusted(T + DAY))
  })
})
