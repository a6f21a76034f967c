import type { RefreshPolicies } from 'hallpass/policy'
import { type Chance, createChance } from './chance.js'
import { CLIENT_BEHAVIOURS, type ClientBehaviour } from './client-behaviours.js'
import {
  type ClientTokens,
  createTokenServer,
  credentialsOf,
  formRequest,
  type TokenServer,
} from './client-server.js'
import { callback, checkOptions, whole } from './options.js'

/**
 * Options of {@link simulateClients}.
 *
 * @group Simulations of clients
 */
export interface ClientSimulationOptions {
  /** Decides everything that happens: an integer from 0 to 4,294,967,295. */
  readonly seed: number
  /** How many days are simulated: an integer from 1 to 365. Default: 30. */
  readonly days?: number
  /** The clients. Default: {@link CLIENT_BEHAVIOURS}. */
  readonly behaviours?: readonly ClientBehaviour[]
  /**
   * Creates the server. `now` is its clock in epoch seconds, which only the simulation moves. `randomBytes`
   * follows from the seed. Default: {@link createTokenServer}, with the default policies.
   */
  readonly createServer?: (world: {
    now: () => number
    randomBytes: (length: number) => Uint8Array
  }) => TokenServer | Promise<TokenServer>
}

/**
 * Kind of theft in a simulation, by what the thief has and does:
 *
 * - `copy`: copies the newest token, uses it immediately, and refreshes as its owner does;
 * - `yesterday`: has a token that its owner used 16 to 30 hours ago, such as from a backup;
 * - `old`: has a token that its owner used more than 8 days ago;
 * - `other client`: has the newest token, and sends it as another client;
 * - `no secret`: has the newest token of a confidential client, without the secret;
 * - `after the end`: has the newest token, and uses it after the person has disconnected the client.
 *
 * @group Simulations of clients
 */
export type SimulatedTheft =
  'copy' | 'yesterday' | 'old' | 'other client' | 'no secret' | 'after the end'

/**
 * Fates of the clients in one simulation. Created by {@link simulateClients}.
 *
 * @group Simulations of clients
 */
export interface ClientSimulationReport {
  readonly seed: number
  /** One entry for each behaviour, without thieves. */
  readonly clients: readonly {
    readonly name: string
    readonly holder: keyof RefreshPolicies
    /** How many refresh requests were sent. */
    readonly requests: number
    /** How many of them were refused. */
    readonly refused: number
    /** How often a person had to sign in again although no one had stolen anything. */
    readonly signOuts: number
  }[]
  /** One entry for each theft. */
  readonly thefts: readonly {
    readonly theft: SimulatedTheft
    readonly name: string
    readonly holder: keyof RefreshPolicies
    /** How often the thief received tokens before the first refusal. */
    readonly served: number
    /** Whether the thief was refused before the simulation ended. */
    readonly isSeen: boolean
  }[]
}

const HOUR = 3600
const DAY = 24 * HOUR
/** 2026-11-02T00:00:00Z, a Monday. */
const START = 1_793_577_600

const RULES = {
  seed: whole(0, 2 ** 32 - 1),
  days: whole(1, 365),
  behaviours: (given: unknown) =>
    Array.isArray(given) &&
    given.every((one: unknown) => typeof one === 'object' && one !== null && 'processes' in one)
      ? null
      : 'must be an array such as CLIENT_BEHAVIOURS',
  createServer: callback('(world) => createTokenServer(world)'),
}

/**
 * Simulates the processes of real clients for some weeks, against the token endpoint of any server. Processes
 * share a credential store or a copy of it, crash before they save, and lose responses. Their computers sleep at
 * night, and have clocks that differ. The same clients are simulated with thieves as well.
 *
 * The seed decides all of it, and no timer is used. Thirty days take seconds.
 *
 * @returns how often people had to sign in again, and which thieves were refused
 * @throws OptionsError that lists every mistake in the options
 * @example
 * ```ts
 * import { CLIENT_BEHAVIOURS, createTokenServer, simulateClients } from 'hallpass-lab'
 * import { REFRESH_POLICY } from 'hallpass/policy'
 *
 * const behaviours = CLIENT_BEHAVIOURS.filter(({ name }) => name === 'Codex')
 * const { clients } = await simulateClients({ seed: 1, days: 7, behaviours })
 * clients.map(({ signOuts }) => signOuts) // => [0]
 *
 * const refreshPolicies = { native: REFRESH_POLICY.strict }
 * const createServer = (world: Parameters<typeof createTokenServer>[0]) =>
 *   createTokenServer({ ...world, refreshPolicies })
 * const strict = await simulateClients({ seed: 1, days: 7, behaviours, createServer })
 * strict.clients[0]!.signOuts > 0 // => true
 * ```
 *
 * @group Simulations of clients
 */
export async function simulateClients(
  options: ClientSimulationOptions,
): Promise<ClientSimulationReport> {
  checkOptions('simulateClients', options, RULES, ['seed'])
  const {
    seed,
    days = 30,
    behaviours = CLIENT_BEHAVIOURS,
    createServer = createTokenServer,
  } = options
  const chance = createChance(seed)
  let time = START
  const now = (): number => time
  const server = await createServer({ now, randomBytes: chance.bytes })
  const world: World = { server, chance, now, until: START + days * DAY }

  const honest: Account[] = []
  const stolen: (Account & { readonly thief: Thief })[] = []
  const actors: Actor[] = []
  const open = async (behaviour: ClientBehaviour): Promise<Account> => {
    const opened = await openAccount(world, behaviour)
    actors.push(...opened.actors)
    return opened.account
  }
  for (const behaviour of behaviours) {
    honest.push(await open(behaviour))
    for (const theft of theftsOf(behaviour)) {
      const account = await open(behaviour)
      const thief: Thief = { theft, served: 0, isSeen: false }
      stolen.push({ ...account, thief })
      actors.push({ at: START, steps: steal(world, account, thief) })
    }
  }

  // The order of actors is that of their times, so that each sees what the earlier ones left.
  for (;;) {
    const next = actors.reduce((one, other) => (other.at < one.at ? other : one))
    if (next.at >= world.until) break
    time = next.at
    const step = await next.steps.next()
    next.at = step.done === true ? Infinity : time + step.value
  }
  return {
    seed,
    clients: honest.map(({ behaviour: { name, holder }, counts }) => ({ name, holder, ...counts })),
    thefts: stolen.map(({ behaviour: { name, holder }, thief }) => ({ name, holder, ...thief })),
  }
}

const theftsOf = ({ holder, isCopied }: ClientBehaviour): readonly SimulatedTheft[] => {
  if (isCopied) return []
  if (holder === 'confidential') return ['no secret', 'other client', 'after the end']
  return ['copy', 'yesterday', 'old', 'other client', 'after the end']
}

interface World {
  readonly server: TokenServer
  readonly chance: Chance
  readonly now: () => number
  /** The end of the simulation. */
  readonly until: number
}

/** Something that acts, waits for the seconds that it yields, and acts again. */
type Steps<Result = void> = AsyncGenerator<number, Result, void>

interface Actor {
  at: number
  readonly steps: Steps
}

/** One person with one client. */
interface Account {
  readonly behaviour: ClientBehaviour
  readonly counts: { requests: number; refused: number; signOuts: number }
  readonly stores: readonly CredentialStore[]
  /** Every token that was exchanged, with the time of its first use. */
  readonly used: Map<string, number>
  /** Whether the person has ended it. */
  isDisconnected: boolean
}

/** The storage that the processes of one computer share. */
interface CredentialStore {
  tokens: StoredTokens | null
  isSigningIn: boolean
  /** How many seconds the clock of the computer is ahead. */
  readonly skew: number
  /** When the computer sleeps. */
  readonly naps: readonly { readonly from: number; readonly until: number }[]
}

interface StoredTokens {
  readonly refreshToken: string
  /** By the clock of the computer that stored it. */
  readonly expiresAt: number
}

interface Thief {
  readonly theft: SimulatedTheft
  served: number
  isSeen: boolean
}

async function openAccount(
  world: World,
  behaviour: ClientBehaviour,
): Promise<{ account: Account; actors: readonly Actor[] }> {
  const { server, chance, now } = world
  const createStore = (): CredentialStore => ({
    tokens: null,
    isSigningIn: false,
    skew: chance.below(241) - 120,
    naps: behaviour.isServer ? [] : napsOf(world),
  })
  const stores = behaviour.isCopied ? [createStore(), createStore()] : [createStore()]
  const account: Account = {
    behaviour,
    counts: { requests: 0, refused: 0, signOuts: 0 },
    stores,
    used: new Map(),
    isDisconnected: false,
  }
  const first = await server.signIn(behaviour.holder)
  for (const store of stores) save(world, store, first)
  const actors = stores.flatMap((store) =>
    Array.from({ length: behaviour.processes }, () => ({
      at: now() + chance.below(8 * HOUR),
      steps: work(world, account, store),
    })),
  )
  return { account, actors }
}

/** Nights, most weekends, and a closed lid now and then. */
function napsOf({ chance, until }: World): CredentialStore['naps'] {
  const naps: { from: number; until: number }[] = []
  for (let day = START; day < until; day += DAY) {
    const isFriday = (day - START) % (7 * DAY) === 4 * DAY
    const from = day + 18 * HOUR + chance.below(6 * HOUR)
    const nights = isFriday && chance.is(0.6) ? 3 : 1
    naps.push({ from, until: day + nights * DAY + 6 * HOUR + chance.below(4 * HOUR) })
    const noon = day + 11 * HOUR + chance.below(4 * HOUR)
    if (chance.is(0.5)) naps.push({ from: noon, until: noon + 300 + chance.below(HOUR) })
  }
  return naps
}

const save = (
  { now }: World,
  store: CredentialStore,
  { refreshToken, expiresIn }: ClientTokens,
): StoredTokens => {
  store.tokens = { refreshToken, expiresAt: now() + store.skew + expiresIn }
  return store.tokens
}

/** One process: it works and idles by turns, and refreshes only while it works. */
async function* work(world: World, account: Account, store: CredentialStore): Steps {
  const { chance, now } = world
  const { behaviour } = account
  const asleep = (): number =>
    store.naps.reduce(
      (rest, nap) => (nap.from <= now() && now() < nap.until ? nap.until - now() : rest),
      0,
    )
  let held = store.tokens
  for (;;) {
    const idleAt = now() + 600 + chance.below(6 * HOUR)
    while (now() < idleAt) {
      if (account.isDisconnected) return
      // All processes of a computer wake up within seconds.
      while (asleep() > 0) yield asleep() + chance.below(5)
      if (behaviour.reads === 'each time') held = store.tokens
      held ??= store.tokens
      const rest =
        held === null ? 300 : held.expiresAt - behaviour.earlySeconds - now() - store.skew
      if (held === null || rest > 0) {
        yield Math.min(Math.max(rest, 1), 1800)
        continue
      }
      held = yield* refresh(world, account, { store, held, asleep })
    }
    yield idleSeconds(chance)
    // Some processes are ended and started again in between.
    if (chance.is(0.3)) held = store.tokens
  }
}

/** Mostly hours, sometimes days: a session that is left open. */
function idleSeconds(chance: Chance): number {
  if (chance.is(0.02)) return 3 * DAY + chance.below(DAY)
  if (chance.is(0.1)) return DAY + chance.below(2 * DAY)
  return 600 + chance.below(16 * HOUR)
}

/** Returns the tokens that the process has afterwards. */
async function* refresh(
  world: World,
  account: Account,
  session: { store: CredentialStore; held: StoredTokens; asleep: () => number },
): Steps<StoredTokens | null> {
  const { chance } = world
  const { behaviour, counts } = account
  const { store, held, asleep } = session
  // Between reading the store and sending the request, others do the same.
  yield chance.below(4)
  for (const wait of [...behaviour.retrySeconds, 300]) {
    const answers: Answer[] = []
    for (let call = 0; call < behaviour.parallel; call++) {
      answers.push(await send(world, account, held.refreshToken))
      yield chance.below(3)
    }
    counts.requests += answers.length
    counts.refused += answers.filter((answer) => answer === 'refused').length
    yield 1 + chance.below(20)
    // A lid that was closed has closed the connection.
    const isLost = asleep() > 0 || chance.is(0.01)
    while (asleep() > 0) yield asleep() + chance.below(5)
    const received = isLost ? [] : answers.filter((answer) => answer !== 'unavailable')
    if (received.includes('refused')) return yield* handleRefusal(world, account, session)
    const tokens = received.findLast((answer) => typeof answer === 'object')
    if (tokens !== undefined) {
      // A process that dies before it saves starts again with what is stored.
      if (!chance.is(0.003)) return save(world, store, tokens)
      yield 30
      return store.tokens
    }
    yield wait
  }
  return held
}

async function* handleRefusal(
  world: World,
  account: Account,
  { store, held }: { store: CredentialStore; held: StoredTokens },
): Steps<StoredTokens | null> {
  const { chance } = world
  const { behaviour, counts } = account
  if (account.isDisconnected) return held
  if (behaviour.refused === 'reads again' && store.tokens?.refreshToken !== held.refreshToken)
    return store.tokens
  if (behaviour.refused === 'keeps') {
    // The same token again and again, until the person notices.
    const tries = 6 + chance.below(24)
    for (let attempt = 0; attempt < tries; attempt++) {
      yield 600
      if (account.isDisconnected) return held
      const answer = await send(world, account, held.refreshToken)
      counts.requests++
      if (answer === 'refused') counts.refused++
      else if (typeof answer === 'object') return save(world, store, answer)
    }
  } else store.tokens = null
  if (store.isSigningIn) return null
  store.isSigningIn = true
  counts.signOuts++
  yield 120
  const tokens = await world.server.signIn(behaviour.holder)
  store.isSigningIn = false
  return save(world, store, tokens)
}

/** `unavailable`: no response, or one of 5xx. */
type Answer = ClientTokens | 'refused' | 'unavailable'

async function send(
  { server, chance, now }: World,
  { behaviour, used }: Account,
  refreshToken: string,
  credentials: Record<string, string> = credentialsOf(server.clients[behaviour.holder]),
): Promise<Answer> {
  // Once a week the server restarts for ten minutes: some requests are processed, and no response arrives.
  const isRestarting = (now() - START) % (7 * DAY) >= 7 * DAY - 600
  if (isRestarting && chance.is(0.7)) return 'unavailable'
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...credentials }
  const response = await server.token(formRequest(form))
  const body = (await response.json()) as { refresh_token?: string; expires_in?: number }
  if (response.status >= 500) return 'unavailable'
  if (!response.ok) return 'refused'
  if (!used.has(refreshToken)) used.set(refreshToken, now())
  if (isRestarting) return 'unavailable'
  return { refreshToken: body.refresh_token ?? refreshToken, expiresIn: body.expires_in ?? HOUR }
}

/** One thief. It stops when it is refused, or when the simulation ends. */
async function* steal(world: World, account: Account, thief: Thief): Steps {
  const { server, chance, now, until } = world
  const { behaviour, stores, used } = account
  const [store] = stores as readonly [CredentialStore, ...CredentialStore[]]
  yield Math.floor((until - START) * 0.4) + chance.below(DAY)
  let stolen: string | undefined
  // Until there is something of this kind to steal.
  while (stolen === undefined) {
    if (thief.theft === 'yesterday')
      stolen = usedBetween(used, now() - 30 * HOUR, now() - 16 * HOUR)
    else if (thief.theft === 'old') stolen = usedBetween(used, 0, now() - 8 * DAY)
    else stolen = store.tokens?.refreshToken
    if (stolen === undefined) yield HOUR
  }
  if (thief.theft === 'after the end') {
    await server.disconnect(stolen)
    account.isDisconnected = true
    yield HOUR
  }
  const { native, public: others } = server.clients
  const credentials = {
    'other client': credentialsOf(behaviour.holder === 'native' ? others : native),
    'no secret': { client_id: server.clients[behaviour.holder].clientId },
  }
  for (;;) {
    const own = credentials[thief.theft as keyof typeof credentials]
    const answer = await send(world, account, stolen, own)
    if (answer === 'refused') {
      thief.isSeen = true
      return
    }
    if (answer === 'unavailable') {
      yield 60
      continue
    }
    thief.served++
    stolen = answer.refreshToken
    yield Math.max(answer.expiresIn, 60)
  }
}

/** The first token that its owner used for the first time in between. */
const usedBetween = (
  used: ReadonlyMap<string, number>,
  from: number,
  to: number,
): string | undefined => [...used].find(([, at]) => at >= from && at <= to)?.[0]
