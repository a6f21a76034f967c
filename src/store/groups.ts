import { STORE_ARGUMENTS } from './arguments.js'
import type { AnyGiven } from './given.js'
import { type Read, refusingOthers } from './guard.js'
import { STORE_RESULTS } from './returned.js'
import type { Store, StoreMethod } from './store.js'

/** The methods that a store may lack, by group: it has all of a group, or none. Every other method is its core. */
export const STORE_GROUPS = {
  management: ['listClients', 'revokeGrants', 'revokeGrantsOfClient'],
  stepUp: ['findGrant', 'widenGrant'],
  outbox: ['listEvents', 'deleteEvents'],
  clock: ['findClock', 'moveClock'],
  erasure: ['erasePerson'],
  restore: ['revokeAllGrants'],
  once: ['useOnce', 'giveBack'],
} as const

/**
 * A group of methods that a {@link Store} may have in addition to its core. It has all of them, or none:
 *
 * - `management`: `listClients`, `revokeGrants` and `revokeGrantsOfClient`, for client management and connected apps;
 * - `stepUp`: `findGrant` and `widenGrant`, for the option `stepUpLinks` of a site;
 * - `outbox`: `listEvents` and `deleteEvents`, for the option `outbox`;
 * - `clock`: `findClock` and `moveClock`, for a clock that is compared with the one of the process;
 * - `erasure`: `erasePerson`;
 * - `restore`: `revokeAllGrants`;
 * - `once`: `useOnce` and `giveBack`, for blocks with assertions that may be used once, such as `privateKeyJwt`.
 *
 * @group Stores
 */
export type StoreGroup = keyof typeof STORE_GROUPS

/**
 * A {@link Store} with its core, which are the 20 methods that a site, its endpoints, its keys and `maintain` call, and
 * with these groups. Without a group, it is only the core.
 *
 * @example
 * ```ts
 * import { createMemoryStore, type StoreWith } from 'hallpass/store'
 *
 * const store: StoreWith<'outbox'> = createMemoryStore()
 * await store.listEvents({ limit: 1 }) // => []
 * ```
 *
 * @group Stores
 */
export type StoreWith<Group extends StoreGroup = never> = Pick<
  Store,
  Exclude<keyof Store, (typeof STORE_GROUPS)[Exclude<StoreGroup, Group>][number]>
>

export const GROUPS = Object.keys(STORE_GROUPS) as readonly StoreGroup[]

/** Returns what a store lacks of a group. */
const lackingOf = (store: object, group: StoreGroup): readonly string[] =>
  STORE_GROUPS[group].filter((name) => typeof (store as Partial<Store>)[name] !== 'function')

/** Whether a store has a group. */
export const hasGroup = <Group extends StoreGroup>(
  store: object,
  group: Group,
): store is StoreWith<Group> => lackingOf(store, group).length === 0

/**
 * Finds what a store lacks of the group that a function or an option needs.
 *
 * @param needer - the name of the function or the option
 */
export function groupMistakes(needer: string, store: object, group: StoreGroup): readonly string[] {
  const lacking = lackingOf(store, group)
  return lacking.length === 0
    ? []
    : [`${needer} needs the group "${group}" of the store: it lacks ${lacking.join(', ')}`]
}

const without = <Row>(
  rows: Readonly<Record<StoreMethod, Row>>,
  absent: readonly StoreGroup[],
): Readonly<Record<string, Row>> => {
  const names: readonly string[] = absent.flatMap((group) => STORE_GROUPS[group])
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !names.includes(name)))
}

/** How what each method of the core returns is read. */
export const CORE_RESULTS = without(STORE_RESULTS, GROUPS) as Readonly<
  Record<Extract<keyof StoreWith, StoreMethod>, Read>
>

const ARGUMENTS = new Map<string, Readonly<Record<string, AnyGiven>>>()

/**
 * The arguments of each method of a store: those of the core, and of the groups that it has. Stores with the same groups
 * have the same object.
 */
export function argumentsOf<Kept extends StoreWith>(
  store: Kept,
): Readonly<Record<Exclude<keyof Kept, 'guarantees'>, AnyGiven>> {
  const absent = GROUPS.filter((group) => !hasGroup(store, group))
  const known = ARGUMENTS.get(absent.join()) ?? without<AnyGiven>(STORE_ARGUMENTS, absent)
  ARGUMENTS.set(absent.join(), known)
  return known as Readonly<Record<Exclude<keyof Kept, 'guarantees'>, AnyGiven>>
}

/**
 * Returns a store of your own in which every method rejects, and asks nothing, if an identifier is not a string. A database
 * may compare the number 7 with every text that begins with 7. The stores of hallpass do so by themselves.
 *
 * @returns the store, with its guarantees
 * @example
 * ```ts
 * import { createMemoryStore, withTextKeys } from 'hallpass/store'
 *
 * // Replace this with your store.
 * const store = withTextKeys(createMemoryStore())
 * await store.findClient('study-app') // => null
 * await store.findClient(7 as never).catch((fault: Error) => fault.message)
 * // => 'findClient was given 7: it must be a string, such as String(id)'
 * ```
 *
 * @group Stores
 */
export const withTextKeys = <Kept extends StoreWith>(store: Kept): Kept => ({
  ...store,
  ...refusingOthers<Omit<Kept, 'guarantees'>>(store, argumentsOf(store)),
})
