/**
 * Checks for a store of your own: every promise of the `Store` interface of `hallpass/store`, as titled
 * functions for any test runner. Concurrent calls are among them, so that a store that is not atomic fails.
 *
 * Start with {@link storeContract}. {@link withLatency} makes a fast store slow, which widens races, and
 * {@link withFault} makes one method fail, to test how your own code handles an outage.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { storeContract } from 'hallpass/store-contract'
 *
 * const checks = storeContract(() => createMemoryStore())
 * // In vitest, Jest and node:test:
 * // for (const { name, run, isSkipped } of checks) (isSkipped ? it.skip : it)(name, run)
 *
 * const [first] = checks
 * first?.name // => 'has every method of the core and of its groups, and none of another group'
 * await first?.run() // => undefined
 * ```
 *
 * @module
 */

export type { MakeStore, StoreCheck } from './store-contract/check.js'
export { storeContract } from './store-contract/contract.js'
export { withFault, withLatency } from './store-contract/wrap.js'
