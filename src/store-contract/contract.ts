import { authorizationChecks } from './authorization-checks.js'
import type { MakeStore, StoreCheck } from './check.js'
import { clientChecks } from './client-checks.js'
import { erasureChecks } from './erasure-checks.js'
import { clockChecks } from './clock-checks.js'
import { eventChecks } from './event-checks.js'
import { keyChecks } from './key-checks.js'
import { restoreChecks } from './restore-checks.js'
import { siteChecks } from './site-checks.js'
import { tokenChecks } from './token-checks.js'

/**
 * Returns the store contract: one check for every promise of the `Store` interface, to run in any test
 * runner. Each check opens two stores for sites of its own. The checks may therefore run concurrently, and
 * on a database that holds other rows.
 *
 * Open stores with several connections: one connection runs statements one after the other, so that no
 * race can occur.
 *
 * @param makeStore - opens the store of one site; may be asynchronous
 * @returns the checks, each with a name that is unique among them
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { storeContract } from 'hallpass/store-contract'
 *
 * const name = 'inserts a client once when several callers try at the same time'
 * const find = (checks: ReturnType<typeof storeContract>) => checks.find((one) => one.name === name)!
 *
 * const kept = find(storeContract(() => createMemoryStore()))
 * await kept.run() // => undefined
 *
 * // A store that looks for a client before it inserts one loses this race.
 * const broken = find(
 *   storeContract(() => ({ ...createMemoryStore(), insertClient: async () => 'inserted' as const })),
 * )
 * broken.run() // throws Error
 * ```
 *
 * @group Contract
 */
export function storeContract(makeStore: MakeStore): readonly StoreCheck[] {
  const run = Math.random().toString(36).slice(2, 10)
  return [
    ...authorizationChecks,
    ...clientChecks,
    ...tokenChecks,
    ...keyChecks,
    ...clockChecks,
    ...siteChecks,
    ...erasureChecks,
    ...restoreChecks,
    ...eventChecks,
  ].map(({ name, isRace = false, check }, index) => ({
    name,
    isRace,
    run: async () => {
      const site = `contract_${run}_${index}`
      await check(await makeStore(site), await makeStore(`${site}_other`))
    },
  }))
}
