import { endSchool, moveSchool } from 'hallpass/platform'
import { createMemoryStorage, type SiteStorage, StorageFailure } from 'hallpass/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardSiteStorage } from '../../src/store/guard-site-storage.js'
import { platformOf, rowOf } from './platform-of.js'

const ISSUER = 'https://art.example'
const START = 1_795_165_200
const HOUR = 3600

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const FORMS: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a number': () => 7,
  'a text': () => 'text',
  'a list': () => [],
  'an object': () => ({}),
  'a promise that never ends': () => new Promise(() => {}),
  'a promise of nothing': async () => {},
  'an exception': () => {
    throw new Error('no database')
  },
}

/** A storage whose member of this name, perhaps one of `ofAll`, returns a form. */
function broken(name: string, form: () => unknown): SiteStorage {
  const storage = createMemoryStorage()
  return name in storage
    ? { ...storage, [name]: form }
    : { ...storage, ofAll: { ...storage.ofAll, [name]: form } }
}

/** The same, whose stores have a method that returns a form. */
function brokenStore(name: string, form: () => unknown): SiteStorage {
  const storage = createMemoryStorage()
  return { ...storage, storeOf: (site) => ({ ...storage.storeOf(site), [name]: form }) }
}

/** How a promise ends when all deadlines have passed: a value that is not there is one that never ends. */
async function endOf(promise: Promise<unknown>): Promise<unknown> {
  let end: unknown
  promise.then(
    (value) => (end = value),
    (fault: unknown) => (end = fault),
  )
  await vi.advanceTimersByTimeAsync(2 * HOUR * 1000)
  return end
}

/** The messages of a fault and of its causes. */
const messageOf = (fault: unknown): string =>
  fault instanceof Error ? `${fault.message} ${messageOf(fault.cause)}` : ''

async function read(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) expect(line).toBeTypeOf('string')
}

type Called = Exclude<keyof SiteStorage, 'ofAll'> | keyof SiteStorage['ofAll']
const CALLS: Readonly<Record<Called, (storage: SiteStorage) => Promise<unknown>>> = {
  storeOf: async (storage) => storage.storeOf(ISSUER),
  findClock: (storage) => storage.ofAll.findClock(),
  moveClock: (storage) => storage.ofAll.moveClock({ from: null, to: { trustedAt: 0, leap: null } }),
  useOnce: (storage) => storage.ofAll.useOnce({ key: 'turn', until: START }),
  purge: (storage) => storage.purge({ now: START, limit: 1 }),
  listSites: (storage) => storage.listSites({ having: 'keys', after: '', limit: 10 }),
  exportSite: async (storage) => read(storage.exportSite(ISSUER)),
  importSite: (storage) => storage.importSite(createMemoryStorage().exportSite(ISSUER)),
  eraseSite: (storage) => storage.eraseSite(ISSUER),
}

const cases = Object.keys(CALLS).flatMap((name) =>
  Object.keys(FORMS).map((form): [Called, string] => [name as Called, form]),
)
/** No site is a right answer, too. */
const wrong = cases.filter(([name, form]) => name !== 'listSites' || form !== 'a list')

describe('what a storage of the host returns', () => {
  it.each(wrong)('for %s, if it is %s, is an error that names the method', async (name, form) => {
    const guarded = guardSiteStorage(broken(name, FORMS[form]!))
    const fault = await endOf((async () => CALLS[name](guarded))())
    const isPassedOn = form === 'an exception' && /^(?:import|erase|export)Site$/.test(name)
    if (isPassedOn) expect(messageOf(fault)).toContain('no database')
    else {
      expect(fault).toBeInstanceOf(StorageFailure)
      expect(messageOf(fault)).toContain(name)
    }
  })

  it.each(Object.keys(CALLS))('for %s, if it is right, is passed on', async (name) => {
    const storage = createMemoryStorage()
    const call = CALLS[name as Called]
    const end = endOf((async () => call(guardSiteStorage(storage)))())
    expect(JSON.stringify(await end)).toBe(JSON.stringify(await call(createMemoryStorage())))
  })

  it.each(Object.keys(FORMS))('for a line of an export, if it is %s, is an error', async (form) => {
    const lines = { [Symbol.asyncIterator]: () => ({ next: FORMS[form]! }) }
    const guarded = guardSiteStorage(broken('exportSite', () => lines))
    const fault = await endOf(read(guarded.exportSite(ISSUER)))
    expect(messageOf(fault)).toMatch(/exportSite|no database/)
  })

  it('for listSites may not be more than was asked for', async () => {
    const guarded = guardSiteStorage(broken('listSites', async () => ['a', 'b', 'c']))
    const list = guarded.listSites({ having: 'keys', after: '', limit: 2 })
    expect(messageOf(await endOf(list))).toContain('listSites returned 3 sites')
  })

  it('for an export ends it early, if its reader does', async () => {
    let isOver = false
    async function* lines() {
      try {
        yield 'first'
        yield 'second'
      } finally {
        isOver = true
      }
    }
    for await (const line of guardSiteStorage(broken('exportSite', lines)).exportSite(ISSUER)) {
      expect(line).toBe('first')
      break
    }
    expect(isOver).toBe(true)
  })
})

describe('a platform with a storage that returns what it should not', () => {
  it.each(Object.keys(FORMS))('opens no school if storeOf returns %s', async (form) => {
    const storages = [broken('storeOf', FORMS[form]!)] as const
    const { get, faults, opened } = platformOf(['art.example'], { storages })
    expect((await get(`${ISSUER}/`)).status).toBe(503)
    expect(opened).toEqual([])
    expect(faults).toMatchObject([{ at: 'open', host: 'art.example' }])
    expect(messageOf(faults[0]!.fault)).toContain('storeOf')
  })

  const maintained = wrong.filter(([name]) =>
    ['findClock', 'moveClock', 'useOnce', 'purge', 'listSites'].includes(name),
  )
  it.each(maintained)('fails its maintenance if %s returns %s', async (name, form) => {
    const storage = broken(name, FORMS[form]!)
    // The clock has run for a week, so that rows may be deleted.
    const mark = { trustedAt: START - 168 * HOUR, leap: null }
    if (name !== 'findClock' && name !== 'moveClock')
      await storage.ofAll.moveClock({ from: null, to: mark })
    const { platform, opened } = platformOf(['art.example'], {
      storages: [storage],
      now: () => START,
    })
    const fault = await endOf(platform.maintain())
    expect(fault).toBeInstanceOf(StorageFailure)
    expect(messageOf(fault)).toContain(name)
    expect(opened).toEqual([])
  })

  it.each(Object.keys(FORMS))('delivers nothing if listEvents returns %s', async (form) => {
    const storage = {
      ...brokenStore('listEvents', FORMS[form]!),
      listSites: async () => [ISSUER],
    }
    const { platform, faults } = platformOf([], { storages: [storage] })
    const delivered: unknown[] = []
    const end = endOf(platform.deliverEvents(async (events) => void delivered.push(events)))
    expect(await end).toEqual({ delivered: 0, isComplete: true })
    expect(delivered).toEqual([])
    // No event is a right answer.
    if (form !== 'a list') {
      expect(faults[0]).toMatchObject({ at: 'deliver', host: 'art.example' })
      expect(messageOf(faults[0]!.fault)).toContain('listEvents')
    }
  })

  it('passes over rows of a site that is not an origin', async () => {
    const storage = createMemoryStorage()
    const sites = ['my-school', ISSUER]
    const { platform, asked } = platformOf(['art.example'], {
      storages: [{ ...storage, listSites: async () => sites }],
      now: () => START,
    })
    expect(await platform.maintain()).toMatchObject({ storages: 1, schools: 1 })
    expect(asked).toEqual(['art.example'])
    expect(await platform.deliverEvents(async () => {})).toMatchObject({ delivered: 0 })
  })

  it('is refused if the storage lacks a method of all sites', () => {
    const { ofAll: _, ...storage } = createMemoryStorage()
    for (const [given, mistake] of [
      [{ ...storage }, 'storages[0].ofAll must be'],
      [{ ...storage, ofAll: {} }, 'storages[0].ofAll lacks the function findClock'],
    ] as const)
      expect(() => platformOf([], { storages: [given as never] })).toThrow(mistake)
  })
})

describe('the life of a school in a storage that returns what it should not', () => {
  const moved = wrong.filter(([name]) => name === 'exportSite' || name === 'importSite')
  it.each(moved)('leaves it where it was, if %s returns %s', async (name, form) => {
    const erased: string[] = []
    const from = broken(name, FORMS[form]!)
    const to = broken(name, FORMS[form]!)
    const arrive = vi.fn<() => Promise<void>>()
    const move = moveSchool({
      issuer: ISSUER,
      find: async () => rowOf('art.example', { paused: true }),
      from: { ...from, eraseSite: async (site) => ({ rows: erased.push(site) }) },
      to,
      arrive,
      waitSeconds: 0,
    })
    expect(messageOf(await endOf(move))).toMatch(new RegExp(`${name}|no database`))
    expect(arrive).not.toHaveBeenCalled()
    expect(erased).toEqual([])
  })

  it.each(Object.keys(FORMS))('does not end, if eraseSite returns %s', async (form) => {
    const storage = broken('eraseSite', FORMS[form]!)
    const end = endSchool({ issuer: ISSUER, find: async () => null, storage, waitSeconds: 0 })
    expect(messageOf(await endOf(end))).toMatch(/eraseSite|no database/)
  })
})
