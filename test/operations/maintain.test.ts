import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
import { maintain, type Maintained } from 'hallpass/operations'
import { OptionsError } from 'hallpass'
import { type ClockMark, createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Purged } from '../../src/store/store.js'

const T = testSite().clock.now()

/**
 * A site that says how often it was purged, with a store that has something left so many times and a clock that
 * has been trusted.
 */
async function siteWithRows(times: number, onPurge: () => void = () => {}) {
  const purges: unknown[] = []
  const store = {
    ...createMemoryStore(),
    purge: async (purge: object): Promise<Purged> => {
      const round = purges.push(purge)
      onPurge()
      return round <= times
        ? { rows: 1000, dueSince: T - 5000 + round }
        : { rows: 7, dueSince: null }
    },
  }
  await store.moveClock({ from: null, to: TRUSTED })
  return { ...testSite({ store }), store, purges }
}

const TRUSTED: ClockMark = { trustedAt: T, leap: null }

const noKeys: KeyRing = {
  maintain: async () => {},
  jwks: async () => ({ keys: [] }),
  signer: async () => null,
  refreshSecrets: () => ['use at least 32 random characters here'],
}

describe('maintain', () => {
  it('moves the keys on and purges until nothing is due [F-47]', async () => {
    const { site, purges } = await siteWithRows(2)
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    expect(await maintain(site, { keys })).toEqual({
      deletesBefore: T - 3900,
      purged: 2007,
      lagSeconds: 0,
      dueSince: T - 3900,
    })
    expect((await keys.signer())?.kid).toEqual(expect.any(String))
    const purge = { now: T - 3900, limit: 100 }
    expect(purges).toEqual([purge, purge, purge])
  })

  it('deletes nothing on a new site until its clock has run for a day', async () => {
    const purges: unknown[] = []
    const purge = async (one: object): Promise<Purged> => {
      purges.push(one)
      return { rows: 0, dueSince: null }
    }
    const { site, clock, events } = testSite({ store: { ...createMemoryStore(), purge } })
    const deleted: unknown[] = []
    for (let hour = 0; hour < 25; hour++) {
      const maintained = await maintain(site, { keys: noKeys })
      const { deletesBefore, purged, lagSeconds, dueSince } = maintained
      deleted.push(deletesBefore)
      // Nothing was due before the site was first maintained.
      expect(dueSince).toBe(deletesBefore ?? T)
      expect([purged, lagSeconds]).toEqual([0, deletesBefore === null ? null : 0])
      clock.advance(3600)
    }
    expect(deleted).toEqual([...Array.from({ length: 24 }, () => null), T + 24 * 3600 - 3900])
    expect(purges).toEqual([{ now: T + 24 * 3600 - 3900, limit: 100 }])
    expect(events).toEqual([])
  })

  it('deletes nothing more, and says so once, when the clock has leapt', async () => {
    const { site, clock, events, purges } = await siteWithRows(0)
    clock.advance(400 * 86_400)
    for (const _ of [1, 2])
      expect(await maintain(site, { keys: noKeys })).toEqual({
        deletesBefore: T - 3900,
        purged: 7,
        lagSeconds: 0,
        dueSince: T - 3900,
      })
    expect(purges).toEqual([1, 2].map(() => ({ now: T - 3900, limit: 100 })))
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
    expect(await racing(2)).toEqual({
      deletesBefore: T - 3900,
      purged: 7,
      lagSeconds: 0,
      dueSince: T - 3900,
    })
    expect(await racing(3)).toEqual({
      deletesBefore: null,
      purged: 0,
      lagSeconds: null,
      dueSince: T - 3900,
    })
    expect((await site.store.findClock()).mark).toEqual(TRUSTED)
  })

  it('ends where there is always more to purge', async () => {
    const { site, purges } = await siteWithRows(Infinity)
    const { purged, lagSeconds } = await maintain(site, { keys: noKeys })
    expect(purges).toHaveLength(1000)
    expect([purged, lagSeconds]).toEqual([1_000_000, 100])
  })

  it.each([
    [{}, 10_000],
    [{ purgeSeconds: 2 }, 2000],
  ])('stops purging when its time is over, and says since when the oldest row is due: %j [F-47]', async (options, milliseconds) => {
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    onTestFinished(() => {
      started.mockRestore()
      cleared.mockRestore()
    })
    let passed = 0
    const { site, purges } = await siteWithRows(Infinity, () => {
      passed += 500
      const [expire, delay] = started.mock.calls.find(([, one]) => one === milliseconds)!
      if (passed === delay) expire()
    })
    const maintained = await maintain(site, { keys: noKeys, ...options })
    const rounds = milliseconds / 500
    expect(purges).toHaveLength(rounds)
    expect(maintained).toEqual({
      deletesBefore: T - 3900,
      purged: rounds * 1000,
      lagSeconds: 1100 - rounds,
      dueSince: T - 3900 - 1100 + rounds,
    })
    const call = started.mock.calls.findIndex(([, one]) => one === milliseconds)
    const timer: unknown = started.mock.results[call]!.value
    expect(cleared.mock.calls.some(([one]) => one === timer)).toBe(true)
  }) // prettier-ignore

  it.each([0, 3601, 1.5, '10'])('needs purgeSeconds from 1 to 3600: %j', async (purgeSeconds) => {
    const { site } = testSite()
    const options = { keys: noKeys, purgeSeconds } as never
    await expect(maintain(site, options)).rejects.toThrow(
      'purgeSeconds must be a whole number from 1 to 3600',
    )
  })

  it.each<[string, readonly number[], number]>([
    ['once', [999], 1],
    ['until fewer than asked for are due', [1000, 1000, 0], 3],
    ['twenty times at most', Array.from({ length: 30 }, () => 1000), 20],
  ])('deletes attempts whose last step was thirty days ago, %s [ATT-04]', async (_, due, calls) => {
    const asked: unknown[] = []
    const { store } = await siteWithRows(0)
    const attempts = { ...createMemoryAttempts(), purge: async (one: object) => due[asked.push(one) - 1]! } // prettier-ignore
    const { site, faults } = testSite({ store, watchers: [recordAttempts(attempts)] })
    expect(await maintain(site, { keys: noKeys })).toMatchObject({ purged: 7 })
    const purge = { before: T - 3900 - 30 * 86_400, limit: 1000 }
    expect(asked).toEqual(Array.from({ length: calls }, () => purge))
    expect(faults).toEqual([])
  })

  it('deletes the other rows if the storage of attempts fails, and reports that [ATT-07]', async () => {
    const { store } = await siteWithRows(0)
    const fault = new Error('away')
    const attempts = { ...createMemoryAttempts(), purge: () => Promise.reject(fault) }
    const { site, faults } = testSite({ store, watchers: [recordAttempts(attempts)] })
    expect(await maintain(site, { keys: noKeys })).toMatchObject({ purged: 7, lagSeconds: 0 })
    expect(faults).toMatchObject([{ endpoint: 'attempts', fault: { cause: fault } }])
  })

  it('reports nothing of a site that keeps no attempts', async () => {
    const { site, faults } = await siteWithRows(0)
    await maintain(site, { keys: noKeys })
    expect(faults).toEqual([])
  })

  it('needs a key ring', async () => {
    const { site } = testSite()
    await expect(maintain(site, { keys: {} as KeyRing })).rejects.toThrow(
      new OptionsError('maintain', [
        'keys lacks the function maintain, jwks, signer, refreshSecrets: createKeyRing(site, { sealingSecret })',
      ]),
    )
  })
})
