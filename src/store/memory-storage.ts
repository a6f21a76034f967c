import { isNotAfter } from '../time/seconds.js'
import { createMemoryStore, emptyTables, type MemoryTables } from './memory.js'
import { haveOnly, linesOf, readLines, rowsIn } from './memory-site.js'
import { checkingAsked, siteOf } from './sites.js'
import type { SiteStorage } from './storage.js'
import type { Purged, Store } from './store.js'

interface OfSite {
  readonly tables: MemoryTables
  readonly store: Store
}

const created = (tables: MemoryTables): OfSite => ({ tables, store: createMemoryStore(tables) })

/** Whether a site has what {@link SiteStorage.listSites} looks for. */
function has({ tables }: OfSite, asked: Parameters<SiteStorage['listSites']>[0]): boolean {
  if (asked.having === 'events') return tables.events.size > 0
  return [...tables.keys.values()].some(
    ({ state, createdAt }) =>
      state !== 'retired' &&
      (state !== 'active' ||
        asked.having !== 'due keys' ||
        isNotAfter(createdAt, asked.createdBefore)),
  )
}

/** Since when the oldest row of a site has been due. */
const dueSinceOf = async ({ store }: OfSite, now: number): Promise<number> =>
  (await store.purge({ now, limit: 0 })).dueSince ?? Infinity

/** Deletes what is due of all sites: each time from the one whose oldest row has been due for longest. */
async function purge(
  sites: readonly OfSite[],
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Purged> {
  const dueSince = new Map<OfSite, number>()
  for (const one of sites) dueSince.set(one, await dueSinceOf(one, now))
  for (let rows = 0; ;) {
    const oldest = Math.min(Infinity, ...dueSince.values())
    if (oldest === Infinity || rows >= limit)
      return { rows, dueSince: oldest === Infinity ? null : oldest }
    const one = sites.find((site) => dueSince.get(site) === oldest)!
    rows += (await one.store.purge({ now: oldest, limit: limit - rows })).rows
    dueSince.set(one, await dueSinceOf(one, now))
  }
}

/**
 * Creates the storage of many sites in process memory, for tests and demos: a restart loses everything, and a second
 * process sees nothing of it. Its exports have a form of their own, which no database imports.
 *
 * @returns a storage whose stores are those of {@link createMemoryStore}; each call returns a storage of its own
 * @example
 * ```ts
 * import { createMemoryStorage } from 'hallpass/store'
 *
 * const storage = createMemoryStorage()
 * await storage.storeOf('https://school.example').findClient('study-app') // => null
 * await storage.listSites({ having: 'keys', after: '', limit: 100 }) // => []
 * await storage.eraseSite('https://school.example') // => { rows: 0 }
 * ```
 *
 * @group Stores
 */
export function createMemoryStorage(): SiteStorage {
  const sites = new Map<string, OfSite>()
  const of = (site: string): OfSite => {
    const known = sites.get(site) ?? created(emptyTables())
    sites.set(site, known)
    return known
  }
  /** An import and an erasure replace the store of a site, so each call asks for it. */
  const storeOf = (site: string): Store => {
    const methods = Object.entries(of(site).store).map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...given: never[]) =>
            (of(site).store[name as keyof Store] as (...given: never[]) => unknown)(...given)
        : member,
    ])
    return Object.fromEntries(methods) as Store
  }
  return {
    storeOf: (site) => storeOf(siteOf(site)),
    ofAll: storeOf(''),
    ...checkingAsked({
      purge: (asked) => purge([...sites.values()], asked),
      async listSites(asked) {
        const found = [...sites].filter(([site, its]) => site > asked.after && has(its, asked))
        return found
          .map(([site]) => site)
          .toSorted()
          .slice(0, asked.limit)
      },
    }),
    async *exportSite(site, { credentials = true } = {}) {
      yield* linesOf(site, of(siteOf(site)).tables, credentials)
    },
    async importSite(lines) {
      const { site, tables } = await readLines(lines)
      if (!haveOnly(of(siteOf(site)).tables, tables))
        throw new Error('the site has a row that the export does not have: nothing was stored')
      sites.set(site, created(tables))
      return { site, rows: rowsIn(tables) }
    },
    async eraseSite(site) {
      const { tables } = of(siteOf(site))
      sites.delete(site)
      return { rows: rowsIn(tables) }
    },
  }
}
