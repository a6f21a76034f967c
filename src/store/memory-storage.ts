import { createMemoryStore, emptyTables, type MemoryTables } from './memory.js'
import { refusingStrangers, siteOf } from './sites.js'
import type { SiteStorage } from './storage.js'
import type { Store } from './store.js'

/**
 * Creates the storage of many sites in process memory, for tests and demos: a restart loses everything.
 *
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
  const sites = new Map<string, { readonly tables: MemoryTables; readonly store: Store }>()
  const of = (site: string): { readonly tables: MemoryTables; readonly store: Store } => {
    let known = sites.get(site)
    if (known === undefined) {
      const tables = emptyTables()
      known = { tables, store: createMemoryStore(tables) }
      sites.set(site, known)
    }
    return known
  }
  const later = (): never => {
    throw new Error('not built yet')
  }
  const { findClock, moveClock, useOnce } = of('').store
  return {
    storeOf: (site) => of(siteOf(site)).store,
    ofAll: { findClock, moveClock, useOnce },
    ...refusingStrangers({
      purge: async () => ({ rows: 0, dueSince: null }),
      listSites: async () => [],
    }),
    exportSite: later,
    importSite: later,
    eraseSite: later,
  }
}
