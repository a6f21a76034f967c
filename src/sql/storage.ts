import { checkingAsked, siteOf } from '../store/sites.js'
import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import type { Database } from './batch.js'
import type { SqlMigration } from './schema.js'
import { sqlStores } from './stores.js'
import { wholeSite } from './whole-site.js'

/** The methods that reach rows of all sites. No other statement lacks the site. */
export type AllSites = {
  readonly [Name in 'purge' | 'listSites']: (
    database: Database,
    asked: Parameters<SiteStorage[Name]>[0],
  ) => ReturnType<SiteStorage[Name]>
}

/** Creates a storage of many sites. Its rows that are of no site have an empty one, which no store can have. */
export function createSqlStorage({
  databaseOf,
  guarantees,
  verbs,
  allSites,
  migrations,
}: {
  readonly databaseOf: (site: string, verb: string) => Database
  readonly guarantees: Store['guarantees']
  readonly verbs?: Parameters<typeof sqlStores>[2]
  readonly allSites: AllSites
  readonly migrations: readonly SqlMigration[]
}): SiteStorage {
  const storeOf = sqlStores(databaseOf, guarantees, verbs)
  return {
    storeOf: (site) => storeOf(siteOf(site)),
    ofAll: storeOf(''),
    ...checkingAsked({
      purge: (asked) => allSites.purge(databaseOf('', 'purge'), asked),
      listSites: (asked) => allSites.listSites(databaseOf('', 'listSites'), asked),
    }),
    ...wholeSite(databaseOf('', 'site'), migrations),
  }
}
