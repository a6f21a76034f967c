import { checkOptions } from '../options/check.js'
import { createSqlSites } from '../sql/all-sites.js'
import { createSqlStorage } from '../sql/storage.js'
import { guaranteesOfServer } from '../store/guarantees.js'
import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import { MYSQL_SITES } from './all-sites.js'
import { MYSQL_MIGRATIONS } from './dialect.js'
import { type MysqlOptions, mysqlOf } from './options.js'
import { STORE_RULES } from './storage.js'

/**
 * Creates the storage of many sites on MySQL or MariaDB, in the tables that {@link migrateMysql} creates. Its stores are
 * those of {@link createMysqlStore}, and a site may use either.
 *
 * @param options - those of {@link createMysqlStore}, without `site`
 * @returns the storage to pass to `createPlatform` from hallpass/platform
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createMysqlStorage, fromPool } from 'hallpass/mysql'
 *
 * // In place of a pool to an empty database: createPool('mysql://school@localhost/schools') of mysql2/promise
 * const connection = { query: async () => [], execute: async () => [[]], release: () => {}, destroy: () => {} }
 * const pool = { getConnection: async () => connection }
 *
 * const storage = createMysqlStorage({ batch: fromPool(pool) })
 * await storage.storeOf('https://school.example').findClient('study-app') // => null
 * await storage.listSites({ having: 'keys', after: '', limit: 100 }) // => []
 * ```
 *
 * @group Storage
 */
export function createMysqlStorage(
  options: Omit<MysqlOptions, 'site'> & {
    /** The promises of the server's settings, as {@link createMysqlStore} takes them. */
    readonly guarantees?: Partial<Store['guarantees']>
    /** Returns the time in epoch seconds, for tests with a clock of their own. Default: the clock of the database */
    readonly now?: () => number
  },
): SiteStorage {
  const { guarantees, ...checked } = checkOptions('createMysqlStorage', options, RULES)
  const database = mysqlOf(checked)
  return createSqlStorage({
    databaseOf: (site) => ({ ...database, site }),
    guarantees: guaranteesOfServer(guarantees),
    allSites: createSqlSites(MYSQL_SITES),
    migrations: MYSQL_MIGRATIONS,
  })
}

const { site: _site, ...RULES } = STORE_RULES
