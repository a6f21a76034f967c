import type { StoreWith } from '../store/groups.js'

/**
 * Returns a store that waits before and after each call, as over a network. Concurrent calls then overlap,
 * which shows races that a fast store hides. The waits are pseudo-random and repeatable.
 *
 * @param options - `maxMilliseconds`: the longest wait before and after a call. Default: 3.
 *   `seed`: an integer; the same seed gives the same waits. Default: 1
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { storeContract, withLatency } from 'hallpass/testing'
 *
 * const makeStore = () => withLatency(createMemoryStore(), { maxMilliseconds: 5 })
 * const races = storeContract(makeStore).filter(({ isRace }) => isRace)
 * await races[0]?.run() // => undefined
 * ```
 *
 * @group Wrappers for tests
 */
export function withLatency<Kept extends StoreWith>(
  store: Kept,
  { maxMilliseconds = 3, seed = 1 }: { maxMilliseconds?: number; seed?: number } = {},
): Kept {
  let state = seed
  const wait = (): Promise<void> => {
    // A linear congruential generator: random enough to reorder calls, and repeatable.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const milliseconds = (state / 2 ** 32) * maxMilliseconds
    return new Promise((resolve) => setTimeout(resolve, milliseconds))
  }
  return wrap(store, async (_method, call) => {
    await wait()
    const result = await call()
    await wait()
    return result
  })
}

/**
 * Returns a store of which one method fails: before its work, or after it, as if the response was lost.
 *
 * @param fault - `method` is the method that fails.
 *   `when`: `'after'` to fail when the work is done. Default: `'before'`.
 *   `from`: the first call that fails. Default: 1.
 *   `times`: the number of calls that fail. Default: all.
 *   `error`: what a failing call rejects with. Default: an `Error`
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { withFault } from 'hallpass/testing'
 *
 * const store = withFault(createMemoryStore(), { method: 'findClient', times: 1 })
 * store.findClient('study-app') // throws Error
 * await store.findClient('study-app') // => null
 * ```
 *
 * @group Wrappers for tests
 */
export function withFault<Kept extends StoreWith>(
  store: Kept,
  {
    method,
    when = 'before',
    from = 1,
    times = Infinity,
    error = new Error('the storage is unavailable'),
  }: {
    method: Exclude<keyof Kept, 'guarantees'>
    when?: 'before' | 'after'
    from?: number
    times?: number
    error?: unknown
  },
): Kept {
  let calls = 0
  return wrap(store, async (called, call) => {
    if (called !== method) return call()
    calls++
    const fails = calls >= from && calls < from + times
    if (fails && when === 'before') throw error
    const result = await call()
    if (fails) throw error
    return result
  })
}

function wrap<Kept extends StoreWith>(
  store: Kept,
  around: (method: keyof Kept, call: () => Promise<unknown>) => Promise<unknown>,
): Kept {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = target[name as keyof Kept]
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) =>
        around(name as keyof Kept, async () => member.apply(target, parameters) as unknown)
    },
  })
}
