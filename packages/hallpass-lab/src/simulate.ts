import type { Store } from 'hallpass/store'
import { createBlockActs } from './block-acts.js'
import { type Chance, createChance } from './chance.js'
import { createEventLedger, type EventLedger } from './event-ledger.js'
import { createLedger, type Ledger, type SimulationRule, type Token } from './ledger.js'
import { callback, checkOptions, flag, whole } from './options.js'
import { createScheduler, type Faults, NO_FAULTS, type Scheduler, type Task } from './scheduler.js'
import {
  createSimulatedSites,
  ISSUERS,
  PEOPLE,
  simulatedClients,
  type SimulatedSite,
  type Visit,
} from './simulated-school.js'
import { createStoreModel, type EndedCall, isRead } from './store-model.js'

/**
 * Options of {@link simulate}.
 *
 * @group Simulations
 */
export interface SimulationOptions {
  /**
   * Opens the store of one site, which must be empty: the name of the site is used only once. Called twice for
   * each run. All processes of a run share the store. `now` is the right time of the run in epoch seconds, for a
   * store that has a clock of its own.
   */
  readonly createStore: (site: string, now: () => number) => Store | Promise<Store>
  /** Decides everything that happens: an integer from 0 to 4,294,967,295. */
  readonly seed: number
  /** How many steps a run has before it is checked: an integer from 1 to 10,000. Default: 100. */
  readonly steps?: number
  /**
   * Whether one more process maintains the sites with a clock that is an hour to a year ahead. It must delete
   * nothing that is valid. Default: `true`.
   */
  readonly wrongClocks?: boolean
  /**
   * Whether a run that breaks a rule is repeated with fewer steps, to find the shortest one that does. It takes
   * as many runs as there are steps. Default: `true`.
   */
  readonly shortest?: boolean
}

/**
 * Something that happened in a simulation.
 *
 * @group Simulations
 */
export interface SimulationEntry {
  /** The step in which it happened. Those after the last step are checks. */
  readonly step: number
  /** Seconds since the beginning, by the right clock. */
  readonly at: number
  /** The number of the process; `null` if no process runs there. */
  readonly server: number | null
  readonly what: string
}

/**
 * A rule that a run broke.
 *
 * @group Simulations
 */
export interface SimulationViolation {
  readonly rule: SimulationRule
  readonly step: number
  /** Which call, code or token broke it. */
  readonly what: string
  /**
   * The possible results of the calls, for the rule `not_linearizable`: a text for each possibility, such as
   * `issueCode: "gone"`. It has only the members of a record that differ. Empty for other rules.
   */
  readonly expected: readonly string[]
  /** Their results, or the exception of the store; `null` for the rules that are about clients. */
  readonly received: string | null
}

/**
 * The history of one run of a simulation, and the rules that it broke. Created by {@link simulate}.
 *
 * @group Simulations
 */
export interface SimulationReport {
  readonly seed: number
  /** The number of steps of the run. If it broke a rule, the smallest number that breaks one. */
  readonly steps: number
  /** Everything that happened, in order. It holds no code or token. */
  readonly history: readonly SimulationEntry[]
  /** The rules that were broken, in order; none if the store and the library kept their promises. */
  readonly violations: readonly SimulationViolation[]
}

const RULES = {
  createStore: callback('(site) => createMyStore(site)'),
  seed: whole(0, 2 ** 32 - 1),
  steps: whole(1, 10_000),
  wrongClocks: flag,
  shortest: flag,
}

/**
 * Simulates two sites on your store, and checks the responses of clients. Two to four processes serve sign-ins,
 * exchanges, refreshes, revocations, disconnections, erasures, maintenance and the delivery of events. Their calls of the store overlap,
 * wait, fail and lose their results; processes die, clocks differ, and responses get lost.
 *
 * The seed decides all of it, and no timer is used. The same seed gives the same history for a store that
 * behaves the same each time. For a run that breaks a rule, the shortest prefix that breaks one is returned.
 *
 * Signing keys, registration and metadata documents take no part. The store contract checks their methods.
 *
 * @returns the history and the violations. The promise rejects only for a fault in the simulation itself
 * @throws OptionsError that lists every mistake in the options
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 * import { simulate } from 'hallpass-lab'
 *
 * const kept = await simulate({ createStore: () => createMemoryStore(), seed: 1 })
 * kept.violations // => []
 *
 * // A store that says `revoked` and revokes nothing.
 * const createStore = () => ({ ...createMemoryStore(), revokeGrants: async () => 1 })
 * let found = kept
 * for (let seed = 0; seed < 50 && found.violations.length === 0; seed++)
 *   found = await simulate({ createStore, seed, shortest: false })
 * found.violations[0]?.rule // => 'not_linearizable'
 * ```
 *
 * @group Simulations
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  checkOptions('simulate', options, RULES, ['createStore', 'seed'])
  const { steps = 100, shortest = true, ...rest } = options
  const whole = await run({ ...rest, steps })
  if (whole.violations.length === 0 || !shortest) return whole
  for (let fewer = 1; fewer < steps; fewer++) {
    const shorter = await run({ ...rest, steps: fewer })
    if (shorter.violations.length > 0) return shorter
  }
  return whole
}

/** 2026-11-20T09:00:00Z. */
const START = 1_795_165_200
const MOST_TASKS = 8
/** How far the clock of a process is from the right time at most, in runs in which clocks differ. */
const SKEW_SECONDS = 20
/** Steps of time in seconds. Few of them are long, so that codes and tokens are used before they expire. */
const LEAPS = [1, 1, 1, 2, 5, 6, 20, 59, 61] as const
const LONG_LEAPS = [600, 3600, 86_400, 31 * 86_400, 150 * 86_400] as const
const AHEAD = [3600, 40 * 86_400, 365 * 86_400] as const

async function run({
  createStore,
  seed,
  steps,
  wrongClocks = true,
}: Omit<SimulationOptions, 'shortest'> & { readonly steps: number }): Promise<SimulationReport> {
  const chance = createChance(seed)
  let time = START
  const name = `simulation_${crypto.randomUUID()}`
  const rightTime = (): number => time
  const stores = [
    await createStore(`${name}_1`, rightTime),
    await createStore(`${name}_2`, rightTime),
  ] as const
  const history: SimulationEntry[] = []
  const violations: SimulationViolation[] = []
  let step = 0

  const note = (what: string, server: number | null): void => {
    history.push({ step, at: time - START, server, what })
  }
  const violate = (
    rule: SimulationRule,
    what: string,
    { expected, received }: Pick<SimulationViolation, 'expected' | 'received'> = NOTHING,
  ): void => {
    violations.push({ rule, step, what, expected, received })
  }
  const explain = async (site: number, calls: readonly EndedCall[]): Promise<void> => {
    const contradiction = await models[site]!.contradictionOf(calls)
    if (contradiction !== null) violate('not_linearizable', verbsOf(calls), contradiction)
  }
  const skewSeconds = chance.is(0.5) ? SKEW_SECONDS : 0
  const skews = Array.from({ length: 2 + chance.below(3) }, () => 0)
  const models = stores.map(() => createStoreModel())
  const eventLedgers = stores.map(() => createEventLedger(violate))
  const scheduler = createScheduler({
    stores,
    chance,
    note,
    async onCalls(site, calls) {
      for (const { verb, result, fault } of calls)
        if (result === null) violate('store_threw', verb, { expected: [], received: String(fault) })
      eventLedgers[site]!.ended(calls)
      if (verbsOf(calls) !== 'purge') return explain(site, calls)
      for (const table of await models[site]!.readAfterPurge(stores[site]!, time + skewSeconds))
        violate('purged_too_early', table)
    },
  })
  const ledger = createLedger({ time: rightTime, skewSeconds, violate })
  const bytes = createChance(seed).bytes
  const onServerError = (fault: unknown): void => violate('server_error', String(fault))
  const siteFor = createSimulatedSites({ now: rightTime, randomBytes: bytes, onServerError })
  let ahead = 0
  const clocks = [...skews.map((_, server) => () => time + skews[server]!), () => time + ahead]
  const acts = createActs({
    chance,
    ledger,
    scheduler,
    siteFor,
    time: rightTime,
    clocks,
    healthy: skews.length,
    eventLedgers,
    violate,
  })

  for (const [site, store] of stores.entries()) {
    // The clock has been trusted for long, so that maintenance deletes what is due.
    const move = { from: null, to: { trustedAt: START, leap: null } }
    const calls = [
      { verb: 'moveClock', parameters: [move], result: { value: await store.moveClock(move) } },
    ] as EndedCall[]
    for (const client of simulatedClients(START)) {
      const value = await store.insertClient(client)
      calls.push({ verb: 'insertClient', parameters: [client], result: { value } })
    }
    for (const call of calls) await explain(site, [call])
  }

  const finish = async (): Promise<void> => {
    while (scheduler.tasks.length > 0) await scheduler.run([scheduler.tasks[0]!], NO_FAULTS)
  }
  for (const act of acts.beginnings()) {
    await act()
    await finish()
  }

  const faults = chance.pick(FAULTS)
  const crashes = chance.pick([0, 0, 0.02, 0.06])
  const rushes = chance.pick([1, 3, 8])
  // Requests that wait before they write meet others there, and race with them.
  const gathers = chance.is(0.5)
  for (step = 1; step <= steps; step++) {
    const waiting = scheduler.tasks
    if (scheduler.strays() > 0 && chance.is(0.1)) await scheduler.runStray()
    else if (chance.is(crashes)) await scheduler.crash(chance.below(skews.length))
    else if (chance.is(0.1)) {
      time += chance.pick(chance.is(0.85) ? LEAPS : LONG_LEAPS)
      note('time passes', null)
      for (const server of skews.keys())
        skews[server] = chance.below(2 * skewSeconds + 1) - skewSeconds
    } else if (waiting.length === 0 || (waiting.length < MOST_TASKS && chance.is(0.4))) {
      if (wrongClocks && chance.is(0.1)) {
        ahead = chance.pick(AHEAD)
        await acts.maintain(skews.length)
      } else await acts.any()
    } else {
      const writing = gathers ? waiting.filter(isWriting) : []
      const isClash = writing.length > 1 && chance.is(0.5)
      // Neighbours began one after the other: requests that a client sent twice are among them.
      const from = isClash ? writing : waiting
      const first = chance.below(isClash ? writing.length - 1 : waiting.length)
      const chosen = new Set(from.slice(first, first + (isClash ? 2 : 1) + chance.below(3)))
      await scheduler.run([...chosen], faults)
      for (let turns = chance.below(rushes); turns > 0; turns--) {
        const together = scheduler.tasks.filter(
          (task) => chosen.has(task) && !(gathers && isWriting(task)),
        )
        if (together.length > 0) await scheduler.run(together, faults)
      }
    }
  }

  await finish()
  while (scheduler.strays() > 0) await scheduler.runStray()
  skews.fill(0)
  for (const act of acts.checks()) {
    await act()
    await finish()
  }
  for (const eventLedger of eventLedgers) eventLedger.check(time + skewSeconds)
  scheduler.end()
  return { seed, steps, history, violations }
}

const NOTHING = { expected: [], received: null }
const verbsOf = (calls: readonly EndedCall[]): string => calls.map(({ verb }) => verb).join(', ')
const isWriting = ({ calls }: Task): boolean => calls.some(({ verb }) => !isRead(verb))

const FAULTS: readonly Faults[] = [
  NO_FAULTS,
  { failed: 0, resultLost: 0, responseLost: 0.1 },
  { failed: 0.03, resultLost: 0.03, responseLost: 0.05 },
  { failed: 0.1, resultLost: 0.1, responseLost: 0.2 },
]

/** Creates everything that clients and operators do. */
function createActs({
  chance,
  ledger,
  scheduler,
  siteFor,
  time,
  clocks,
  healthy,
  eventLedgers,
  violate,
}: {
  chance: Chance
  ledger: Ledger
  scheduler: Scheduler
  siteFor: ReturnType<typeof createSimulatedSites>
  /** The right time. */
  time: () => number
  /** The clock of each process. */
  clocks: readonly (() => number)[]
  /** How many of the processes serve requests: the first ones. */
  healthy: number
  /** That of each site. */
  eventLedgers: readonly EventLedger[]
  violate: (rule: SimulationRule, what: string) => void
}) {
  type Sites = (site: number) => SimulatedSite
  const start = (name: string, act: (ask: Ask) => Promise<void>, at?: number): Promise<void> =>
    scheduler.start(name, at ?? chance.below(healthy), (task) =>
      act((serve) => {
        // Each request may reach another process.
        task.server = at ?? chance.below(healthy)
        return scheduler.request(task, (storeOf) =>
          serve((site) => siteFor(site, { store: storeOf(site), now: clocks[task.server]! })),
        )
      }),
    )
  type Ask = <Response>(serve: (sites: Sites) => Promise<Response>) => Promise<Response | null>
  /** Returns a recent entry of a list; `null` if it is empty. */
  const recent = <Entry>(entries: readonly Entry[]): Entry | null => {
    const last = entries.length - 1
    if (last < 0) return null
    return chance.is(0.2)
      ? chance.pick(entries)
      : entries[last - chance.below(Math.min(3, last + 1))]!
  }
  const who = (): { site: number; subject: string; clientId: string } => ({
    site: chance.is(0.8) ? 0 : 1,
    subject: chance.pick(PEOPLE),
    clientId: chance.is(0.7) ? 'app_1' : 'app_2',
  })

  const authorize = (about = who()): Promise<void> => {
    const isSilent = chance.is(0.25)
    return start(`sign-in of ${about.subject}`, async (ask) => {
      const { site } = about
      const issue = async (
        request: (sites: SimulatedSite) => Promise<Visit | null>,
      ): Promise<Visit | null> => {
        const span = ledger.begin()
        const visit = await ask((sites) => request(sites(site)))
        if (visit?.code != null) ledger.gotCode(span, { ...about, code: visit.code })
        return visit
      }
      const begun = await issue((one) => one.authorize({ ...about, isSilent }))
      if (begun === null || isSilent) return
      const opened = await issue((one) => one.open(begun))
      if (opened !== null && opened.csrfToken !== null) await issue((one) => one.allow(opened))
    })
  }

  const send = (token: Token): Promise<void> =>
    start(`exchange of ${token.label}`, async (ask) => {
      const { site, clientId } = token.grant
      const span = ledger.send(token)
      const response = await ask((sites) =>
        sites(site).exchange({ ...token, clientId, owner: clientId }),
      )
      ledger.sent(span, token, response)
    })

  /** Another client sends a code or refresh token, or its own client sends it to the other site. */
  const steal = (token: Token): Promise<void> => {
    const { site, clientId: owner } = token.grant
    const isElsewhere = chance.is(0.5)
    const clientId = isElsewhere ? owner : owner === 'app_1' ? 'app_2' : 'app_1'
    const at = isElsewhere ? 1 - site : site
    return start(`theft of ${token.label}`, async (ask) => {
      const response = await ask((sites) => sites(at).exchange({ ...token, clientId, owner }))
      if (response !== null && response !== 'refused')
        violate('crossed', `${token.label} was exchanged by ${clientId} at site ${at}`)
    })
  }

  const use = (token: Token): Promise<void> =>
    start(`use of ${token.label}`, async (ask) => {
      const span = ledger.begin()
      const access = await ask((sites) => sites(token.grant.site).use(token.value))
      if (access !== null) ledger.used(span, token, access === 'refused' ? null : access)
    })

  const useElsewhere = (token: Token): Promise<void> =>
    start(`use of ${token.label} at the other site`, async (ask) => {
      const access = await ask((sites) => sites(1 - token.grant.site).use(token.value))
      if (access !== null && access !== 'refused')
        violate('crossed', `${token.label} was accepted at the other site`)
    })

  const revoke = (token: Token): Promise<void> =>
    start(`revocation of ${token.label}`, async (ask) => {
      const { site, clientId } = token.grant
      const acknowledge = ledger.revoke(token)
      const isDone = await ask((sites) => sites(site).revoke({ clientId, value: token.value }))
      if (isDone === true) acknowledge()
    })

  const disconnect = ({ site, subject, clientId } = who()): Promise<void> =>
    start(`disconnection of ${subject} and ${clientId}`, async (ask) => {
      const acknowledge = ledger.end({ site, subject, clientId })
      if ((await ask((sites) => sites(site).disconnect({ subject, clientId }))) === true)
        acknowledge()
    })

  const erase = ({ site, subject } = who()): Promise<void> => {
    return start(`erasure of ${subject}`, async (ask) => {
      const acknowledge = ledger.end({ site, subject, clientId: null })
      if ((await ask((sites) => sites(site).erase(subject))) === true) acknowledge()
    })
  }

  const maintain = (at?: number): Promise<void> =>
    start(
      'maintenance',
      async (ask) => {
        for (const site of [0, 1]) await ask((sites) => sites(site).maintain())
      },
      at,
    )

  const purge = (): Promise<void> =>
    start('purge', async (ask) => {
      for (const site of [0, 1]) await ask((sites) => sites(site).purge())
    })

  const deliver = (): Promise<void> =>
    start('delivery of events', async (ask) => {
      for (const [site, { deliver: append }] of eventLedgers.entries())
        await ask((sites) => sites(site).deliver(append))
    })

  /** An assertion that names a person of its own leads to one grant. */
  const countGrants = (site: number, subject: string): Promise<void> =>
    start(`grants of ${subject}`, async (ask) => {
      const grants = await ask((sites) => sites(site).grantsOf(subject))
      if (grants !== null && grants > 1) violate('used_twice', subject)
    })

  /** Now and then what a request is about is ended at the same time. */
  const endBeside = async (about: ReturnType<typeof who>): Promise<void> => {
    if (chance.is(0.1)) await chance.pick([disconnect, erase])(about)
  }
  const signIn = async (): Promise<void> => {
    const about = who()
    await authorize(about)
    await endBeside(about)
  }
  const withRecent = async (
    tokens: readonly Token[],
    act: (token: Token) => Promise<void>,
  ): Promise<void> => {
    const token = recent(tokens)
    if (token === null) await authorize()
    else await act(token)
  }
  /** Now and then a client sends the same request twice. */
  const exchange = async (token: Token): Promise<void> => {
    await send(token)
    if (chance.is(0.5)) await send(token)
    await endBeside(token.grant)
  }
  const blocks = createBlockActs({
    chance,
    time,
    issuers: ISSUERS,
    start: (name, site, act) =>
      start(name, (ask) => act((request) => ask((sites) => sites(site).send(request)))),
    violate,
  })
  const { codes, accessTokens, refreshTokens } = ledger
  const unsent = (): readonly Token[] => codes.filter(({ sent }) => sent === 0)
  const any: readonly (readonly [share: number, act: () => Promise<void>])[] = [
    [8, signIn],
    [16, () => withRecent(unsent(), exchange)],
    [4, () => withRecent(codes, exchange)],
    [30, () => withRecent(refreshTokens, exchange)],
    [20, () => withRecent(accessTokens, use)],
    [2, () => withRecent(accessTokens, useElsewhere)],
    [2, () => withRecent([...codes, ...refreshTokens], steal)],
    [2, () => withRecent(accessTokens, revoke)],
    [3, () => withRecent(refreshTokens, revoke)],
    [3, disconnect],
    [2, erase],
    [2, maintain],
    [2, purge],
    [4, deliver],
    [8, () => chance.pick(blocks.acts)()],
  ]

  return {
    maintain,
    any(): Promise<void> {
      let left = chance.below(any.reduce((sum, [share]) => sum + share, 0))
      return any.find(([share]) => (left -= share) < 0)![1]()
    },
    /** Before the first step, two people sign in, and one of them has tokens. */
    beginnings: (): readonly (() => Promise<void>)[] => [
      authorize,
      () => withRecent(codes, send),
      authorize,
    ],
    /** After the last step, every token is tried. */
    checks: (): readonly (() => Promise<void>)[] => [
      maintain,
      purge,
      ...accessTokens.map((token) => () => use(token)),
      ...refreshTokens.filter(({ sent }) => sent === 0).map((token) => () => send(token)),
      ...blocks.idJags.map(
        ({ site, subject }) =>
          () =>
            countGrants(site, subject),
      ),
      deliver,
    ],
  }
}
