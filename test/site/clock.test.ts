import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'

/** A site whose store has a clock that the test moves, like the clock of the process. */
function siteOfTwoClocks() {
  const clocks = { process: T, store: T as number | null }
  let reads = 0
  const memory = createMemoryStore()
  const findClock: Store['findClock'] = async () => {
    reads++
    return { ...(await memory.findClock()), now: clocks.store }
  }
  const { site, events } = testSite({
    store: { ...memory, findClock },
    now: () => clocks.process,
  })
  return { clock: site.clock, clocks, events, reads: () => reads }
}

describe('the clock of a process', () => {
  it.each([
    [0, true],
    [60, true],
    [-60, true],
    [61, false],
    [-61, false],
  ])('that is %i seconds ahead of the store’s agrees with it: %s', async (skew, agrees) => {
    const { clock, clocks } = siteOfTwoClocks()
    clocks.process = T + skew
    expect(await clock.skewSeconds()).toBe(skew)
    expect(await clock.agrees()).toBe(agrees)
    if (agrees) await clock.assertAgrees()
    else
      await expect(clock.assertAgrees()).rejects.toThrow(
        `the clock of this process is 61 seconds ${skew > 0 ? 'ahead of' : 'behind'} that of the store: nothing is issued until they agree`,
      )
  })

  it('agrees with a store that has none', async () => {
    const { clock, clocks, events } = siteOfTwoClocks()
    clocks.store = null
    clocks.process = T + 1e9
    expect((await clock.compare()).skewSeconds).toBeNull()
    await clock.assertAgrees()
    expect(await clock.latest()).toBe(T + 1e9)
    expect(events).toEqual([])
  })

  it('is compared once a minute, and once for many callers', async () => {
    const { clock, clocks, reads } = siteOfTwoClocks()
    await Promise.all([clock.agrees(), clock.assertAgrees(), clock.latest()])
    clocks.process = T + 59
    await clock.agrees()
    expect(reads()).toBe(1)
    clocks.process = T + 60
    await clock.agrees()
    expect(reads()).toBe(2)
  })

  it.each([61, 660, 400 * 86_400, -1, -660])(
    'is compared at once when it has jumped by %i seconds',
    async (jump) => {
      const { clock, clocks, reads } = siteOfTwoClocks()
      await clock.agrees()
      clocks.process = T + jump
      expect(await clock.agrees()).toBe(jump === -1)
      expect(reads()).toBe(2)
    },
  )

  it('tells of each comparison that finds a skew, and of the first that does not', async () => {
    const { clock, clocks, events } = siteOfTwoClocks()
    for (const process of [T, T + 61, T + 62, T, T]) {
      clocks.process = process
      await clock.compare()
    }
    expect(events).toEqual([
      { type: 'oauth.clock.skewed', at: T + 61, skewSeconds: 61 },
      { type: 'oauth.clock.skewed', at: T + 62, skewSeconds: 62 },
      { type: 'oauth.clock.corrected', at: T, skewSeconds: 0 },
    ])
  })

  it('takes a slow store for no skew', async () => {
    const clocks = { now: T }
    const memory = createMemoryStore()
    const findClock: Store['findClock'] = async () => {
      clocks.now += 40
      const read = clocks.now
      clocks.now += 500
      return { now: read, mark: null }
    }
    const { site } = testSite({ store: { ...memory, findClock }, now: () => clocks.now })
    expect(await site.clock.skewSeconds()).toBe(0)
  })

  it('gives way to that of the store where it is behind, and not where it is ahead', async () => {
    const { clock, clocks } = siteOfTwoClocks()
    clocks.process = T - 90
    expect(await clock.latest()).toBe(T)
    clocks.process = T + 90
    expect(await clock.latest()).toBe(T + 90)
  })

  it('is compared again after a store that failed', async () => {
    let down = true
    const memory = createMemoryStore()
    const findClock: Store['findClock'] = async () => {
      if (down) throw new Error('store is down')
      return { now: T, mark: null }
    }
    const { site } = testSite({ store: { ...memory, findClock }, now: () => T })
    await expect(site.clock.assertAgrees()).rejects.toThrow('the storage failed')
    down = false
    await site.clock.assertAgrees()
  })
})
