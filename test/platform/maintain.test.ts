import { createMemoryBudget } from 'hallpass/operations'
import { createMemoryStorage, type SiteStorage, type Store } from 'hallpass/store'
import { eventSample } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { createServer, defineSite } from 'hallpass'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { platformOf } from './platform-of.js'

const DAY = 86_400
const START = 1_795_165_200

/** Platforms over one storage, as processes are, with one clock. */
function processesOf(
  storage: SiteStorage,
  hosts: readonly string[],
  { processes = 1, ...more }: { processes?: number } & Parameters<typeof platformOf>[1] = {},
) {
  let time = START
  const now = (): number => time
  const all = Array.from({ length: processes }, () =>
    platformOf(hosts, {
      storages: [storage],
      now,
      open: ({ name }, given) => {
        const page = (): Response => new Response()
        const site = defineSite({
          ...given.site,
          name,
          scopes: schoolScopes,
          roles: schoolRoles,
          findPerson: async () => null,
          now,
        })
        const interact = {
          currentPerson: async () => null,
          signIn: page,
          consent: page,
          error: page,
        }
        return createServer(site, { ...given.server, interact })
      },
      ...more,
    }),
  )
  return {
    all,
    now,
    advance: (seconds: number): void => {
      time += seconds
    },
  }
}

/** Runs the clock for a day in steps that are trusted. */
async function steadyDay(
  platform: { maintain: () => Promise<unknown> },
  advance: (seconds: number) => void,
): Promise<void> {
  for (let step = 0; step < 26; step++) {
    await platform.maintain()
    advance(3600)
  }
}

describe('the maintenance of all schools', () => {
  it('is done by one process in each turn, whichever asks first', async () => {
    const storage = createMemoryStorage()
    const { all, advance } = processesOf(storage, [], { processes: 4 })
    for (let turn = 0; turn < 20; turn++) {
      const done = await Promise.all(all.map(async ({ platform }) => platform.maintain()))
      expect(done.map(({ storages }) => storages).toSorted((one, other) => one - other)).toEqual([
        0, 0, 0, 1,
      ])
      advance(300)
    }
  })

  it('goes on when the process that had the turn is gone', async () => {
    const storage = createMemoryStorage()
    const { all, advance } = processesOf(storage, [], { processes: 2 })
    expect((await all[0]!.platform.maintain()).storages).toBe(1)
    expect((await all[1]!.platform.maintain()).storages).toBe(0)
    advance(300)
    expect((await all[1]!.platform.maintain()).storages).toBe(1)
  })

  it('deletes what is due of each school, once the clock has run for a day, and opens none', async () => {
    const storage = createMemoryStorage()
    const hosts = ['art.example', 'music.example', 'dance.example']
    const { all, now, advance } = processesOf(storage, hosts)
    const [{ platform, opened }] = all as [(typeof all)[number]]
    const keep = (host: string, until: number) =>
      storage.storeOf(`https://${host}`).useOnce({ key: 'proof', until })
    for (const host of hosts) await keep(host, now() + 60)
    advance(2 * 3600)
    expect(await platform.maintain()).toMatchObject({ purged: 0, lagSeconds: null })
    await steadyDay(platform, advance)
    for (const host of hosts) expect(await keep(host, now())).toBe('first')
    expect(await keep('art.example', now() + DAY)).toBe('again')
    expect(opened).toEqual([])
  })

  it('moves the keys that are due of schools that no one asks, past one that fails', async () => {
    const storage = createMemoryStorage()
    const hosts = ['art.example', 'broken.example', 'music.example', 'young.example']
    const { all, advance, now } = processesOf(storage, hosts)
    const [{ platform, rows, faults, get }] = all as [(typeof all)[number]]
    for (const host of hosts.slice(0, 3)) await get(`https://${host}/.well-known/jwks.json`)
    rows.set('broken.example', { issuer: 'https://other.example', name: 'x', revision: 2 })
    platform.changed('broken.example')
    await steadyDay(platform, advance)
    advance(88 * DAY)
    await get('https://young.example/.well-known/jwks.json')
    const activeOf = async (host: string) =>
      (await storage.storeOf(`https://${host}`).listKeys()).find(({ state }) => state === 'active')
        ?.kid
    const before = await Promise.all(hosts.map(activeOf))
    let most = 0
    for (let turn = 0; turn < 500; turn++) {
      most = Math.max(most, (await platform.maintain()).schools)
      advance(300)
    }
    const after = await Promise.all(hosts.map(activeOf))
    expect(after.map((kid, index) => kid === before[index])).toEqual([false, true, false, true])
    expect([most, now() > START]).toEqual([3, true])
    expect(new Set(faults.map(({ at, host }) => `${at} ${host}`))).toEqual(
      new Set(['maintain broken.example', 'maintain null']),
    )
  })

  it('seals every key again while there is a previous secret, after which the old one is not needed', async () => {
    const storage = createMemoryStorage()
    const hosts = Array.from({ length: 120 }, (_, index) => `s${index}.example`)
    const old = processesOf(storage, hosts)
    for (const { get } of old.all)
      for (const host of hosts.slice(0, 15)) await get(`https://${host}/.well-known/jwks.json`)
    const sealedBy = async (secret: string, more = {}) => {
      const { all } = processesOf(storage, hosts, { secret, ...more })
      return all[0]!
    }
    const next = 'another secret of at least 32 characters'
    const wrong = await sealedBy(next)
    const signer = async ({ platform }: typeof wrong, host: string) =>
      (await platform.serverOf(host))!.keys.signer()
    await expect(signer(wrong, 's1.example')).rejects.toThrow('sealingSecret')
    const moving = await sealedBy(next, {
      previousSecrets: ['use at least 32 random characters here'],
    })
    expect(await moving.platform.maintain()).toMatchObject({ schools: 15 })
    const after = await sealedBy(next)
    for (const host of hosts.slice(0, 15)) expect(await signer(after, host)).not.toBeNull()
  })

  it('does nothing while the clock of the process is wrong, and says so', async () => {
    const storage = createMemoryStorage()
    const ofAll = {
      ...storage.ofAll,
      findClock: async () => ({ now: START - 3600, mark: null }),
    }
    const { all } = processesOf({ ...storage, ofAll }, [])
    const [{ platform, faults }] = all as [(typeof all)[number]]
    expect(await platform.maintain()).toEqual({
      storages: 1,
      purged: 0,
      schools: 0,
      lagSeconds: null,
      deletesBefore: null,
    })
    expect(faults).toMatchObject([{ at: 'maintain', host: null }])
    expect((faults[0]!.fault as Error).message).toContain('differs')
  })

  it('goes on with the other storages while one is down, and says so', async () => {
    const down = createMemoryStorage()
    const findClock = (): Promise<never> => Promise.reject(new Error('no database'))
    const broken = { ...down, ofAll: { ...down.ofAll, findClock } }
    const { all } = processesOf(broken, [], { storages: [broken, createMemoryStorage()] })
    const [{ platform, faults }] = all as [(typeof all)[number]]
    expect(await platform.maintain()).toMatchObject({ storages: 1 })
    expect(faults).toMatchObject([{ at: 'maintain', host: null }])
    const fresh = createMemoryStorage()
    const alone = processesOf({ ...fresh, ofAll: { ...fresh.ofAll, findClock } }, []).all[0]!
    await expect(alone.platform.maintain()).rejects.toThrow('findClock')
    const listSites = (): Promise<never> => Promise.reject(new Error('no database'))
    const deaf = platformOf([], { storages: [{ ...down, listSites }, createMemoryStorage()] })
    expect(await deaf.platform.deliverEvents(async () => {})).toEqual({
      delivered: 0,
      isComplete: false,
    })
    expect(deaf.faults).toMatchObject([{ at: 'deliver', host: null }])
  })

  it('of a key that opens at one school opens at no other', async () => {
    const storage = createMemoryStorage()
    const { all } = processesOf(storage, ['art.example', 'music.example'])
    const [{ platform, get }] = all as [(typeof all)[number]]
    await get('https://art.example/.well-known/jwks.json')
    const [key] = await storage.storeOf('https://art.example').listKeys()
    await storage.storeOf('https://music.example').insertKey(key!)
    const music = await platform.serverOf('music.example')
    await expect(music!.keys.signer()).rejects.toThrow('sealingSecret')
  })
})

describe('the delivery of the events of all schools', () => {
  const eventsOf = async (store: Store, host: string, count: number): Promise<void> => {
    const events = Array.from({ length: count }, (_, index) => ({
      ...eventSample(),
      id: `event_${host}_${index}`,
    }))
    await store.moveClock({ from: null, to: { trustedAt: START, leap: null } }, events)
  }

  it('is in the order of each school, and lets one with many hold up no other', async () => {
    const storage = createMemoryStorage()
    const few = Array.from({ length: 50 }, (_, index) => `s${index}.example`)
    await eventsOf(storage.storeOf('https://big.example'), 'big', 500)
    for (const host of few) await eventsOf(storage.storeOf(`https://${host}`), host, 2)
    const { all } = processesOf(storage, [])
    const got = new Map<string, string[]>()
    let calls = 0
    const lastFew: number[] = []
    const { delivered, isComplete } = await all[0]!.platform.deliverEvents(
      async (events, { site }) => {
        calls += 1
        got.set(site, [...(got.get(site) ?? []), ...events.map(({ id }) => id)])
        if (site !== 'https://big.example') lastFew.push(calls)
      },
    )
    expect([delivered, isComplete]).toEqual([600, true])
    expect(Math.max(...lastFew)).toBeLessThanOrEqual(51)
    expect(got.get('https://big.example')).toEqual(
      Array.from({ length: 500 }, (_, index) => `event_big_${index}`),
    )
    expect(await all[0]!.platform.deliverEvents(async () => {})).toEqual({
      delivered: 0,
      isComplete: true,
    })
  })

  it('keeps the events of a school whose delivery fails, and delivers those of others', async () => {
    const storage = createMemoryStorage()
    for (const host of ['a', 'b', 'c'])
      await eventsOf(storage.storeOf(`https://${host}.example`), host, 3)
    const { all } = processesOf(storage, [])
    const [{ platform, faults }] = all as [(typeof all)[number]]
    const deliver = async (_: unknown, { site }: { site: string }) => {
      if (site === 'https://b.example') throw new Error('the log is full')
    }
    expect(await platform.deliverEvents(deliver)).toMatchObject({ delivered: 6 })
    expect(faults[0]).toMatchObject({ at: 'deliver', host: 'b.example' })
    expect(await platform.deliverEvents(async () => {})).toMatchObject({ delivered: 3 })
  })

  it('is done by one process for a minute, and by another when that one is gone', async () => {
    const storage = createMemoryStorage()
    const { all, advance } = processesOf(storage, [], { processes: 2 })
    const [first, second] = all
    await eventsOf(storage.storeOf('https://a.example'), 'a', 1)
    const deliver = async (): Promise<void> => {}
    expect(await first!.platform.deliverEvents(deliver)).toMatchObject({ delivered: 1 })
    const store = storage.storeOf('https://b.example')
    await eventsOf(store, 'b', 1)
    expect(await second!.platform.deliverEvents(deliver)).toMatchObject({ delivered: 0 })
    advance(60)
    expect(await second!.platform.deliverEvents(deliver)).toMatchObject({ delivered: 1 })
  })

  it('needs a function', async () => {
    const { platform } = platformOf([], { budget: createMemoryBudget() })
    await expect(platform.deliverEvents({} as never)).rejects.toThrow('deliver must be a function')
  })
})
