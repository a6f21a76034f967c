import { callback, checkOptions, optional, pattern, type Rules, whole } from '../options/check.js'
import { withDeadline } from '../store/deadline.js'
import { guardSiteStorage } from '../store/guard-site-storage.js'
import type { SiteStorage } from '../store/storage.js'
import { type School, STORAGE_RULE } from './options.js'
import { FAILING_SECONDS, FRESH_SECONDS } from './residents.js'

const FIND_MILLISECONDS = 10_000
/** How long a request of a server may take. */
const REQUEST_SECONDS = 30
/** Until then no process has a request under way that began before a row changed. */
const SETTLED_SECONDS = FRESH_SECONDS + FAILING_SECONDS + REQUEST_SECONDS

/** @inline */
interface Common {
  /** The issuer of the school. */
  readonly issuer: string
  /** `find` of the platform. */
  readonly find: (host: string) => Promise<School | null | undefined>
  /**
   * How long to wait until every process has seen that the row has changed, and its last request has ended, in seconds: from 0
   * to 3600. Default: 120, which is enough if the database of `find` fails for a while. Use 0 if nothing serves the school.
   */
  readonly waitSeconds?: number
}

/**
 * Ends a school: deletes every row that its store has, in any table. Remove the row of the school first, so that `find` returns
 * `null`: then it waits until no process serves the school any more. It can be repeated after a failure. Rows of your own tables
 * are yours to delete.
 *
 * @returns how many rows were deleted
 * @throws Error if `find` still returns the school
 * @throws OptionsError that lists every mistake in the options
 * @group Platforms
 * @example
 * ```ts
 * import { endSchool } from 'hallpass/platform'
 * import { createMemoryStorage } from 'hallpass/store'
 *
 * const storage = createMemoryStorage()
 * const find = async () => null // its row is gone
 * await endSchool({ issuer: 'https://art.example', find, storage, waitSeconds: 0 }) // => { rows: 0 }
 * ```
 */
export async function endSchool(
  options: Common & {
    /** The storage that has its rows. */
    readonly storage: SiteStorage
  },
): Promise<{ readonly rows: number }> {
  const { issuer, find, storage, waitSeconds } = checkOptions('endSchool', options, {
    ...RULES,
    storage: STORAGE_RULE,
  })
  const row = await findInTime(find)(new URL(issuer).host)
  if (row?.issuer === issuer)
    throw new Error(`find still returns ${issuer}: remove its row before its data`)
  await settled(waitSeconds)
  return guardSiteStorage(storage).eraseSite(issuer)
}

/**
 * Moves a school from one storage to another, with its keys, tokens and everything else, so that no person and no app notices
 * more than a pause. Set `paused` in its row first: it then waits until no process writes any more, copies, calls `arrive`, waits
 * again, and deletes the rows that were left behind. It can be repeated after a failure, while the school is paused.
 *
 * @returns how many rows the school has
 * @throws Error if the school is not paused, or if `arrive` did not end that
 * @throws OptionsError that lists every mistake in the options
 * @throws whatever `arrive` or a storage throws. Nothing is deleted then
 * @group Platforms
 * @example
 * ```ts
 * import { moveSchool } from 'hallpass/platform'
 * import { createMemoryStorage } from 'hallpass/store'
 *
 * let school = { issuer: 'https://art.example', revision: 1, paused: true, shard: 0 }
 * const moved = await moveSchool({
 *   issuer: school.issuer,
 *   find: async () => school,
 *   from: createMemoryStorage(),
 *   to: createMemoryStorage(),
 *   arrive: async () => {
 *     school = { ...school, revision: 2, paused: false, shard: 1 }
 *   },
 *   waitSeconds: 0,
 * })
 * moved // => { rows: 0 }
 * ```
 */
export async function moveSchool(
  options: Common & {
    readonly from: SiteStorage
    readonly to: SiteStorage
    /** Changes the row: `storageOf` returns `to` from then on, the school is not paused, and it has a new revision. */
    readonly arrive: () => Promise<unknown>
  },
): Promise<{ readonly rows: number }> {
  const { issuer, arrive, waitSeconds, ...given } = checkOptions('moveSchool', options, {
    ...RULES,
    from: STORAGE_RULE,
    to: STORAGE_RULE,
    arrive: callback('async () => schools.update({ shard: 1, paused: false })'),
  })
  const [from, to] = [guardSiteStorage(given.from), guardSiteStorage(given.to)]
  const find = findInTime(given.find)
  const { host } = new URL(issuer)
  const before = await find(host)
  if (before?.issuer !== issuer || before.paused !== true)
    throw new Error(`${issuer} is not paused: set paused in its row before it is moved`)
  await settled(waitSeconds)
  const { rows } = await to.importSite(from.exportSite(issuer))
  await arrive()
  const after = await find(host)
  if (after?.issuer !== issuer || after.paused === true || after.revision === before.revision)
    throw new Error(
      `arrive must end the pause of ${issuer} with a new revision: its rows are in both storages`,
    )
  await settled(waitSeconds)
  await from.eraseSite(issuer)
  return { rows }
}

const findInTime = (find: Common['find']): Common['find'] =>
  withDeadline('find', FIND_MILLISECONDS, find)

const settled = (seconds: number = SETTLED_SECONDS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const RULES: Rules<Common> = {
  issuer: pattern('the issuer of a school, such as https://art.example', /^https?:\/\/[^/]+$/),
  find: callback('async (host) => schools.findByHost(host)'),
  waitSeconds: optional(whole(0, 3600)),
}
