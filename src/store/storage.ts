import type { Store } from './store.js'

/**
 * The rows of many sites in one database, for `createPlatform` from hallpass/platform. Created by `createPostgresStorage`,
 * `createMysqlStorage`, `createSqliteStorage` and `createMemoryStorage`.
 *
 * Only {@link SiteStorage.purge} changes rows of more than one site.
 *
 * @group Stores
 */
export interface SiteStorage {
  /**
   * Returns the store of one site, which finds and changes no row of another.
   *
   * @param site - the value of the column `site` of its rows: its issuer
   */
  readonly storeOf: (site: string) => Store
  /** The clock of the database with one mark for all sites, and keys by which processes take turns. They are of no site. */
  readonly ofAll: Pick<Store, 'findClock' | 'moveClock' | 'useOnce'>
  /** Deletes what is due of every site, as that of one store does for its own: the oldest of each kind first. */
  readonly purge: Store['purge']
  /**
   * Returns sites with something to do, in the order of their names:
   *
   * - `events`: it keeps events that are to be delivered
   * - `due keys`: a signing key was created at `createdBefore` or earlier and is active, or is between two states
   * - `keys`: it has a signing key that is not retired
   *
   * @param asked - `after`: the last site of the call before, or an empty text; `limit`: from 1 to 1000;
   *   `createdBefore`: epoch seconds
   */
  readonly listSites: (
    asked: (
      | { readonly having: 'events' | 'keys' }
      | { readonly having: 'due keys'; readonly createdBefore: number }
    ) & { readonly after: string; readonly limit: number },
  ) => Promise<readonly string[]>
  /**
   * Reads every row of a site from one moment, as lines of JSON: the first one says what follows, and each other one is a
   * row. A private key is in it as it was sealed, and a token as its hash.
   *
   * @param options - `credentials`: `false` leaves out keys, tokens, codes, pending requests and secrets of clients, for a
   *   copy that someone may read. Such a copy cannot be imported. Default: `true`
   */
  readonly exportSite: (
    site: string,
    options?: { readonly credentials?: boolean },
  ) => AsyncIterable<string>
  /**
   * Stores the rows that {@link SiteStorage.exportSite} read, from this or another database. It can be repeated after a
   * failure.
   *
   * @returns the site, and how many rows it has now
   * @throws Error if a line is not one of an export, the last line is missing, or the database already has another row of
   *   that site. Nothing is stored then
   */
  readonly importSite: (
    lines: Iterable<string> | AsyncIterable<string>,
  ) => Promise<{ readonly site: string; readonly rows: number }>
  /**
   * Deletes every row of a site, in steps. It can be repeated after a failure.
   *
   * @returns how many rows were deleted
   */
  readonly eraseSite: (site: string) => Promise<{ readonly rows: number }>
}
