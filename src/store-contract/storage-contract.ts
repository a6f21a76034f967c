import type { SiteStorage } from '../store/storage.js'
import { storageChecks } from './storage-checks.js'
import { T } from './samples.js'
import { wholeSiteChecks } from './whole-site-checks.js'

/** Later than every row that a check stores, and before any clock. */
const DRAINED = T + 1800 * 86_400
const ROUNDS = 50

/** Deletes what earlier checks have left, which are in the way of a purge of all sites. */
async function drain(storage: SiteStorage): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const { rows, dueSince } = await storage.purge({ now: DRAINED, limit: 1000 })
    if (rows === 0 && dueSince === null) return
  }
  throw new Error(`the storage still purged rows after ${ROUNDS} calls`)
}

/**
 * Returns the contract of a storage of many sites: one check for every promise of `SiteStorage`, to run in any test
 * runner. Check one of its stores with `storeContract` as well.
 *
 * A purge is of all sites. So run one check after the other, in a database that holds nothing else.
 *
 * @param makeStorage - opens the storage; may be asynchronous
 * @returns the checks, each with a name that is unique among them. `isRace`: whether it calls the storage concurrently
 * @example
 * ```ts
 * import { createMemoryStorage } from 'hallpass/store'
 * import { storageContract } from 'hallpass/testing'
 *
 * const name = 'lists the sites with events'
 * const find = (checks: ReturnType<typeof storageContract>) => checks.find((one) => one.name === name)!
 * await find(storageContract(() => createMemoryStorage())).run() // => undefined
 *
 * // A storage that never finds a site.
 * const broken = () => ({ ...createMemoryStorage(), listSites: async () => [] })
 * find(storageContract(broken)).run() // throws Error
 * ```
 *
 * @group Contract
 */
export function storageContract(makeStorage: () => SiteStorage | Promise<SiteStorage>): readonly {
  readonly name: string
  readonly isRace: boolean
  /** Resolves if the storage keeps the promise; rejects with an `Error` that names the difference. */
  readonly run: () => Promise<void>
}[] {
  const run = Math.random().toString(36).slice(2, 10)
  return [...storageChecks, ...wholeSiteChecks].map(({ name, isRace = false, check }, index) => ({
    name,
    isRace,
    run: async () => {
      const storage = await makeStorage()
      await drain(storage)
      await check(storage, `contract_${run}_${index}`)
    },
  }))
}
