import { OptionsError } from 'hallpass'
import { createMemoryStore, type Store } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { CORE_RESULTS, GROUPS, STORE_GROUPS } from '../../src/store/groups.js'
import { STORE_RESULTS } from '../../src/store/returned.js'

type MakeStore = Parameters<typeof storeContract>[0]
type Through = Parameters<MakeStore>[1]
type Run = (verb: string, parameters: readonly unknown[]) => Promise<unknown>

class Conflict extends Error {}
class Lost extends Error {}
const faults = { conflict: () => new Conflict('rolled back'), lost: () => new Lost('cut') }
const WON = ['inserted', 'replaced', 'ended', 'issued', 'redeemed', 'rotated', 'revoked', 'moved', 'widened', 'first'] // prettier-ignore

const WHOLE = 'writes all of a change or nothing, whichever of its statements fails'
const OWN = 'returns that it won, or rejects, whichever answer of the database is lost'

/**
 * A store over an executor that runs a method of the memory store as one transaction, which repeats what was rolled back or
 * lost. It recognizes nothing: a loser whose first answer was lost rejects.
 */
function storeOver(
  through: Through,
  { repeats = true, knowsLoss = true, split = null as null | ((run: Run) => Partial<Store>) } = {},
): Store {
  const memory = createMemoryStore()
  const execute: Run = through(async (verb: string, parameters: readonly unknown[]) =>
    (memory as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[verb]!(
      ...parameters,
    ),
  )
  const run: Run = async (verb, parameters) => {
    let lost: unknown = null
    for (let attempt = 0; ; attempt++)
      try {
        const outcome = await execute(verb, parameters)
        const isSure =
          lost === null || !knowsLoss || WON.includes(String(outcome)) || /^(?:find|list|has|delete|purge)/.test(verb) // prettier-ignore
        if (isSure) return outcome
        throw lost
      } catch (fault) {
        const mayRepeat = repeats && (fault instanceof Conflict || fault instanceof Lost)
        if (!mayRepeat || fault === lost || attempt > 20) throw fault
        if (fault instanceof Lost) lost = fault
      }
  }
  const methods = Object.fromEntries(
    Object.keys(STORE_RESULTS).map((verb) => [
      verb,
      (...parameters: readonly unknown[]) => run(verb, parameters),
    ]),
  ) as unknown as Omit<Store, 'guarantees'>
  return { ...methods, guarantees: memory.guarantees, ...split?.(run) }
}

/** The checks that fail, each with what it says. */
async function failuresOf(
  makeStore: MakeStore,
  options: Parameters<typeof storeContract>[1] = { faults },
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, isSkipped, run } of storeContract(makeStore, options))
    if (!isSkipped) await run().catch((fault: Error) => failures.set(name, fault.message))
  return failures
}

describe('the contract of a store whose database fails [ST-14]', () => {
  it('is kept by one that repeats what was rolled back, and knows what was lost', async () => {
    expect(await failuresOf((_, through) => storeOver(through))).toEqual(new Map())
  })

  it('is broken in every check by one that repeats nothing', async () => {
    const failures = await failuresOf((_, through) => storeOver(through, { repeats: false }))
    const names = storeContract(() => createMemoryStore()).map(({ name }) => name)
    const still = names.filter((name) => !failures.has(name))
    expect(still).toEqual([
      'has every method of the core and of its groups, and none of another group',
      'declares its guarantees in words that a site accepts',
    ])
    expect(failures.get('finds nothing that another site stored')).toBe(
      'while each call fails once because of others: rolled back',
    )
    expect([failures.has(WHOLE), failures.has(OWN)]).toEqual([false, false])
  })

  it('is broken by one that takes what it did itself for the work of others', async () => {
    const failures = await failuresOf((_, through) => storeOver(through, { knowsLoss: false }))
    expect([...failures]).toEqual([
      [OWN, 'insertClient, whose call 1 of the executor failed, returned: expected "inserted", got "exists"'], // prettier-ignore
    ])
  })

  it('is broken by one that says that it won when its change is not there', async () => {
    const split = (run: Run): Partial<Store> => ({
      async revokeGrant(...parameters) {
        await run('revokeGrant', parameters).catch(() => {})
        return 'revoked'
      },
    })
    const failures = await failuresOf((_, through) => storeOver(through, { split }))
    expect(failures.get(WHOLE)).toMatch(/^revokeGrant, whose call 1 of the executor failed, left: expected /) // prettier-ignore
  })

  it('is broken by one that says that a key is used for the first time when it could not be stored', async () => {
    const split = (run: Run): Partial<Store> => ({
      useOnce: (use) =>
        run('useOnce', [use]).then(
          (outcome) => outcome as 'first',
          () => 'first',
        ),
    })
    const failures = await failuresOf((_, through) => storeOver(through, { split }))
    expect(failures.get(WHOLE)).toBe(
      'useOnce, whose call 1 of the executor failed, and was made again, returned: expected "again", got "first"',
    )
  })

  it('is broken by one that keeps its event in a second statement', async () => {
    const split = (run: Run): Partial<Store> => ({
      async redeemCode(redemption, events = []) {
        const outcome = (await run('redeemCode', [redemption])) as 'redeemed'
        const nobody = { subject: '', loginHints: [], erasedAt: 0 }
        if (outcome === 'redeemed' && events.length > 0) await run('erasePerson', [nobody, events])
        return outcome
      },
    })
    const failures = await failuresOf((_, through) => storeOver(through, { split }))
    expect(failures.get(WHOLE)).toMatch(/^redeemCode, whose call 2 of the executor failed, left: /)
  })

  it('is broken by one that ends the request before it issues the code', async () => {
    const split = (run: Run): Partial<Store> => ({
      async issueCode(issue, events) {
        const { pendingIdHash } = issue
        if (pendingIdHash !== null && (await run('endPending', [pendingIdHash])) === 'gone')
          return 'gone'
        return (await run('issueCode', [{ ...issue, pendingIdHash: null }, events])) as 'issued'
      },
    })
    const failures = await failuresOf((_, through) => storeOver(through, { split }))
    expect(failures.get(WHOLE)).toMatch(/^issueCode, whose call 2 of the executor failed, left: /)
  })

  it('says that an executor does not come through', async () => {
    const failures = await failuresOf(() => createMemoryStore())
    expect(failures.get(WHOLE)).toBe(
      'insertClient called no function that makeStore passed through its second parameter',
    )
    expect(failures.size).toBe(2)
  })

  it('gives up a store that repeats a fault without end', async () => {
    const split = (run: Run): Partial<Store> => ({
      async insertKey(key) {
        for (let call = 0; call < 101; call++) await run('listKeys', [])
        return (await run('insertKey', [key])) as 'inserted'
      },
    })
    const failures = await failuresOf((_, through) => storeOver(through, { split }))
    expect(failures.get(WHOLE)).toBe('insertKey made more than 100 calls of the executor')
  })

  it('skips the lost answers of a database whose words are not named, and is shorter without faults', async () => {
    const make: MakeStore = (_, through) => storeOver(through)
    const lost = storeContract(make, { faults: {} }).filter(({ isSkipped }) => isSkipped)
    expect(lost.map(({ name }) => name)).toEqual([OWN])
    await expect(lost[0]!.run()).rejects.toThrow('skip this check: it needs faults.lost')
    const names = storeContract(make).map(({ name }) => name)
    expect(names).not.toContain(WHOLE)
    expect(storeContract(make, { faults })).toHaveLength(names.length + 2)
    expect(() => storeContract(make, { faults: { lost: 1 as never } })).toThrow(OptionsError)
    expect(() => storeContract(make, { faults: { loss: () => 1 } as never })).toThrow(
      'did you mean lost?',
    )
  })

  it('leaves out the methods of groups that the store does not have', async () => {
    const make: MakeStore = (_, through) => {
      const whole = storeOver(through) as unknown as Record<string, unknown>
      const absent: readonly string[] = GROUPS.flatMap((group) => STORE_GROUPS[group])
      return Object.fromEntries(
        Object.entries(whole).filter(([name]) => !absent.includes(name)),
      ) as never
    }
    expect(Object.keys(await make('site', (one) => one)).toSorted()).toEqual(
      [...Object.keys(CORE_RESULTS), 'guarantees'].toSorted(),
    )
    expect(await failuresOf(make, { faults, groups: [] })).toEqual(new Map())
  })
})
