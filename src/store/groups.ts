import type { Read } from './guard.js'
import { STORE_RESULTS } from './returned.js'
import type { Store, StoreMethod } from './store.js'

/** The methods that a store may lack, by group: it has all of a group, or none. Every other method is its core. */
export const STORE_GROUPS = {
  management: ['listClients', 'revokeGrants'],
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
 * - `management`: `listClients` and `revokeGrants`, for client management and connected apps;
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

const without = (absent: readonly StoreGroup[]): Readonly<Record<string, Read>> => {
  const names: readonly string[] = absent.flatMap((group) => STORE_GROUPS[group])
  return Object.fromEntries(Object.entries(STORE_RESULTS).filter(([name]) => !names.includes(name)))
}

/** How what each method of the core returns is read. */
export const CORE_RESULTS = without(GROUPS) as Readonly<
  Record<Extract<keyof StoreWith, StoreMethod>, Read>
>

/** How what each method of a store returns is read: those of the core, and of the groups that it has. */
export const resultsOf = <Kept extends StoreWith>(
  store: Kept,
): Readonly<Record<Exclude<keyof Kept, 'guarantees'>, Read>> =>
  without(GROUPS.filter((group) => !hasGroup(store, group))) as Readonly<
    Record<Exclude<keyof Kept, 'guarantees'>, Read>
  >
