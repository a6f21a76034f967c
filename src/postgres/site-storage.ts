import { checkOptions } from '../options/check.js'
import { createSqlStorage } from '../sql/storage.js'
import { guaranteesOfServer } from '../store/guarantees.js'
import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import { createPostgresSites } from './all-sites.js'
import { databases } from './database.js'
import { MIGRATIONS } from './dialect.js'
import { type PostgresOptions, STORE_RULES } from './execute.js'
import { purge } from './purge.js'

/**
 * Creates the storage of many sites on PostgreSQL, in the tables that {@link migratePostgres} creates. Its stores are those
 * of {@link createPostgresStore}, and a site may use either.
 *
 * @param options - those of {@link createPostgresStore}, without `site`
 * @returns the storage to pass to `createPlatform` from hallpass/platform
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresStorage, type Execute } from 'hallpass/postgres'
 *
 * // In place of an empty database. With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = async () => ({ rows: [] })
 *
 * const storage = createPostgresStorage({ execute })
 * await storage.storeOf('https://school.example').findClient('study-app') // => null
 * await storage.listSites({ having: 'keys', after: '', limit: 100 }) // => []
 * ```
 *
 * @group Storage
 */
export function createPostgresStorage(
  options: Omit<PostgresOptions, 'site'> & {
    /** The promises of the server's settings, as {@link createPostgresStore} takes them. */
    readonly guarantees?: Partial<Store['guarantees']>
    /** Returns the time in epoch seconds, for tests with a clock of their own. Default: the clock of the database */
    readonly now?: () => number
  },
): SiteStorage {
  const { guarantees, ...checked } = checkOptions('createPostgresStorage', options, RULES)
  return createSqlStorage({
    databaseOf: databases(checked),
    guarantees: guaranteesOfServer(guarantees),
    verbs: { purge },
    allSites: createPostgresSites(),
    migrations: MIGRATIONS,
  })
}

const { site: _site, ...RULES } = STORE_RULES
