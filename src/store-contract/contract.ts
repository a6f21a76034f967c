import { authorizationChecks } from './authorization-checks.js'
import type { MakeStore, StoreCheck } from './check.js'
import { clientChecks } from './client-checks.js'
import { keyChecks } from './key-checks.js'
import { siteChecks } from './site-checks.js'
import { tokenChecks } from './token-checks.js'

/**
 * Every promise of the `Store` interface, as checks for any test runner:
 *
 * ```ts
 * for (const check of storeContract(makeStore)) it(check.name, check.run)
 * ```
 *
 * Each check opens stores for sites of its own, so they may run at once and against a database that
 * holds other rows.
 */
export function storeContract(makeStore: MakeStore): readonly StoreCheck[] {
  const run = Math.random().toString(36).slice(2, 10)
  return [...authorizationChecks, ...clientChecks, ...tokenChecks, ...keyChecks, ...siteChecks].map(
    ({ name, isRace = false, check }, index) => ({
      name,
      isRace,
      run: async () => {
        const site = `contract_${run}_${index}`
        await check(await makeStore(site), await makeStore(`${site}_other`))
      },
    }),
  )
}
