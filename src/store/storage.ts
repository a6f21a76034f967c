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
   * Reads every row of a site, in pages, as lines of JSON without line breaks. The first one says what follows, each other
   * one is a row, and the last one counts them. A private key is in it as it was sealed, and a token as its hash.
   *
   * The rows are of one moment if nothing changes them, so pause the site before it is moved. A site that is served can
   * give one row in an earlier state than another, and such an import may be refused.
   *
   * @param options - `credentials`: `false` is for a copy that someone may read. It leaves out keys, tokens, codes, pending
   *   requests, responses that are kept for an `Idempotency-Key`, and secrets of clients. Such a copy cannot be imported.
   *   Default: `true`
   */
  readonly exportSite: (
    site: string,
    options?: { readonly credentials?: boolean },
  ) => AsyncIterable<string>
  /**
   * Stores the rows that {@link SiteStorage.exportSite} read, from this or another database. A row that is there already is
   * left alone, so that it can be repeated after a failure.
   *
   * Of up to 8 MiB, all lines are checked before a row is stored. A longer export is checked and stored in parts of that
   * length: if a part is refused, those before it stay, and `eraseSite` removes them.
   *
   * @returns the site, and how many rows it has now
   * @throws Error if a line is not one of an export, or longer than 16 MiB. Or the last line is missing, or counts other
   *   rows. Or the database has another row of that site. It names the line, the table and the column, and no value
   * @throws the error of the driver, if a statement fails
   */
  readonly importSite: (
    lines: Iterable<string> | AsyncIterable<string>,
  ) => Promise<{ readonly site: string; readonly rows: number }>
  /**
   * Deletes every row of a site, 1,000 at a time: tokens before their grants, and signing keys last. It can be repeated after
   * a failure. End the requests of the site before, or rows that they store may stay.
   *
   * @returns how many rows were deleted
   */
  readonly eraseSite: (site: string) => Promise<{ readonly rows: number }>
}
