import {
  callback,
  checkOptions,
  list,
  oneOf,
  optional,
  type Rules,
  shape,
} from '../options/check.js'
import {
  CORE_RESULTS,
  GROUPS,
  STORE_GROUPS,
  type StoreGroup,
  type StoreWith,
} from '../store/groups.js'
import { guaranteeMistakes } from '../store/guarantees.js'
import type { Store } from '../store/store.js'
import { authorizationChecks } from './authorization-checks.js'
import { boundChecks } from './bound-checks.js'
import type { Promised } from './check.js'
import { clientChecks, managementChecks } from './client-checks.js'
import { erasureChecks } from './erasure-checks.js'
import { clockChecks } from './clock-checks.js'
import {
  clockEventChecks,
  erasureEventChecks,
  eventChecks,
  managementEventChecks,
  restoreEventChecks,
  stepUpEventChecks,
} from './event-checks.js'
import { createGate, eachOnce, faultChecks, type Through } from './fault-checks.js'
import { keyChecks } from './key-checks.js'
import {
  nearErasureChecks,
  nearKeyChecks,
  nearManagementChecks,
  nearOnceChecks,
  nearOutboxChecks,
  nearStepUpChecks,
} from './near-key-checks.js'
import { onceChecks } from './once-checks.js'
import { restoreChecks } from './restore-checks.js'
import { siteChecks } from './site-checks.js'
import { textKeyChecks } from './text-key-checks.js'
import { stepUpChecks, tokenChecks } from './token-checks.js'

/** A check with the groups that it needs. */
interface Needing extends Promised<Store> {
  readonly groups: readonly StoreGroup[]
}

const needing = <Group extends StoreGroup>(
  groups: readonly Group[],
  checks: readonly Promised<StoreWith<Group>>[],
): readonly Needing[] => checks.map((check) => ({ ...check, groups }))

/** Every check of the contract, in a fixed order. */
export const CHECKS: readonly Needing[] = [
  ...needing([], authorizationChecks),
  ...needing([], clientChecks),
  ...needing([], tokenChecks),
  ...needing([], boundChecks),
  ...needing([], keyChecks),
  ...needing([], siteChecks),
  ...needing([], nearKeyChecks),
  ...needing(['management'], managementChecks),
  ...needing(['management'], nearManagementChecks),
  ...needing(['stepUp'], stepUpChecks),
  ...needing(['stepUp'], nearStepUpChecks),
  ...needing(['outbox'], eventChecks),
  ...needing(['outbox'], nearOutboxChecks),
  ...needing(['clock'], clockChecks),
  ...needing(['erasure'], erasureChecks),
  ...needing(['erasure'], nearErasureChecks),
  ...needing(['restore'], restoreChecks),
  ...needing(['once'], onceChecks),
  ...needing(['once'], nearOnceChecks),
  ...needing(['outbox', 'management'], managementEventChecks),
  ...needing(['outbox', 'stepUp'], stepUpEventChecks),
  ...needing(['outbox', 'clock'], clockEventChecks),
  ...needing(['outbox', 'erasure'], erasureEventChecks),
  ...needing(['outbox', 'restore'], restoreEventChecks),
  ...textKeyChecks,
]

/** Compares the methods of a store with the groups that it is said to have. */
const methodsCheck = (groups: readonly StoreGroup[]): Needing => ({
  name: 'has every method of the core and of its groups, and none of another group',
  groups: [],
  async check(store) {
    const has = (method: string): boolean => typeof store[method as keyof Store] === 'function'
    const lacking = Object.keys(CORE_RESULTS).filter((method) => !has(method))
    if (lacking.length > 0) throw new Error(`the store lacks ${lacking.join(', ')} of its core`)
    for (const group of GROUPS)
      for (const method of STORE_GROUPS[group]) {
        const isNamed = groups.includes(group)
        if (has(method) === isNamed) continue
        throw new Error(
          isNamed
            ? `the store lacks ${method} of the group "${group}": leave it out of groups if it has none of it`
            : `the store has ${method}: name its group "${group}" in groups, so that it is checked`,
        )
      }
  },
})

const guaranteesCheck: Needing = {
  name: 'declares its guarantees in words that a site accepts',
  groups: [],
  async check(store) {
    const mistakes = guaranteeMistakes(store, 'the store')
    if (mistakes.length > 0) throw new Error(mistakes.join('; '))
  },
}

/**
 * Returns the store contract: one check for every promise of the `Store` interface, to run in any test
 * runner. The list is the same for every store. A check of a group that the store does not have is skipped, and the
 * first check finds a group that you did not name. Each check opens two stores for sites of its own. The checks may
 * therefore run concurrently, and on a database that holds other rows.
 *
 * Open stores with several connections: one connection runs statements one after the other, so that no
 * race can occur.
 *
 * With `faults`, the database fails as well. The function that runs a statement, a batch or a transaction of your store goes
 * through the second parameter of `makeStore`. Then each check runs twice, the second time with a conflict at the first try
 * of each call. Two further checks make one call after the other fail, and lose one answer after the other.
 *
 * @param makeStore - opens the store of one site; may be asynchronous. `through` returns a function like its argument, which
 *   returns a promise
 * @param options - `groups`: the groups that the store has in addition to its core; `[]` if none. Default: all of them.
 *   `faults`: how the database fails. Default: it does not
 * @returns the checks, each with a name that is unique among them
 * @throws OptionsError if an option or a group is unknown
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { storeContract } from 'hallpass/testing'
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
export function storeContract<Groups extends readonly StoreGroup[] = readonly StoreGroup[]>(
  makeStore: (
    site: string,
    through: <Executor extends (...parameters: never[]) => unknown>(executor: Executor) => Executor,
  ) => StoreWith<NoInfer<Groups>[number]> | Promise<StoreWith<NoInfer<Groups>[number]>>,
  options: {
    readonly groups?: Groups
    readonly faults?: {
      /** Returns the error of a statement that was rolled back because of others, after which the store tries again. */
      readonly conflict?: () => unknown
      /** Returns the error of a connection that was lost, so that the statement may have been committed. */
      readonly lost?: () => unknown
    }
  } = {},
): readonly {
  /** The promise as a sentence, such as the title of a test. */
  readonly name: string
  /** Whether it calls the store concurrently. Such a check is stricter with `withLatency`. */
  readonly isRace: boolean
  /**
   * Whether it needs a group that the store does not have, or `faults.lost`. Tell the test runner to skip it, so that its
   * report says so: `run` would reject.
   */
  readonly isSkipped: boolean
  /** Resolves if the store keeps the promise; rejects with an `Error` that names the difference. */
  readonly run: () => Promise<void>
}[] {
  const { groups = GROUPS, faults }: Given = checkOptions<Given>('store contract', options, RULES)
  const run = Math.random().toString(36).slice(2, 10)
  const open = async (site: string, through: Through): Promise<Store> =>
    // The checks of absent groups do not come here.
    (await makeStore(site, through)) as Store
  const promised = [methodsCheck(groups), guaranteesCheck, ...CHECKS].map((one, index) => {
    const { name, isRace = false, check } = one
    const absent = one.groups.filter((group) => !groups.includes(group))
    return {
      name,
      isRace,
      isSkipped: absent.length > 0,
      run: async () => {
        if (absent.length > 0)
          throw new Error(
            `skip this check: it needs the group "${absent.join('" and "')}", which groups does not name`,
          )
        const site = `contract_${run}_${index}`
        // Names that differ in case only are two sites.
        await check(await open(site, asIs), await open(site.toUpperCase(), asIs))
        const { conflict } = faults ?? {}
        if (conflict === undefined) return
        const { through } = createGate(eachOnce(conflict))
        const again = `${site}_again`
        const stores = [
          await open(again, through),
          await open(again.toUpperCase(), through),
        ] as const
        await check(...stores).catch((cause: unknown) => {
          throw new Error(
            `while each call fails once because of others: ${cause instanceof Error ? cause.message : String(cause)}`,
            { cause },
          )
        })
      },
    }
  })
  if (faults === undefined) return promised
  const faulty = faultChecks.map(({ name, when, check }) => {
    const faultOf = when === 'after' ? faults.lost : () => new Error('a fault of the contract')
    return {
      name,
      isRace: false,
      isSkipped: faultOf === undefined,
      run: async () => {
        if (faultOf === undefined) throw new Error('skip this check: it needs faults.lost')
        await check((site, through) => open(`contract_${run}_${when}_${site}`, through), faultOf())
      },
    }
  })
  return [...promised, ...faulty]
}

type Given = NonNullable<Parameters<typeof storeContract>[1]>

const RULES: Rules<Given> = {
  groups: optional(list(oneOf(...GROUPS))),
  faults: optional(
    shape<NonNullable<Given['faults']>>('{ conflict, lost }', {
      conflict: optional(callback("() => Object.assign(new Error(), { code: '40001' })")),
      lost: optional(callback("() => Object.assign(new Error(), { code: '08006' })")),
    }),
  ),
}

const asIs: Through = (executor) => executor
