import type { Store } from '../store/store.js'

/**
 * The same store, each call of which takes a little time before it begins and after it ended, as over
 * a network. The times are pseudo-random and the same for the same seed.
 *
 * @param options - `maxMilliseconds`: the longest wait before or after a call
 */
export function withLatency(
  store: Store,
  { maxMilliseconds = 3, seed = 1 }: { maxMilliseconds?: number; seed?: number } = {},
): Store {
  let state = seed
  const wait = (): Promise<void> => {
    // A linear congruential generator: chance enough to mix calls up, and repeatable.
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
 * The same store, one method of which fails: before it does its work, or after, when the work is done
 * but the answer is lost.
 *
 * @param fault - `from`: the first call of the method that fails, counted from 1; `times`: how many
 *   calls fail
 */
export function withFault(
  store: Store,
  {
    method,
    when = 'before',
    from = 1,
    times = Infinity,
    error = new Error('the storage is away'),
  }: {
    method: keyof Store
    when?: 'before' | 'after'
    from?: number
    times?: number
    error?: unknown
  },
): Store {
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

function wrap(
  store: Store,
  around: (method: keyof Store, call: () => Promise<unknown>) => Promise<unknown>,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = target[name as keyof Store]
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) =>
        around(name as keyof Store, async () => member.apply(target, parameters) as unknown)
    },
  })
}
