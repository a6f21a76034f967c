import {
  createMemoryStorage,
  createMemoryStore,
  type SiteStorage,
  type Store,
} from 'hallpass/store'
import {
  accessSample,
  clientSample,
  codeSample,
  eventSample,
  grantSample,
  pendingSample,
  refreshSample,
  storageContract,
} from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { hash } from '../../src/store-contract/samples.js'

type Break = (storage: SiteStorage) => Partial<SiteStorage>

/** A storage that also has what is wrong, and the check that finds it. */
type Broken = readonly [what: string, check: string, breaks: Break]

const purging = async (
  storage: SiteStorage,
  sites: () => readonly string[],
  asked: Parameters<SiteStorage['purge']>[0],
): Promise<{ rows: number; dueSince: number | null }> => {
  let rows = 0
  for (const site of sites()) rows += (await storage.storeOf(site).purge(asked)).rows
  return { rows, dueSince: null }
}

/** Keeps the names of the sites that were opened. */
const opening = (storage: SiteStorage): { sites: Set<string>; storeOf: SiteStorage['storeOf'] } => {
  const sites = new Set<string>()
  return {
    sites,
    storeOf(site) {
      const store = storage.storeOf(site)
      sites.add(site)
      return store
    },
  }
}

/** What a store returns of a row that was not purged. */
const STILL_THERE: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
  client: () => ({ findClient: async () => clientSample() }),
  request: () => ({ findPending: async () => pendingSample() }),
  code: () => ({ findCode: async () => ({ ...codeSample(), client: null }) }),
  grant: () => ({ findGrant: async () => ({ grant: grantSample(), client: null }) }),
  'access token': () => ({
    findAccessToken: async () => ({
      accessToken: accessSample(),
      grant: grantSample(),
      client: null,
    }),
  }),
  'refresh token': () => ({
    findRefreshToken: async () => ({
      refreshToken: refreshSample(),
      grant: grantSample(),
      successorUsed: false,
      client: null,
    }),
  }),
  event: () => ({ listEvents: async () => [eventSample()] }),
  erasure: (store) => ({
    issueCode: async (issue, events) =>
      issue.code.subject === 'erased' ? 'gone' : store.issueCode(issue, events),
  }),
  use: () => ({ useOnce: async () => 'again' }),
}

const BROKEN: readonly Broken[] = [
  [
    'has one store for all sites',
    'returns stores that neither find nor change what another site has under the same keys',
    () => ({
      storeOf: (
        (store) => () =>
          store
      )(createMemoryStore()),
    }),
  ],
  [
    'cuts the names of sites',
    'returns stores that neither find nor change what another site has under the same keys',
    (storage) => ({ storeOf: (site) => storage.storeOf(site.replace(/[ac]$/, 'b')) }),
  ],
  [
    'has stores whose methods are not listed',
    'returns stores that can be copied with other methods, and say what they promise',
    (storage) => ({ storeOf: (site) => Object.create(storage.storeOf(site)) as never }),
  ],
  [
    'has a store of no site',
    'has no store of a site without a name',
    (storage) => ({ storeOf: (site) => storage.storeOf(site === '' ? 'none' : site) }),
  ],
  [
    'forgets the site in a deletion',
    'purges what is due of every site, and nothing that is live under the same keys',
    (storage) => {
      const { sites, storeOf } = opening(storage)
      return {
        storeOf,
        async purge(asked) {
          const purged = await storage.purge(asked)
          for (const site of sites) await storage.storeOf(site).endPending(hash('interaction'))
          return purged
        },
      }
    },
  ],
  ...Object.entries(STILL_THERE).map(([kind, methods]): Broken => [
    `forgets each ${kind}`,
    'purges what is due of every site, and nothing that is live under the same keys',
    (storage) => ({
      storeOf: (site) => ({ ...storage.storeOf(site), ...methods(storage.storeOf(site)) }),
    }),
  ]),
  [
    'purges one site after the other',
    'purges the oldest rows of all sites first, up to the limit, and says since when others have been due',
    (storage) => {
      const { sites, storeOf } = opening(storage)
      return { storeOf, purge: (asked) => purging(storage, () => [...sites], asked) }
    },
  ],
  [
    'counts a row for each caller',
    'purges a row once when several callers purge at the same time',
    (storage) => ({
      async purge(asked) {
        const { rows, dueSince } = await storage.purge(asked)
        return { rows: rows === 0 ? 0 : rows + 1, dueSince }
      },
    }),
  ],
  [
    'believes the clock of the caller',
    'purges nothing that was live a minute ago, if it has a clock',
    (storage) => ({
      // The memory storage has none, and purges what it is told to.
      ofAll: { ...storage.ofAll, findClock: async () => ({ now: 1_800_000_000, mark: null }) },
    }),
  ],
  [
    'shares the clock of a site with all',
    'has one mark of the clock for all sites, apart from those of the sites',
    (storage) => ({
      storeOf: (site) => ({ ...storage.storeOf(site), ...storage.ofAll }),
    }),
  ],
  [
    'gives each caller the turn',
    'gives a turn of all sites to one of several callers, apart from the keys of a site',
    (storage) => ({ ofAll: { ...storage.ofAll, useOnce: async () => 'first' } }),
  ],
  [
    'gives a site the turns of all',
    'gives a turn of all sites to one of several callers, apart from the keys of a site',
    (storage) => ({
      storeOf: (site) => ({ ...storage.storeOf(site), useOnce: storage.ofAll.useOnce }),
    }),
  ],
  ...(
    [
      ['skips a site', (sites: readonly string[]) => sites.slice(1)],
      ['has another order', (sites: readonly string[]) => sites.toReversed()],
    ] as const
  ).flatMap(([what, change]) =>
    (
      [
        'lists the sites with events',
        'lists the sites with keys, and those with a key that is due',
      ] as const
    ).map((check): Broken => [
      `${what} of a list`,
      check,
      (storage) => ({ listSites: async (asked) => change(await storage.listSites(asked)) }),
    ]),
  ),
  [
    'begins at the site of the page before',
    'lists the sites with events',
    (storage) => ({
      async listSites(asked) {
        const sites = await storage.listSites({ ...asked, limit: 9 })
        return [asked.after, ...sites].slice(asked.after.endsWith('/') ? 1 : 0, asked.limit)
      },
    }),
  ],
  [
    'takes every key for one that is due',
    'lists the sites with keys, and those with a key that is due',
    (storage) => ({
      listSites: ({ after, limit }) => storage.listSites({ having: 'keys', after, limit }),
    }),
  ],
  [
    'lists what it is not asked for',
    'refuses a list of sites that is not asked for as it must be',
    (storage) => ({
      listSites: (asked) => storage.listSites({ ...asked, limit: Math.min(asked.limit, 1000) }),
    }),
  ],
  [
    'leaves a row of an erased site',
    'erases every row of a site, and none of another one',
    (storage) => ({
      async eraseSite(site) {
        const erased = await storage.eraseSite(site)
        await storage.storeOf(site).moveClock({ from: null, to: { trustedAt: 1, leap: null } })
        return erased
      },
    }),
  ],
  [
    'erases the neighbour as well',
    'erases every row of a site, and none of another one',
    (storage) => ({
      async eraseSite(site) {
        await storage.eraseSite(site.replace(/a$/, 'b'))
        return storage.eraseSite(site)
      },
    }),
  ],
  [
    'loses a row of an export',
    'stores what an export has, where the site was erased, and a second time',
    (storage) => ({
      async importSite(lines) {
        const done = await storage.importSite(lines)
        await storage.storeOf(done.site).deleteEvents(['event_1'])
        return done
      },
    }),
  ],
  [
    'stores an export that is cut',
    'refuses an export that is cut, changed, without credentials, or of a site that has another row',
    (storage) => ({
      importSite: (lines) => storage.importSite(lines).catch(() => ({ site: 'a site', rows: 0 })),
    }),
  ],
  [
    'shows what it keeps secret',
    'leaves credentials out of an export that someone may read',
    (storage) => ({ exportSite: (site) => storage.exportSite(site) }),
  ],
  [
    'erases a site without a name',
    'refuses to export or erase a site without a name',
    () => ({ eraseSite: async () => ({ rows: 0 }) }),
  ],
]

const checkOf = (make: () => SiteStorage, name: string) =>
  storageContract(make).find((one) => one.name === name)!

describe('the contract of a storage finds one that', () => {
  it.each(BROKEN)('%s', async (_, name, breaks) => {
    const whole = createMemoryStorage()
    const broken = { ...whole, ...breaks(whole) }
    await expect(checkOf(() => broken, name).run()).rejects.toThrow(/./)
  })

  it('has a broken storage for each of its checks', () => {
    const found = new Set(BROKEN.map(([, name]) => name))
    const all = storageContract(() => createMemoryStorage()).map(({ name }) => name)
    expect(all.filter((name) => !found.has(name))).toEqual([])
  })
})
