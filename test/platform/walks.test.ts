import { createMemoryStorage, type SiteStorage, type Store } from 'hallpass/store'
import { eventSample } from 'hallpass/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { platformOf } from './platform-of.js'

const START = 1_795_165_200
const WEEK = 7 * 86_400

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A platform over storages whose clock may be trusted. */
async function platformOn(storages: readonly SiteStorage[]) {
  for (const { ofAll } of storages)
    await ofAll.moveClock({ from: null, to: { trustedAt: START - WEEK, leap: null } })
  let time = START
  const world = platformOf([], {
    storages: storages as [SiteStorage],
    now: () => time,
    find: async () => null,
  })
  const pass = (seconds: number): void => {
    time += seconds
    vi.advanceTimersByTime(seconds * 1000)
  }
  return { ...world, pass }
}

const eventsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...eventSample(), id: `event_${index}` }))
const sitesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `https://s${String(index).padStart(4, '0')}.example`)

/** A storage with so many sites, each of which always has one more event. */
function endless(sites: readonly string[]): SiteStorage {
  const storage = createMemoryStorage()
  return {
    ...storage,
    listSites: async ({ after, limit }) => sites.filter((site) => site > after).slice(0, limit),
    storeOf: (site) =>
      Object.assign(storage.storeOf(site), { listEvents: async () => eventsOf(1) }) as Store,
  }
}

describe('the delivery of events', () => {
  it('reaches each school of many pages, in the order of their names', async () => {
    const storage = createMemoryStorage()
    const sites = sitesOf(250)
    for (const site of sites)
      await storage
        .storeOf(site)
        .moveClock({ from: null, to: { trustedAt: START, leap: null } }, eventsOf(1))
    const { platform } = await platformOn([storage])
    const got: string[] = []
    const done = await platform.deliverEvents(async (_, { site }) => void got.push(site))
    expect(done).toEqual({ delivered: 250, isComplete: true })
    expect(got).toEqual(sites)
  })

  it.each([
    ['in one page', 3],
    ['in many pages', 250],
  ])('ends although events are added as fast, of schools %s, and says so', async (_, count) => {
    const { platform } = await platformOn([endless(sitesOf(count))])
    const { delivered, isComplete } = await platform.deliverEvents(async () => {})
    expect(isComplete).toBe(false)
    expect(delivered).toBeGreaterThanOrEqual(2000)
    expect(delivered).toBeLessThan(2100)
  })

  it('goes on while a school on an earlier page has more', async () => {
    const storage = createMemoryStorage()
    for (const [index, site] of sitesOf(150).entries())
      await storage
        .storeOf(site)
        .moveClock(
          { from: null, to: { trustedAt: START, leap: null } },
          eventsOf(index === 0 ? 45 : 1),
        )
    const { platform } = await platformOn([storage])
    expect(await platform.deliverEvents(async () => {})).toEqual({
      delivered: 45 + 149,
      isComplete: true,
    })
  })

  it('goes on where it ended', async () => {
    const sites = sitesOf(4000)
    const { platform } = await platformOn([endless(sites)])
    const got: string[] = []
    for (let times = 0; times < 2; times++)
      await platform.deliverEvents(async (_, { site }) => void got.push(site))
    expect(got).toEqual(sites)
  })

  it('waits ten seconds for deliver, and keeps what it did not deliver', async () => {
    const storage = createMemoryStorage()
    const store = storage.storeOf('https://art.example')
    await store.moveClock({ from: null, to: { trustedAt: START, leap: null } }, eventsOf(1))
    const { platform, faults } = await platformOn([storage])
    const delivering = platform.deliverEvents(() => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(10_001)
    expect(await delivering).toEqual({ delivered: 0, isComplete: true })
    expect(faults).toMatchObject([{ at: 'deliver', host: 'art.example' }])
    expect(((faults[0]!.fault as Error).cause as Error).message).toBe(
      'deliver did not respond within 10000 ms',
    )
    expect(await store.listEvents({ limit: 2 })).toHaveLength(1)
  })
})

describe('the maintenance of several storages', () => {
  const withDue = (dueSince: number | null): SiteStorage => ({
    ...createMemoryStorage(),
    purge: async () => ({ rows: 1, dueSince }),
  })

  it('sums what it deleted, and names the longest wait', async () => {
    const { platform } = await platformOn([
      withDue(null),
      withDue(START - 2 * WEEK),
      withDue(START),
    ])
    const { purged, lagSeconds, deletesBefore, storages } = await platform.maintain()
    expect(storages).toBe(3)
    expect(purged).toBeGreaterThan(3)
    expect(lagSeconds).toBe(deletesBefore! - (START - 2 * WEEK))
  })

  it('has no lag if nothing is due that may be deleted', async () => {
    for (const dueSince of [null, START + WEEK]) {
      const { platform } = await platformOn([withDue(dueSince)])
      expect(await platform.maintain()).toMatchObject({ lagSeconds: 0 })
    }
  })

  it('names no time before which to delete while one may delete nothing', async () => {
    const storage = withDue(null)
    const { platform } = await platformOn([storage])
    const storages = [createMemoryStorage(), storage] as const
    expect((await platform.maintain()).deletesBefore).toBeLessThan(START - WEEK)
    const other = platformOf([], { storages, now: () => START }).platform
    expect(await other.maintain()).toMatchObject({
      storages: 1,
      lagSeconds: null,
      deletesBefore: null,
    })
    // The turn of a storage is that of one process.
    const third = platformOf([], { storages: [storage], now: () => START }).platform
    expect(await third.maintain()).toEqual({
      storages: 0,
      purged: 0,
      schools: 0,
      lagSeconds: null,
      deletesBefore: null,
    })
  })

  it('looks after keys for ten seconds, and goes on where it ended', async () => {
    const sites = sitesOf(250)
    const { platform, asked, pass } = await platformOn([endless(sites)])
    expect(await platform.maintain()).toMatchObject({ schools: 250 })
    expect(asked).toHaveLength(250)
    const slow = await platformOn([
      {
        ...endless(sites),
        async listSites({ after, limit }) {
          slow.pass(11)
          return sites.filter((site) => site > after).slice(0, limit)
        },
      },
    ])
    const schools = []
    for (let turn = 0; turn < 4; turn++) {
      schools.push((await slow.platform.maintain()).schools)
      slow.pass(300)
    }
    expect(schools).toEqual([100, 100, 50, 100])
    pass(1)
  })
})
