import { maintain, type Maintained, OptionsError } from 'hallpass'
import { type ClockMark, createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school.js'

/**
 * A site that says how often it was purged, with a store that has something to remove so many times and a
 * clock that has been trusted.
 */
async function siteWithRows(times: number) {
  const purges: unknown[] = []
  const store = {
    ...createMemoryStore(),
    purge: async (purge: object) => (purges.push(purge) <= times ? 1000 : 0),
  }
  await store.moveClock({ from: null, to: TRUSTED })
  return { ...testSite({ store }), store, purges }
}

const TRUSTED: ClockMark = { trustedAt: T, leap: null }

const noKeys: KeyRing = {
  maintain: async () => {},
  jwks: async () => ({ keys: [] }),
  signer: async () => null,
}

describe('maintain', () => {
  it('moves the keys on and purges until nothing is due', async () => {
    const { site, purges } = await siteWithRows(2)
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    expect(await maintain(site, { keys })).toEqual({ deletesBefore: T - 3900 })
    expect((await keys.signer())?.kid).toEqual(expect.any(String))
    const purge = { now: T - 3900, limit: 1000 }
    expect(purges).toEqual([purge, purge, purge])
  })

  it('deletes nothing on a new site until its clock has run for a day', async () => {
    const purges: unknown[] = []
    const purge = async (one: object): Promise<number> => {
      purges.push(one)
      return 0
    }
    const { site, clock, events } = testSite({ store: { ...createMemoryStore(), purge } })
    const deleted: unknown[] = []
    for (let hour = 0; hour < 25; hour++) {
      deleted.push((await maintain(site, { keys: noKeys })).deletesBefore)
      clock.advance(3600)
    }
    expect(deleted).toEqual([...Array.from({ length: 24 }, () => null), T + 24 * 3600 - 3900])
    expect(purges).toEqual([{ now: T + 24 * 3600 - 3900, limit: 1000 }])
    expect(events).toEqual([])
  })

  it('deletes nothing more, and says so once, when the clock has leapt', async () => {
    const { site, clock, events, purges } = await siteWithRows(0)
    clock.advance(400 * 86_400)
    for (const _ of [1, 2])
      expect(await maintain(site, { keys: noKeys })).toEqual({ deletesBefore: T - 3900 })
    expect(purges).toEqual([1, 2].map(() => ({ now: T - 3900, limit: 1000 })))
    expect(events).toEqual([
      { type: 'oauth.clock.leapt', at: clock.now(), leapSeconds: 400 * 86_400 },
    ])
  })

  it('keeps one mark where several processes move it, and leaves the deletion to another in the end', async () => {
    const { store, site } = await siteWithRows(0)
    const racing = (times: number): Promise<Maintained> => {
      let lost = 0
      const moveClock: typeof store.moveClock = async (move) =>
        lost++ < times ? 'conflict' : store.moveClock(move)
      const other = testSite({ store: { ...store, moveClock } }).site
      return maintain(other, { keys: noKeys })
    }
    expect(await racing(2)).toEqual({ deletesBefore: T - 3900 })
    expect(await racing(3)).toEqual({ deletesBefore: null })
    expect((await site.store.findClock()).mark).toEqual(TRUSTED)
  })

  it('ends where there is always more to purge', async () => {
    const { site, purges } = await siteWithRows(Infinity)
    await maintain(site, { keys: noKeys })
    expect(purges).toHaveLength(1000)
  })

  it('needs a key ring', async () => {
    const { site } = testSite()
    await expect(maintain(site, { keys: {} as KeyRing })).rejects.toThrow(
      new OptionsError('maintain', [
        'keys lacks the function maintain, jwks, signer: createKeyRing(site, { sealingSecret })',
      ]),
    )
  })
})
