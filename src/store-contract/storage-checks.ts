import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import { race, same, settles, tally } from './check.js'
import {
  accessSample,
  clientSample,
  codeSample,
  eventSample,
  grantSample,
  hash,
  keySample,
  pendingSample,
  refreshSample,
  rotation,
  T,
} from './samples.js'

/** A check without its storage. The names of its sites begin with a text that no other check has. */
export interface StoragePromised {
  readonly name: string
  readonly isRace?: true
  readonly check: (storage: SiteStorage, prefix: string) => Promise<void>
}

const DAY = 86_400
/** When everything is due that {@link fill} stored at {@link T}. */
const LATER = T + 60 * DAY
const ALONE = { consentKey: null, pendingIdHash: null }

/** Stores a row of each kind that becomes due, at a time or a few days later, and a key. */
export async function fill(store: Store, at: number): Promise<void> {
  const first = { grantId: 'grant_1', expiresAt: at }
  await store.insertClient(clientSample({ clientId: 'unused', kind: 'loopback', createdAt: at }), [
    eventSample({ at }),
  ])
  await store.insertKey(keySample({ createdAt: at }))
  await store.savePending(pendingSample({ expiresAt: at }))
  await store.useOnce({ key: 'used', until: at })
  await store.erasePerson({ subject: 'erased', loginHints: [], erasedAt: at })
  await store.issueCode({ ...ALONE, code: codeSample(first) })
  await store.redeemCode({
    codeHash: hash('code'),
    redeemedAt: at,
    grant: grantSample(first),
    accessToken: accessSample(first),
    refreshToken: refreshSample(first),
  })
  // While a grant lives, only its rotated tokens become due.
  const second = { grantId: 'grant_2', expiresAt: at }
  await store.issueCode({ ...ALONE, code: codeSample({ ...second, codeHash: hash('second') }) })
  await store.redeemCode({
    codeHash: hash('second'),
    redeemedAt: at,
    grant: grantSample({ grantId: 'grant_2', expiresAt: at + 900 * DAY }),
    accessToken: accessSample({ ...second, tokenHash: hash('access second') }),
    refreshToken: refreshSample({ ...second, tokenHash: hash('refresh second') }),
  })
  const { successor, accessToken, ...rotated } = rotation('second', 'third')
  await store.rotateRefreshToken({
    ...rotated,
    successor: { ...successor, grantId: 'grant_2' },
    accessToken: { ...accessToken, grantId: 'grant_2', expiresAt: at },
  })
}

/** Says which rows of {@link fill} a site has. It stores others where there are none. */
export async function found(store: Store): Promise<Readonly<Record<string, boolean>>> {
  const again = { ...ALONE, code: codeSample({ codeHash: hash('again'), subject: 'erased' }) }
  return {
    client: (await store.findClient('unused')) !== null,
    request: (await store.findPending(hash('interaction'))) !== null,
    code: (await store.findCode(hash('code'))) !== null,
    grant: (await store.findGrant('grant_1')) !== null,
    'access token': (await store.findAccessToken(hash('access 0'))) !== null,
    'refresh token': (await store.findRefreshToken(hash('refresh 0'))) !== null,
    'rotated token': (await store.findRefreshToken(hash('refresh second'))) !== null,
    event: (await store.listEvents({ limit: 9 })).length > 0,
    erasure: (await store.issueCode(again)) === 'gone',
    use: (await store.useOnce({ key: 'used', until: LATER })) === 'again',
  }
}

export const every = (
  one: Readonly<Record<string, boolean>>,
  value: boolean,
): Readonly<Record<string, boolean>> =>
  Object.fromEntries(Object.keys(one).map((name) => [name, value]))

export const namesOf = (prefix: string): readonly [string, string, string] => [
  `${prefix}/a`,
  `${prefix}/b`,
  `${prefix}/c`,
]

async function listed(
  storage: SiteStorage,
  prefix: string,
  asked:
    | { readonly having: 'events' | 'keys' }
    | { readonly having: 'due keys'; readonly createdBefore: number },
): Promise<readonly string[]> {
  const sites = await storage.listSites({ ...asked, after: `${prefix}/`, limit: 9 })
  const own = sites.filter((site) => site.startsWith(`${prefix}/`))
  const [first = '', ...others] = own
  const page = { ...asked, limit: 1 }
  same(await storage.listSites({ ...page, after: `${prefix}/` }), [first], 'a page of one')
  const [second] = await storage.listSites({ ...page, after: first })
  if (others.length > 0) same(second, others[0], 'the page behind it')
  return own.map((site) => site.slice(prefix.length + 1))
}

export const refuses = async (call: () => unknown, what: string): Promise<void> => {
  const settled = await settles((async () => call())())
  if (settled !== null) throw new Error(`${what}: expected a rejection`)
}

/** The checks of a storage of many sites, except those of a whole site. */
export const storageChecks: readonly StoragePromised[] = [
  {
    name: 'returns stores that neither find nor change what another site has under the same keys',
    async check(storage, prefix) {
      const [a, b, c] = namesOf(prefix).map(storage.storeOf) as [Store, Store, Store]
      await fill(b, T)
      for (const empty of [a, c]) {
        const rows = await found(empty)
        same(rows, every(rows, false), 'what a site without rows has')
        same(await empty.listKeys(), [], 'its keys')
        await empty.revokeGrant({ grantId: 'grant_1', revokedAt: T, revokedReason: 'test' })
        await empty.deleteEvents(['event_1'])
      }
      same((await b.findGrant('grant_1'))?.grant.revokedAt, null, 'the grant of the other site')
      const kept = await found(b)
      same(kept, every(kept, true), 'what the other site has')
    },
  },
  {
    name: 'returns stores that can be copied with other methods, and say what they promise',
    async check(storage, prefix) {
      const store = storage.storeOf(`${prefix}/a`)
      const copied = { ...store, findPending: async () => null }
      await copied.insertClient(clientSample())
      same((await copied.findClient('app_1'))?.clientId, 'app_1', 'a client by way of the copy')
      same(copied.guarantees, store.guarantees, 'the promises of the copy')
      const methods: Readonly<Record<string, unknown>> = { ...store }
      const find = methods['findClient'] as (clientId: string) => Promise<unknown>
      same((await find('app_1')) !== null, true, 'a client by the method')
    },
  },
  {
    name: 'has no store of a site without a name',
    async check(storage) {
      for (const site of ['', ' ', 7 as never, null as never])
        await refuses(() => storage.storeOf(site), `storeOf(${JSON.stringify(site)})`)
    },
  },
  {
    name: 'purges what is due of every site, and nothing that is live under the same keys',
    async check(storage, prefix) {
      const names = namesOf(prefix)
      const [a, b, c] = names.map(storage.storeOf) as [Store, Store, Store]
      for (const due of [a, c]) await fill(due, T)
      await fill(b, LATER)
      // An expired grant goes behind its tokens.
      for (let round = 0; round < 3; round++) await storage.purge({ now: LATER - 1, limit: 1000 })
      const live = await found(b)
      same(live, every(live, true), 'what is live')
      for (const due of [a, c]) {
        const { 'rotated token': _rotated, ...gone } = await found(due)
        same(gone, every(gone, false), 'what is due')
        same((await due.findGrant('grant_2'))?.grant.grantId, 'grant_2', 'a grant that lives on')
        same((await due.listKeys()).length, 1, 'its keys')
      }
    },
  },
  {
    name: 'purges the oldest rows of all sites first, up to the limit, and says since when others have been due',
    async check(storage, prefix) {
      const stores = namesOf(prefix).map(storage.storeOf)
      for (let index = 0; index < 6; index++)
        await stores[index % 3]!.savePending(
          pendingSample({ idHash: hash(`${index}`), expiresAt: T + index }),
        )
      const left = async (): Promise<readonly number[]> => {
        const rows: number[] = []
        for (let index = 0; index < 6; index++)
          if ((await stores[index % 3]!.findPending(hash(`${index}`))) !== null) rows.push(index)
        return rows
      }
      const first = await storage.purge({ now: T + 9, limit: 4 })
      same([first.rows, await left()], [4, [4, 5]], 'the first purge')
      const since = (first.dueSince ?? 0) - T
      same(since >= 3 && since <= 4, true, `the first purge says ${since}, and that`)
      await storage.purge({ now: T + 9, limit: 4 })
      const last = await storage.purge({ now: T + 9, limit: 4 })
      same([last, await left()], [{ rows: 0, dueSince: null }, []], 'the third purge')
    },
  },
  {
    name: 'purges a row once when several callers purge at the same time',
    isRace: true,
    async check(storage, prefix) {
      const stores = namesOf(prefix).map(storage.storeOf)
      for (let index = 0; index < 21; index++)
        await stores[index % 3]!.savePending(
          pendingSample({ idHash: hash(`${index}`), expiresAt: T + index }),
        )
      let deleted = 0
      for (let round = 0; round < 6; round++)
        for (const { rows } of await race(4, () => storage.purge({ now: T + 99, limit: 4 })))
          deleted += rows
      same(deleted, 21, 'rows')
    },
  },
  {
    name: 'purges nothing that was live a minute ago, if it has a clock',
    async check(storage, prefix) {
      const { now } = await storage.ofAll.findClock()
      if (now === null) return
      const store = storage.storeOf(`${prefix}/a`)
      await store.savePending(pendingSample({ expiresAt: now + 9 }))
      await storage.purge({ now: now + 999, limit: 1000 })
      same((await store.findPending(hash('interaction'))) !== null, true, 'a live request is kept')
    },
  },
  {
    name: 'has one mark of the clock for all sites, apart from those of the sites',
    async check({ ofAll, storeOf }, prefix) {
      const store = storeOf(`${prefix}/a`)
      const before = (await ofAll.findClock()).mark
      const to = { trustedAt: (before?.trustedAt ?? T) + 7, leap: null }
      same(await ofAll.moveClock({ from: before, to }), 'moved', 'the mark of all')
      same((await ofAll.findClock()).mark?.trustedAt, to.trustedAt, 'the mark of all')
      same((await store.findClock()).mark, null, 'the mark of a site')
      same(
        await store.moveClock({ from: null, to: { trustedAt: T, leap: null } }),
        'moved',
        'the mark of a site',
      )
      same((await ofAll.findClock()).mark?.trustedAt, to.trustedAt, 'the mark of all')
      same(await ofAll.moveClock({ from: before, to }), 'conflict', 'a move from an old mark')
    },
  },
  {
    name: 'gives a turn of all sites to one of several callers, apart from the keys of a site',
    isRace: true,
    async check({ ofAll, storeOf }, prefix) {
      const turn = { key: `${prefix} turn`, until: T + 9 }
      const turns = await race(4, () => ofAll.useOnce(turn))
      same(tally(turns), { again: 3, first: 1 }, 'the turns of four callers')
      same(await storeOf(`${prefix}/a`).useOnce(turn), 'first', 'the key at a site')
    },
  },
  {
    name: 'lists the sites with events',
    async check(storage, prefix) {
      const [a, , c] = namesOf(prefix).map(storage.storeOf) as [Store, Store, Store]
      for (const id of ['1', '2'])
        await c.insertClient(clientSample({ clientId: id }), [eventSample({ id })])
      await a.insertClient(clientSample(), [eventSample()])
      const asked = { having: 'events' } as const
      same(await listed(storage, prefix, asked), ['a', 'c'], 'sites')
      await a.deleteEvents(['event_1'])
      same(await listed(storage, prefix, asked), ['c'], 'sites')
    },
  },
  {
    name: 'lists the sites with keys, and those with a key that is due',
    async check(storage, prefix) {
      const [a, b, c] = namesOf(prefix).map(storage.storeOf) as [Store, Store, Store]
      await a.insertKey(keySample({ state: 'retired' }))
      await b.insertKey(keySample({ state: 'active', createdAt: T }))
      await c.insertKey(keySample({ state: 'active', createdAt: T + 1 }))
      await c.insertKey(keySample({ kid: 'old', state: 'retired' }))
      same(await listed(storage, prefix, { having: 'keys' }), ['b', 'c'], 'sites with keys')
      const asked = { having: 'due keys', createdBefore: T } as const
      same(await listed(storage, prefix, asked), ['b'], 'an old key')
      for (const state of ['generated', 'published', 'retiring'] as const) {
        const site = storage.storeOf(`${prefix}/${state}`)
        await site.insertKey(keySample({ state, createdAt: T + 2 }))
        same(await listed(storage, prefix, asked), ['b', state], `a key that is ${state}`)
        await site.moveKey({ key: keySample({ state: 'retired' }), from: state })
      }
    },
  },
  {
    name: 'refuses a list of sites that is not asked for as it must be',
    async check(storage) {
      const asked = { having: 'keys', after: '', limit: 1 }
      const wrong = [
        { having: 'due keys' },
        { having: 'tokens' },
        { after: 7 },
        { after: null },
        { limit: 0 },
        { limit: 1001 },
      ]
      for (const one of wrong)
        await refuses(
          () => storage.listSites({ ...asked, ...one } as never),
          `listSites(${JSON.stringify(one)})`,
        )
    },
  },
]
