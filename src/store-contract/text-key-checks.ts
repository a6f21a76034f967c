import { checkOf, type Wanted } from '../options/wanted.js'
import { STORE_ARGUMENTS } from '../store/arguments.js'
import { wantedOf } from '../store/given.js'
import { GROUPS, STORE_GROUPS, type StoreGroup } from '../store/groups.js'
import type { Store, StoreMethod } from '../store/store.js'
import { type Promised, same, settles } from './check.js'
import { storeUnder } from './near-key-checks.js'
import { T } from './samples.js'

/** The key under which everything is stored. A database may compare the number with it. */
const KEY = '7'
/** Values that hosts have in place of a string: a column of integers, a row without a value, a driver that returns buffers. */
const OTHERS: readonly unknown[] = [
  7,
  0,
  7n,
  true,
  null,
  undefined,
  [KEY],
  new TextEncoder().encode(KEY),
  new Date(0),
  { toString: () => KEY },
]
/** Values of which one fits each condition. */
const FITTING: readonly unknown[] = [KEY, T, true, [KEY], []]

/** Makes an argument as a method takes it, in which every text is the key. */
function fitting({ fields, each, ...wanted }: Wanted): unknown {
  if (each !== undefined) return [fitting(each)]
  if (fields === undefined) return FITTING.find((one) => wanted.fits(one))
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fitting(field)]))
}

/** Makes arguments in which one text each is something else. */
function* without(wanted: Wanted): Generator {
  if ('isText' in wanted) yield* OTHERS
  if (wanted.each !== undefined) for (const other of without(wanted.each)) yield [other]
  for (const [name, field] of Object.entries(wanted.fields ?? {}))
    for (const other of without(field)) yield { ...(fitting(wanted) as object), [name]: other }
}

/** Makes the arguments of calls, each with one that the method does not take. */
function* callsOf(method: StoreMethod): Generator<readonly unknown[]> {
  const wanted = wantedOf(STORE_ARGUMENTS[method])
  for (const [index, one] of wanted.entries())
    for (const other of without(one))
      if (!checkOf(one)(other)) yield wanted.map((its, at) => (at === index ? other : fitting(its)))
}

/** Reads what is stored under the key, with the methods of the core, and of the outbox if the store is to have it. */
async function stored(store: Store, groups: readonly StoreGroup[]): Promise<readonly unknown[]> {
  const found = await Promise.all([
    store.findClient(KEY),
    store.findPending(KEY),
    store.hasConsent(KEY),
    store.findCode(KEY),
    store.findCode(`open ${KEY}`),
    store.findAccessToken(KEY),
    store.findRefreshToken(KEY),
    store.listGrants({ of: 'everyone', after: null, limit: 9, now: T }),
    store.listKeys(),
  ])
  return [...found, groups.includes('outbox') ? await store.listEvents({ limit: 9 }) : null]
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'bigint' ? `${one}n` : one === undefined ? 'undefined' : one,
  )

const ask = async (store: Store, method: StoreMethod, call: readonly unknown[]): Promise<unknown> =>
  (store[method] as (...all: readonly unknown[]) => Promise<unknown>)(...call)

const groupOf = (method: StoreMethod): readonly StoreGroup[] =>
  GROUPS.filter((group) => STORE_GROUPS[group].some((one) => one === method))

/** The checks of identifiers that are not texts: one for each method that takes a text, with the group of the method. */
export const textKeyChecks: readonly (Promised<Store> & {
  readonly groups: readonly StoreGroup[]
})[] = Object.keys(STORE_ARGUMENTS).flatMap((name) => {
  const method = name as StoreMethod
  const calls = [...callsOf(method)]
  if (calls.length === 0) return []
  const groups = groupOf(method)
  return {
    name: `rejects an identifier that is not a string, and changes nothing: ${method}`,
    groups,
    async check(store, other) {
      // Nothing is stored there, so that a call which the method takes resolves.
      await ask(other, method, wantedOf(STORE_ARGUMENTS[method]).map(fitting))
      await storeUnder(store, KEY)
      const before = await stored(store, groups)
      for (const call of calls) {
        const settled = await settles(ask(store, method, call))
        const what = `${method}(${call.map(show).join(', ')})`
        same(settled === null, true, `rejects ${what}: wrap the store in withTextKeys. It`)
      }
      same(await stored(store, groups), before, 'what is stored')
    },
  }
})
