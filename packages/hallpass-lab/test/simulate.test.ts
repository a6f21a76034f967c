import { createMemoryStore, type Store } from 'hallpass/store'
import { simulate, type SimulationOptions, type SimulationRule } from 'hallpass-lab'
import { describe, expect, it } from 'vitest'
import { BROKEN_CLIENTS, pause } from '../../../test/store-contract/broken-client-stores.js'
import { emptyTables } from '../../../src/store/memory.js'
import { startChild } from '../../../test/support/processes/child.js'
import { waitFor } from '../../../test/support/processes/wait.js'
import { rounds } from '../../../test/support/run/rounds.js'
import { ROOT } from '../../../test/support/source/root.js'

/** A store with one fault, and the rules that clients would see broken, beside those of the store itself. */
type Broken = readonly [
  fault: string,
  rules: readonly SimulationRule[],
  break_: (store: Store) => Partial<Store>,
]

const known = (fault: string): Broken[2] => BROKEN_CLIENTS.find(([name]) => name === fault)![2]

const BROKEN: readonly Broken[] = [
  [
    'looks at a code and then redeems it',
    ['not_linearizable', 'code_redeemed_twice'],
    (store) => ({
      async redeemCode(redeem) {
        const code = await store.findCode(redeem.codeHash)
        if (code === null) return 'missing'
        if (code.redeemedAt !== null) return 'spent'
        await Promise.resolve()
        await store.issueCode({ code, pendingIdHash: null, consentKey: null })
        return store.redeemCode(redeem)
      },
    }),
  ],
  [
    'looks at a refresh token and then rotates it',
    ['not_linearizable', 'refresh_token_forked', 'refused_while_valid'],
    (store) => ({
      async rotateRefreshToken(rotate) {
        const found = await store.findRefreshToken(rotate.tokenHash)
        if (found === null) return 'missing'
        if (found.grant.revokedAt !== null) return 'revoked'
        if (found.refreshToken.rotation !== null) return 'spent'
        await pause()
        await store.rotateRefreshToken(rotate)
        return 'rotated'
      },
    }),
  ],
  [
    'says that a grant is revoked before it is',
    ['not_linearizable', 'accepted_after_end'],
    (store) => ({
      async revokeGrant(revocation) {
        const found = await store.listGrants({
          of: 'everyone',
          after: null,
          limit: 1000,
          now: 0,
        })
        if (!found.some(({ grant }) => grant.grantId === revocation.grantId)) return 'missing'
        return 'revoked'
      },
    }),
  ],
  [
    'revokes one access token and keeps it',
    ['not_linearizable', 'accepted_after_end'],
    () => ({ revokeAccessToken: async () => 'revoked' }),
  ],
  [
    'looks at the grants of a person and then ends each of them',
    ['not_linearizable', 'accepted_after_end'],
    known('looks at the grants and then ends each of them'),
  ],
  [
    'leaves the codes of a client that was disconnected',
    ['not_linearizable'],
    known('leaves the codes that wait'),
  ],
  [
    'ends what everybody has with one person',
    ['not_linearizable', 'refused_while_valid'],
    known('ends what everybody has with one person'),
  ],
  [
    'only revokes the grants of an erased person',
    ['not_linearizable'],
    known('only revokes the grants of an erased person'),
  ],
  [
    'forgets too early who was erased',
    ['not_linearizable', 'accepted_after_end'],
    known('forgets too early who was erased'),
  ],
  [
    'goes on redeeming a code that was erased meanwhile',
    ['not_linearizable', 'accepted_after_end'],
    known('goes on redeeming a code that was erased meanwhile'),
  ],
  [
    'says that a rotation was stored when it was not',
    ['not_linearizable', 'refused_while_valid'],
    (store) => {
      let rotations = 0
      return {
        rotateRefreshToken: async (rotate) =>
          ++rotations % 3 === 0 ? 'rotated' : store.rotateRefreshToken(rotate),
      }
    },
  ],
  [
    'reads from a replica that is one write behind',
    ['not_linearizable'],
    (store) => {
      let before: Awaited<ReturnType<Store['findAccessToken']>> = null
      return {
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          const stale = before?.accessToken.tokenHash === hash ? before : found
          before = found
          return stale
        },
      }
    },
  ],
  [
    'keeps access tokens for ever',
    ['not_linearizable', 'accepted_after_expiry'],
    (store) => ({
      async findAccessToken(hash) {
        const found = await store.findAccessToken(hash)
        return found === null
          ? null
          : { ...found, accessToken: { ...found.accessToken, expiresAt: 4e9 } }
      },
    }),
  ],
  [
    'gives each client the tokens of the last',
    ['not_linearizable', 'crossed'],
    (store) => {
      let last: Awaited<ReturnType<Store['findAccessToken']>> = null
      return {
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          if (found !== null && last === null) last = found
          return found === null ? null : last
        },
      }
    },
  ],
  [
    'purges by a clock that is a day ahead',
    ['purged_too_early', 'refused_while_valid'],
    (store) => ({ purge: ({ now, limit }) => store.purge({ now: now + 86_400, limit }) }),
  ],
  [
    'keeps the event of a rotation in a second step, now and then',
    ['not_linearizable', 'event_lost'],
    (store) => {
      let rotations = 0
      return {
        rotateRefreshToken: (rotate, events) =>
          store.rotateRefreshToken(rotate, ++rotations % 3 === 0 ? [] : events),
      }
    },
  ],
  [
    'keeps the event of each exchange that began',
    ['not_linearizable', 'event_without_change'],
    (store) => ({
      async redeemCode(redeem, events = []) {
        const outcome = await store.redeemCode(redeem, events)
        if (outcome === 'spent')
          await store.erasePerson({ subject: '', loginHints: [], erasedAt: 0 }, events)
        return outcome
      },
    }),
  ],
  [
    'deletes events that were not delivered',
    ['not_linearizable', 'event_lost'],
    (store) => ({
      deleteEvents: async () =>
        store.deleteEvents((await store.listEvents({ limit: 1e6 })).map(({ id }) => id)),
    }),
  ],
  [
    'throws where others have won',
    ['store_threw'],
    (store) => ({
      async rotateRefreshToken(rotate) {
        const outcome = await store.rotateRefreshToken(rotate)
        if (outcome === 'spent') throw new Error('could not serialize access')
        return outcome
      },
    }),
  ],
  [
    'answers undefined for what is not there',
    ['not_linearizable', 'server_error'],
    (store) => ({
      findCode: async (hash) => (await store.findCode(hash)) ?? (undefined as unknown as null),
    }),
  ],
]

/** Runs seeds until all of the rules were broken. Returns those that were not. */
async function unbroken(
  rules: readonly SimulationRule[],
  options: Omit<SimulationOptions, 'seed'>,
  seeds = 600,
): Promise<readonly SimulationRule[]> {
  const missing = new Set(rules)
  for (let seed = 0; seed < seeds && missing.size > 0; seed++)
    for (const { rule } of (await simulate({ ...options, seed, shortest: false })).violations)
      missing.delete(rule)
  return [...missing]
}

/** The seeds of a range whose run breaks a rule. */
async function broken(
  seeds: number,
  options: Omit<SimulationOptions, 'seed'>,
): Promise<readonly number[]> {
  const found: number[] = []
  for (let seed = 0; seed < seeds; seed++)
    if ((await simulate({ ...options, seed, shortest: false })).violations.length > 0)
      found.push(seed)
  return found
}

/** The first seed of a range whose run breaks a rule. */
async function firstBroken(
  seeds: number,
  options: Omit<SimulationOptions, 'seed'>,
): Promise<number> {
  for (let seed = 0; seed < seeds; seed++)
    if ((await simulate({ ...options, seed, shortest: false })).violations.length > 0) return seed
  throw new Error(`none of ${seeds} seeds breaks a rule`)
}

const onMemory = (): Store => createMemoryStore()

describe('a simulation', () => {
  it('breaks no rule on the memory store', async () => {
    // `npm run test:simulation` tries hundreds more.
    const seeds = rounds(25, { soak: 10_000 })
    expect(await broken(seeds, { createStore: onMemory })).toEqual([])
  })

  it.each(BROKEN)('finds a store that %s', async (_fault, rules, break_) => {
    const createStore = (): Store => {
      const store = createMemoryStore()
      return { ...store, ...break_(store) }
    }
    expect(await unbroken(rules, { createStore })).toEqual([])
  })

  it('finds a store that knows no sites', async () => {
    const stores = new Map<string, Store>()
    const createStore = (site: string): Store => {
      const run = site.slice(0, -1)
      stores.set(run, stores.get(run) ?? createMemoryStore())
      return stores.get(run)!
    }
    expect(await unbroken(['not_linearizable'], { createStore })).toEqual([])
  })

  it('finds a store that trusts every clock, unless no clock is wrong', async () => {
    const createStore = (): Store => ({
      ...createMemoryStore(),
      findClock: async () => ({ now: null, mark: { trustedAt: 1e10, leap: null } }),
      moveClock: async () => 'moved',
    })
    const rules: readonly SimulationRule[] = ['refused_while_valid']
    expect(await unbroken(rules, { createStore })).toEqual([])
    // Two seeds find it where clocks are wrong.
    expect(await unbroken(rules, { createStore, wrongClocks: false }, 60)).toEqual(rules)
  })

  it('breaks no rule on a store with a clock of its own', async () => {
    const createStore: SimulationOptions['createStore'] = (_site, now) => {
      const store = createMemoryStore()
      return { ...store, findClock: async () => ({ ...(await store.findClock()), now: now() }) }
    }
    expect(await broken(rounds(25, { soak: 1000 }), { createStore })).toEqual([])
  })

  it('tells the same history again for the same seed, and a shorter run begins like a longer one', async () => {
    for (let seed = 0; seed < 4; seed++) {
      const options = { createStore: onMemory, seed }
      const { history } = await simulate(options)
      expect((await simulate(options)).history).toEqual(history)
      const short = await simulate({ ...options, steps: 40 })
      expect(short.history.filter(({ step }) => step <= 40)).toEqual(
        history.filter(({ step }) => step <= 40),
      )
    }
  })

  it('says what was expected of a store that compares the time of a code with that of an erasure', async () => {
    const createStore = (): Store => {
      const tables = emptyTables()
      const store = createMemoryStore(tables)
      return {
        ...store,
        async issueCode(issue, events) {
          const { issuedAt, subject } = issue.code
          const { erasedAt } = tables.erasures.get(subject) ?? { erasedAt: 0 }
          if (issuedAt >= erasedAt + 86_400) tables.erasures.delete(subject)
          return store.issueCode(issue, events)
        },
      }
    }
    const seed = await firstBroken(300, { createStore })
    const { violations } = await simulate({ createStore, seed })
    expect(violations[0]).toMatchObject({
      rule: 'not_linearizable',
      what: 'issueCode',
      expected: ['issueCode: "gone"'],
      received: 'issueCode: "issued"',
    })
  })

  it('says what a store threw', async () => {
    const createStore = (): Store => ({
      ...createMemoryStore(),
      async redeemCode() {
        throw new Error('could not serialize access')
      },
    })
    const { violations } = await simulate({ createStore, seed: 1, shortest: false })
    expect(violations[0]).toMatchObject({
      rule: 'store_threw',
      what: 'redeemCode',
      expected: [],
      received: 'Error: could not serialize access',
    })
  })

  it('returns the shortest run that breaks a rule', async () => {
    const createStore = (): Store => ({
      ...createMemoryStore(),
      revokeAccessToken: async () => 'revoked',
    })
    const seed = await firstBroken(50, { createStore })
    const report = await simulate({ createStore, seed })
    expect(report.violations).not.toEqual([])
    expect(report.steps).toBeLessThan(100)
    const { steps } = report
    expect((await simulate({ createStore, seed, steps })).history).toEqual(report.history)
    expect((await simulate({ createStore, seed, steps: steps - 1 })).violations).toEqual([])
  })

  it('does all that it can, within some seeds', async () => {
    const happened = new Set<string>()
    for (let seed = 0; seed < 60; seed++)
      for (const { what } of (await simulate({ createStore: onMemory, seed })).history)
        happened.add(what.replace(/^.*: /, '').replace(/(?:\d+|the response to .*)/, 'N'))
    const outcomes = ['redeemed', 'spent', 'missing', 'rotated', 'revoked', 'issued', 'gone']
    const faults = ['not received, lost', 'found, lost', 'dies with N requests', 'time passes']
    expect([...happened]).toEqual(expect.arrayContaining([...outcomes, ...faults]))
  })

  it('writes no code and no token into the history', async () => {
    const { history } = await simulate({ createStore: onMemory, seed: 1 })
    expect(JSON.stringify(history)).not.toMatch(/hp[acrs]_/)
  })

  it('leaves nothing behind for which a program would not end', async () => {
    const file = `${ROOT}test/support/processes/simulating-process.ts`
    const { child, output, until } = startChild(process.execPath, ['--import=tsx', file])
    await until(() => output().includes('simulated'))
    // A call that never settled would keep it for the 60 seconds of its deadline.
    const hasEnded = (): boolean => child.exitCode === 0
    await waitFor(hasEnded, { what: 'the program ended', patienceMilliseconds: 30_000 })
  })

  it('names every mistake in its options', async () => {
    const wrong = { createStore: 1, seed: -1, steps: 0, wrongClocks: 'no' } as never
    await expect(simulate(wrong)).rejects.toThrow(
      /createStore must be .*; seed must be .*; steps must be .*; wrongClocks must be /,
    )
  })
})
