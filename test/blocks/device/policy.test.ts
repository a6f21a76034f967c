import fc from 'fast-check'
import { decideUserCode } from 'hallpass/blocks'
import { createMemoryBudget } from 'hallpass/operations'
import { describe, expect, it } from 'vitest'
import {
  isPollTooFast,
  newDeviceCode,
  POLL_ALLOWANCE,
  POLL_SECONDS,
  shownUserCode,
  userCodeOf,
} from '../../../src/policy/device-authorization.js'
import { NETWORK_ALLOWANCE, PERSON_ALLOWANCE } from '../../../src/blocks/device-page.js'
import { T } from '../../support/school/school.js'

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const random = fc.string({
  unit: fc.constantFrom(...'ABCDEFabcdef0123456789-_'),
  minLength: 43,
  maxLength: 43,
})

describe('a user code', () => {
  it('has eight of twenty letters, none of them a vowel, and follows from its device code [DEV-22]', () => {
    fc.assert(
      fc.property(random, (text) => {
        const deviceCode = newDeviceCode(text, T)
        const userCode = userCodeOf(deviceCode)
        expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
        expect(userCodeOf(deviceCode)).toBe(userCode)
        expect(shownUserCode(userCode)).toBe(`${userCode.slice(0, 4)}-${userCode.slice(4)}`)
      }),
    )
  })

  it('has each letter as often as any other', () => {
    const counts = new Map([...LETTERS].map((letter) => [letter, 0]))
    const codes = 4000
    for (let index = 0; index < codes; index++)
      for (const letter of userCodeOf(newDeviceCode(`${index}`.padStart(43, '0'), T)))
        counts.set(letter, counts.get(letter)! + 1)
    const expected = (codes * 8) / LETTERS.length
    // Six standard deviations.
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected))
  })

  it.each([
    ['WDJB-MJHT'],
    ['wdjbmjht'],
    ['  wdjb  mjht '],
    ['WDJB–MJHT'],
    ['W.D.J.B−M_J_H_T'],
    ['ＷＤＪＢ－ＭＪＨＴ'],
    ['WDJBーMJHT'],
    ['wdjb\u200bmjht'],
  ])('is read as it was meant: %s [DEV-23]', (entered) => {
    expect(decideUserCode(entered)).toEqual({ ok: true, userCode: 'WDJBMJHT' })
  })

  it.each([
    ['8CDF-6H1K', 'BCDFGHLK'],
    ['5ZBB-2ZBB', 'SZBBZZBB'],
    ['O0Q7-UYI1', 'QDQTVVLL'],
  ])(
    'counts a character of no code as the letter that it looks like: %s [DEV-23]',
    (entered, userCode) => {
      expect(decideUserCode(entered)).toEqual({ ok: true, userCode })
    },
  )

  it('is refused if it cannot be one, and its length is bounded', () => {
    for (const entered of ['', 'WDJB', 'WDJB-MJHTX', 'WDJB-MJHA', 'ÄDJB-MJHT', 'W'.repeat(1e6)])
      expect(decideUserCode(entered)).toMatchObject({
        ok: false,
        error: 'invalid_request',
        reason: 'user_code_malformed',
      })
  })

  it('is guessed with a probability of less than 2^-20, by any person and from any network [DEV-15]', async () => {
    // The longest life of a code: the most that `interactionSeconds` may be.
    const life = 3600
    const budget = createMemoryBudget()
    async function mostOf(allowance: { amount: number; seconds: number }): Promise<number> {
      let entered = 0
      for (let now = T; now < T + life; now++)
        while (
          (
            await budget.spend({
              site: 'school.example',
              budget: 'userCodesOfPerson',
              spender: `${allowance.amount}`,
              cost: 1,
              allowance,
              now,
            })
          ).ok
        )
          entered++
      return entered
    }
    const codes = LETTERS.length ** 8
    const ofPerson = await mostOf(PERSON_ALLOWANCE)
    // The wider network of an IPv6 address has twice the allowance.
    const ofNetwork = await mostOf({ ...NETWORK_ALLOWANCE, amount: 2 * NETWORK_ALLOWANCE.amount })
    expect(ofPerson).toBeGreaterThan(0)
    expect(ofPerson / codes).toBeLessThan(2 ** -20)
    expect(ofNetwork / codes).toBeLessThan(2 ** -20)
  })
})

describe('the pace of polls', () => {
  async function told(gaps: readonly number[]): Promise<readonly boolean[]> {
    const budget = createMemoryBudget()
    let now = T
    const all: boolean[] = []
    for (const gap of [0, ...gaps]) {
      now += gap
      const expense = { site: 'school.example', budget: 'pollsOfDevice', spender: 'one', cost: POLL_SECONDS, allowance: POLL_ALLOWANCE, now } as const // prettier-ignore
      all.push(isPollTooFast(await budget.spend(expense)))
    }
    return all
  }

  it('lets a device ask every five seconds, and once a second earlier', async () => {
    expect(await told([5, 5, 4, 6, 5])).toEqual([false, false, false, false, false, false])
    expect(await told([3])).toEqual([false, true])
    expect(await told([4, 4])).toEqual([false, false, true])
  })

  it('never slows down a device that adds five seconds each time it is told to [DEV-13]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 8 }),
        async (early) => {
          const first = await told(early)
          const slowed = first.filter((one) => one).length
          const interval = 5 + 5 * slowed
          const after = await told([...early, ...Array.from({ length: 5 }, () => interval)])
          expect(after.slice(early.length + 1)).toEqual([false, false, false, false, false])
        },
      ),
    )
  })

  it('makes one that is told so and does not obey wait for longer each time, up to a minute [DEV-13]', async () => {
    // Five seconds for each of three polls, of which two have passed: thirteen, less one of leeway.
    expect(await told([1, 1, 11])).toEqual([false, true, true, true])
    expect(await told([1, 1, 12])).toEqual([false, true, true, false])
    const many = Array.from({ length: 50 }, () => 0)
    expect((await told([...many, 58])).at(-1)).toBe(true)
    expect((await told([...many, 60])).at(-1)).toBe(false)
  })
})
