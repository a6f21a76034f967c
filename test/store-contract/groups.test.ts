import { OptionsError } from 'hallpass'
import { createMemoryStore, type Store, type StoreGroup, type StoreWith } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../src/store-contract/contract.js'
import { GROUPS, STORE_GROUPS } from '../../src/store/groups.js'
import { coreOf, recordingStore } from '../support/school/stores.js'

/** A store with these groups and no other. */
function storeWith(groups: readonly StoreGroup[]): Store {
  const all = createMemoryStore()
  const names = groups.flatMap((group): readonly (keyof Store)[] => STORE_GROUPS[group])
  const own = Object.fromEntries(names.map((name) => [name, all[name]]))
  return { ...coreOf(all), ...own } as unknown as Store
}

const groupOf = (method: string): readonly StoreGroup[] =>
  GROUPS.filter((group) => (STORE_GROUPS[group] as readonly string[]).includes(method))

const namesOf = (checks: readonly { readonly name: string }[]): readonly string[] =>
  checks.map(({ name }) => name)

const PARTS: readonly (readonly StoreGroup[])[] = [
  [],
  ...GROUPS.map((group) => [group]),
  ['outbox', 'erasure'],
  GROUPS,
]

describe('the contract of a store in parts', () => {
  it.each(PARTS.map((groups) => ({ groups })))(
    'runs with the groups $groups, and skips no other check [ST-12]',
    async ({ groups }) => {
      const checks = storeContract(() => storeWith(groups), { groups })
      expect(namesOf(checks)).toEqual(namesOf(storeContract(() => createMemoryStore())))
      const skipped = CHECKS.filter((check) => check.groups.some((one) => !groups.includes(one)))
      expect(namesOf(checks.filter(({ isSkipped }) => isSkipped))).toEqual(namesOf(skipped))
      for (const { isSkipped, run } of checks)
        if (isSkipped) await expect(run()).rejects.toThrow(/^skip this check: it needs the group "/)
        else await run()
    },
  )

  it.each(CHECKS)('$name: needs $groups', async ({ groups, check }) => {
    const [one, other] = [recordingStore(), recordingStore()]
    await check(one.store, other.store)
    const called = new Set([...one.calls, ...other.calls].flatMap(({ method }) => groupOf(method)))
    expect([...called].sort()).toEqual([...groups].sort())
  })

  it('finds a group that was not named, and one that is not there [ST-12]', async () => {
    const first = (groups: readonly StoreGroup[], store: StoreWith): Promise<void> =>
      storeContract(() => store as Store, { groups })[0]!.run()
    await expect(first([], createMemoryStore())).rejects.toThrow(
      'the store has listClients: name its group "management" in groups, so that it is checked',
    )
    await expect(first(GROUPS, storeWith([]))).rejects.toThrow(
      'the store lacks listClients of the group "management": leave it out of groups if it has none of it',
    )
    const without = { ...storeWith([]), purge: undefined as never }
    await expect(first([], without)).rejects.toThrow('the store lacks purge of its core')
  })

  it('knows no other groups', () => {
    expect(() =>
      storeContract(() => createMemoryStore(), { groups: ['outboks' as never] }),
    ).toThrow(OptionsError)
  })
})
