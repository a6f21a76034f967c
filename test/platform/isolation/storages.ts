import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { createPostgresStorage, type Execute, migratePostgres } from 'hallpass/postgres'
import { createMemoryStorage, createMemoryStore, type MemoryTables, type SiteStorage, type Store } from 'hallpass/store' // prettier-ignore
import { emptyTables } from '../../../src/store/memory.js'
import type { StoreMethod } from '../../../src/store/store.js'
import { dumpOf as rowsOf } from '../../support/databases/dump.js'
import { onTestFinished } from 'vitest'
import { T } from '../../support/school/school.js'
import { A, B } from './world.js'

/** A storage whose rows can be read, and its clock. */
export interface Watched {
  readonly storage: SiteStorage
  /** Every row of a site as text, without those of tables with these names. */
  readonly dumpOf: (site: string, without?: readonly string[]) => Promise<string>
  readonly clock: { now: number }
}

/** A storage in memory with a store of its own for each site. */
export function createWatchedStorage(): Watched {
  const tables = new Map<string, MemoryTables>()
  const stores = new Map<string, Store>()
  const storeOf = (site: string): Store => {
    const known = stores.get(site)
    if (known !== undefined) return known
    const own = emptyTables()
    const store = createMemoryStore(own)
    tables.set(site, own)
    stores.set(site, store)
    return store
  }
  return {
    clock: { now: T },
    storage: { ...createMemoryStorage(), storeOf },
    dumpOf: async (site, without = []) =>
      Object.entries(tables.get(site) ?? {})
        .filter(([name]) => !without.some((one) => name.includes(one)))
        .map(([name, rows]) => `${name} ${JSON.stringify([...(rows as Map<string, unknown>)])}`)
        .join('\n'),
  }
}

/** A storage on PGlite, until the test is over. */
export async function openPglite(): Promise<Watched> {
  const clock = { now: T }
  const database = await PGlite.create({ loadDataDir: await emptyCluster() })
  onTestFinished(() => database.close())
  const execute: Execute = (sql, parameters) => database.query(sql, [...parameters])
  await migratePostgres({ execute })
  return {
    clock,
    storage: createPostgresStorage({ execute, now: () => clock.now }),
    dumpOf: async (site, without = []) => {
      const rows = await rowsOf({ execute }, site)
      const shown = rows.filter(([table]) => !without.some((one) => table.includes(one)))
      return shown.map((row) => row.join(' ')).toSorted().join('\n')
    },
  }
} // prettier-ignore

type Verb = (...all: readonly unknown[]) => Promise<unknown>

/** The results that say that a site has nothing. */
const NOTHING: readonly unknown[] = [null, false, 0, 'missing', 'gone', 'conflict']

function together(own: unknown, other: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(other)) return [...own, ...(other as unknown[])]
  if (other === 'again') return other
  const isMarkless = own !== null && typeof own === 'object' && 'mark' in own && own.mark === null
  return isMarkless || NOTHING.includes(own) ? other : own
}

/** A store one method of which knows no sites: it finds the rows of another one, and changes them. */
export function withoutSite(own: Store, other: Store, verb: StoreMethod): Store {
  const broken: Verb = async (...all) => {
    const result = await (own[verb] as Verb)(...all)
    // A method that throws at the other school has changed nothing there.
    const found = await (other[verb] as Verb)(...all).catch(() => result)
    return together(result, found)
  }
  return { ...own, [verb]: broken }
}

/** A storage one method of which is that of both schools. */
export const withoutSiteIn = (storage: SiteStorage, verb: StoreMethod): SiteStorage => ({
  ...storage,
  storeOf: (site) => withoutSite(storage.storeOf(site), storage.storeOf(site === A ? B : A), verb),
})
