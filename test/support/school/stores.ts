import type { Client } from 'hallpass/policy'
import { createMemoryStore, type Store, type StoreWith } from 'hallpass/store'
import { CORE_RESULTS } from '../../../src/store/groups.js'
import type { StoreMethod } from '../../../src/store/store.js'

/** The members of a storage that are functions. */
const methodsOf = (store: object): readonly [StoreMethod, (...all: never[]) => unknown][] =>
  (Object.entries(store) as [StoreMethod, (...all: never[]) => unknown][]).filter(
    ([, member]) => typeof member === 'function',
  )

/** One call of a store's method, with everything that went in and came out. */
interface StoreCall {
  readonly method: StoreMethod
  readonly parameters: readonly unknown[]
  readonly result: unknown
}

/** A store whose calls can be read afterwards. */
export function recordingStore(store: Store = createMemoryStore()): {
  readonly store: Store
  readonly calls: StoreCall[]
} {
  const calls: StoreCall[] = []
  const recording: Record<string, unknown> = {}
  for (const [method, run] of methodsOf(store))
    recording[method] = async (...parameters: never[]) => {
      const result = await run(...parameters)
      calls.push({ method, parameters, result })
      return result
    }
  return { store: { ...store, ...recording }, calls }
}

/** What a stranger wrote: the methods of the core of a store, and nothing else. */
export const coreOf = (store: StoreWith): StoreWith => ({
  ...(Object.fromEntries(
    (Object.keys(CORE_RESULTS) as (keyof typeof CORE_RESULTS)[]).map((verb) => [
      verb,
      (...all: readonly unknown[]) =>
        (store[verb] as (...all: readonly unknown[]) => unknown)(...all),
    ]),
  ) as unknown as StoreWith),
  guarantees: { ...store.guarantees, clock: 'process' },
})

/**
 * The same store, with one method's results changed: what another process wrote, or what a careless
 * store lost.
 */
export function withResult<Method extends StoreMethod>(
  store: Store,
  method: Method,
  change: (result: Awaited<ReturnType<Store[Method]>>) => Awaited<ReturnType<Store[Method]>>,
): Store {
  const run = store[method] as (...all: unknown[]) => Promise<Awaited<ReturnType<Store[Method]>>>
  return { ...store, [method]: async (...all: unknown[]) => change(await run(...all)) }
}

/** The same store, with its clients changed, wherever it returns one. */
export function withClient(store: Store, change: (client: Client | null) => Client | null): Store {
  const within = <Found extends { readonly client: Client | null }>(
    found: Found | null,
  ): Found | null => found && { ...found, client: change(found.client) }
  return {
    ...store,
    findClient: async (clientId) => change(await store.findClient(clientId)),
    findCode: async (codeHash) => within(await store.findCode(codeHash)),
    findAccessToken: async (tokenHash) => within(await store.findAccessToken(tokenHash)),
    findRefreshToken: async (tokenHash) => within(await store.findRefreshToken(tokenHash)),
  }
}

/** What a broken storage says; nobody outside may read it. */
export const FAULT_TEXT = 'connection to 10.0.0.7 refused for user hallpass_rw'

/**
 * A store one method of which fails, or never responds, from the moment it is told to, until it is told
 * `null`.
 */
export function breakableStore(store: Store = createMemoryStore()): {
  readonly store: Store
  readonly fail: (method: StoreMethod | null) => void
  readonly hang: (method: StoreMethod | null) => void
} {
  let failing: StoreMethod | null = null
  let hanging: StoreMethod | null = null
  const breakable: Record<string, unknown> = {}
  for (const [method, run] of methodsOf(store))
    breakable[method] = async (...parameters: never[]) => {
      if (method === failing) throw new Error(FAULT_TEXT)
      return method === hanging ? new Promise(() => {}) : run(...parameters)
    }
  return {
    store: { ...store, ...breakable },
    fail: (method) => (failing = method),
    hang: (method) => (hanging = method),
  }
}

/** A store that takes no text with a NUL in it, as PostgreSQL takes none. */
export function storeWithoutNul(): Store
export function storeWithoutNul<Kept extends object>(store: Kept): Kept
export function storeWithoutNul(store: object = createMemoryStore()): object {
  const picky: Record<string, unknown> = {}
  for (const [method, run] of methodsOf(store))
    picky[method] = async (...parameters: never[]) => {
      if (JSON.stringify(parameters).includes('\\u0000'))
        throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
      return run(...parameters)
    }
  return { ...store, ...picky }
}
