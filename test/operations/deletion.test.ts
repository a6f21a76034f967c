import type { ClockMark } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { decideDeletion, dueSinceOf } from '../../src/operations/deletion.js'
import { T } from '../support/school/school.js'

const HOUR = 3600
const DAY = 24 * HOUR
const SLACK = 3900
const TRUSTED: ClockMark = { trustedAt: T, leap: null }

type Decided = ReturnType<typeof decideDeletion>
const at = (now: number, mark: ClockMark | null = TRUSTED): Decided => decideDeletion({ mark, now })

/** Reads a clock at each of these times. Returns what the last reading means. */
function after(times: readonly number[], first: ClockMark | null = TRUSTED): Decided {
  let mark = first
  for (const now of times.slice(0, -1)) mark = at(now, mark).mark
  return at(times.at(-1)!, mark)
}
const every = (pace: number, from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * pace)

const trusted = (now: number): Decided => ({
  mark: { trustedAt: now, leap: null },
  deletesBefore: now - SLACK,
  leapSeconds: null,
})
const waiting = (leap: ClockMark['leap'], trustedAt = T): Decided => ({
  mark: { trustedAt, leap },
  deletesBefore: trustedAt - SLACK,
  leapSeconds: null,
})

describe('decideDeletion', () => {
  it('deletes what expired 65 minutes ago, while the clock runs as expected', () => {
    for (const now of [T, T + 300, T + SLACK]) expect(at(now)).toEqual(trusted(now))
  })

  it('deletes nothing more after a leap, and tells of it once', () => {
    const from = T + SLACK + 1
    const leap = { from, to: from, steadySeconds: 0 }
    expect(at(from)).toEqual({ ...waiting(leap), leapSeconds: SLACK + 1 })
    expect(after([from, from + 300])).toEqual(waiting({ from, to: from + 300, steadySeconds: 300 }))
  })

  it('believes a clock that is set back, also after a leap', () => {
    for (const now of [T - 1, T - 400 * DAY]) expect(at(now)).toEqual(trusted(now))
    expect(after([T + 400 * DAY, T + 300])).toEqual(trusted(T + 300))
  })

  it('trusts a clock that ran for a day after a leap', () => {
    const month = T + 30 * DAY
    for (const pace of [300, HOUR, SLACK]) {
      const times = every(pace, month, Math.ceil(DAY / pace) + 1)
      expect(after(times.slice(0, -1)).deletesBefore).toBe(T - SLACK)
      expect(after(times)).toEqual(trusted(times.at(-1)!))
    }
  })

  it('trusts the beginning of a day with pauses, of which each counts as 65 minutes', () => {
    const month = T + 30 * DAY
    for (const pace of [SLACK + 1, 10 * HOUR, DAY, 30 * DAY]) {
      const times = every(pace, month, 24)
      expect(after(times.slice(0, -1)).deletesBefore).toBe(T - SLACK)
      const last = times.at(-1)!
      const leap = { from: last, to: last, steadySeconds: 0 }
      expect(after(times)).toEqual(waiting(leap, month))
    }
  })

  it('begins the day again where the clock is set back, however far it had come', () => {
    const month = T + 30 * DAY
    const back = month + DAY - 300 - 61
    expect(after([...every(300, month, 288), back])).toEqual(
      waiting({ from: back, to: back, steadySeconds: 0 }),
    )
  })

  it('takes clocks that differ by a minute for one', () => {
    const leap = { from: T + DAY, to: T + 2 * DAY, steadySeconds: HOUR }
    expect(at(leap.to - 60, { ...TRUSTED, leap })).toEqual(waiting(leap))
  })

  it('deletes nothing before a clock was ever trusted, and tells of no leap', () => {
    const leap = { from: T, to: T, steadySeconds: 0 }
    expect(at(T, null)).toEqual({ ...waiting(leap, 0), deletesBefore: null })
    expect(after(every(300, T, 289), null)).toEqual(trusted(T + DAY))
  })
})

it.each([
  ['a store that no maintenance has marked', null, null],
  ['a mark without a time that is trusted', { trustedAt: 0, leap: null }, null],
  ['a first maintenance', { trustedAt: 0, leap: { from: T, to: T + 60, steadySeconds: 60 } }, T],
  ['a trusted time', { trustedAt: T, leap: null }, T - SLACK],
  [
    'a leap after that',
    { trustedAt: T, leap: { from: T + 9, to: T + 9, steadySeconds: 0 } },
    T - SLACK,
  ],
] as const)('with %s, rows are due since %o', (_, mark, dueSince) => {
  expect(dueSinceOf(mark)).toBe(dueSince)
})
