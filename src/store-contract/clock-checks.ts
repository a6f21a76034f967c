import type { StoreWith } from '../store/groups.js'
import type { ClockMark } from '../store/records.js'
import { type Promised, race, same, tally } from './check.js'
import { hash, pendingSample, T } from './samples.js'

const DAY = 86_400
const MARK: ClockMark = { trustedAt: T, leap: null }
const LEAP = { from: T + 9000, to: T + 9300, steadySeconds: 300 }
const LEAPT: ClockMark = { trustedAt: T, leap: LEAP }

/** The checks of the clock by which rows are deleted. */
export const clockChecks: readonly Promised<StoreWith<'clock'>>[] = [
  {
    name: 'returns the mark of the clock with every field as it was stored, at its own site only',
    async check(store, other) {
      const markOf = async (): Promise<ClockMark | null> => (await store.findClock()).mark
      same(await markOf(), null, 'the mark at first')
      same(await store.moveClock({ from: null, to: MARK }), 'moved', 'the first mark')
      same(await markOf(), MARK, 'the mark')
      same(await store.moveClock({ from: MARK, to: LEAPT }), 'moved', 'the second mark')
      same(await markOf(), LEAPT, 'the mark after a leap')
      same((await other.findClock()).mark, null, 'the mark of another site')
    },
  },
  {
    name: 'moves the mark of the clock only from the mark that is stored',
    async check(store) {
      same(await store.moveClock({ from: MARK, to: LEAPT }), 'conflict', 'a mark that is not there')
      await store.moveClock({ from: null, to: LEAPT })
      same(await store.moveClock({ from: null, to: MARK }), 'conflict', 'a second first mark')
      const others: readonly ClockMark[] = [
        { ...LEAPT, trustedAt: T - 1 },
        { ...LEAPT, leap: null },
        { ...LEAPT, leap: { ...LEAP, from: T + 9001 } },
        { ...LEAPT, leap: { ...LEAP, to: T + 9301 } },
        { ...LEAPT, leap: { ...LEAP, steadySeconds: 0 } },
      ]
      for (const from of others)
        same(await store.moveClock({ from, to: MARK }), 'conflict', JSON.stringify(from))
      same((await store.findClock()).mark, LEAPT, 'the mark')
    },
  },
  {
    name: 'moves the mark of the clock once when several callers try at the same time',
    isRace: true,
    async check(store) {
      const to = (index: number): ClockMark => ({ ...MARK, trustedAt: T + index })
      const first = await race(10, (index) => store.moveClock({ from: null, to: to(index) }))
      same(tally(first), { conflict: 9, moved: 1 }, 'outcomes of the first')
      const from = (await store.findClock()).mark
      const next = await race(10, (index) => store.moveClock({ from, to: to(100 + index) }))
      same(tally(next), { conflict: 9, moved: 1 }, 'outcomes of the next')
    },
  },
  {
    name: 'reads a clock of its own if it declares one',
    async check(store) {
      const { now } = await store.findClock()
      if (store.guarantees.clock === 'own') same(typeof now, 'number', 'the type of now')
    },
  },
  {
    name: 'purges nothing that is live by a clock of its own, whatever time the caller has',
    async check(store) {
      const { now } = await store.findClock()
      if (now === null) return
      const [due, live] = [hash('due'), hash('live')]
      await store.savePending(pendingSample({ idHash: due, expiresAt: now - DAY }))
      await store.savePending(pendingSample({ idHash: live, expiresAt: now - 30 }))
      same((await store.purge({ now: now + 400 * DAY, limit: 100 })).rows, 1, 'purge')
      same(await store.findPending(due), null, 'what expired a day ago')
      same((await store.findPending(live)) !== null, true, 'what expired within the last minute')
    },
  },
]
