import { checkOptions } from '../options/check.js'
import { createSqlSites, SQLITE_SITES } from '../sql/all-sites.js'
import { SQLITE_MIGRATIONS } from '../sql/schema.js'
import { createSqlStorage } from '../sql/storage.js'
import type { SiteStorage } from '../store/storage.js'
import { FILE } from './execute.js'
import { type SqliteOptions, sqliteOf } from './options.js'
import { STORE_RULES } from './storage.js'

/**
 * Creates the storage of many sites on SQLite, in the tables that {@link migrateSqlite} creates. Its stores are those of
 * {@link createSqliteStore}, and a site may use either.
 *
 * @param options - those of {@link createSqliteStore}, without `site`
 * @returns the storage to pass to `createPlatform` from hallpass/platform
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createSqliteStorage, fromSync } from 'hallpass/sqlite'
 *
 * // In place of an empty database. With Node.js 24: new DatabaseSync('schools.db') of node:sqlite
 * const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => {} }) }
 *
 * const storage = createSqliteStorage({ batch: fromSync(database) })
 * await storage.storeOf('https://school.example').findClient('study-app') // => null
 * await storage.listSites({ having: 'keys', after: '', limit: 100 }) // => []
 * ```
 *
 * @group Storage
 */
export function createSqliteStorage(
  options: Omit<SqliteOptions, 'site'> & {
    /** Returns the time in epoch seconds, for tests with a clock of their own. Default: the clock of the database */
    readonly now?: () => number
  },
): SiteStorage {
  const checked = checkOptions('createSqliteStorage', options, RULES)
  const database = sqliteOf(checked)
  return createSqlStorage({
    databaseOf: (site) => ({ ...database, site }),
    guarantees: checked.batch.guarantees ?? FILE,
    allSites: createSqlSites(SQLITE_SITES),
    migrations: SQLITE_MIGRATIONS,
  })
}

const { site: _site, ...RULES } = STORE_RULES
