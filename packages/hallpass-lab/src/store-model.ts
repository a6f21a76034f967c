import { createMemoryStore, type MemoryTables, type Store, type StoredEvent } from 'hallpass/store'

export type StoreMethod = Exclude<keyof Store, 'guarantees'>

/** A call of a store that has ended. */
export interface EndedCall {
  readonly verb: StoreMethod
  readonly parameters: readonly unknown[]
  /** `null` if the call threw. Then nothing was changed. */
  readonly result: { readonly value: unknown } | null
  /** The exception. */
  readonly fault?: unknown
}

/** Results that nothing explains, and the possible ones, as texts: only what differs between them. */
interface Contradiction {
  readonly received: string
  /** A text for each possibility. */
  readonly expected: readonly string[]
}

/** The possible contents of a store after its results so far. Created by {@link createStoreModel}. */
export interface StoreModel {
  /**
   * Finds what calls that overlapped contradict; `null` if they can be explained: in some order, one after the other,
   * the memory store gives the same results. After a contradiction the model no longer knows the store and explains
   * everything.
   */
  readonly contradictionOf: (burst: readonly EndedCall[]) => Promise<Contradiction | null>
  /**
   * Reads every row after a purge. A row that is due may be there or not; another one must be as it was.
   *
   * @param until - epoch seconds: rows that expire later are not due by any clock that is right
   * @returns the rows that are missing although they are not due
   */
  readonly readAfterPurge: (store: Store, until: number) => Promise<readonly string[]>
}

/** Whether a method of a store changes nothing. */
export const isRead = (verb: string): boolean => /^(?:find|has|list)/.test(verb)

type Verb = (...parameters: readonly unknown[]) => Promise<unknown>

const DAY_SECONDS = 86_400
/** How long a store keeps an event that no one delivers. */
export const EVENT_SECONDS: number = 30 * DAY_SECONDS
/** With more possible states than this, the model gives up. One overlap rarely leaves more than two. */
const STATES = 64

/**
 * Creates a model of one empty store: the set of all states that explain its results so far. Its sequential
 * specification is the memory store.
 *
 * Bursts do not overlap each other, so this is a complete check for linearizability. Several states are
 * possible after a burst of two writes that return the same in both orders.
 */
export function createStoreModel(): StoreModel {
  let states: readonly MemoryTables[] = [emptyTables()]
  let isLost = false
  let purgedUntil = -Infinity
  /** Whether a key may have been purged, which can be read no other way than by using it. */
  const isForgotten = ({ verb, parameters }: EndedCall): boolean =>
    verb === 'useOnce' && (parameters[0] as { until: number }).until <= purgedUntil

  return {
    async contradictionOf(burst) {
      const calls = burst.filter((call) => call.result !== null && !isForgotten(call))
      if (isLost || calls.length === 0) return null
      const writes = calls.filter(({ verb }) => !isRead(verb)).length
      const received = calls.map(({ verb, result }) => told(verb, result!.value))
      const next: MemoryTables[] = []
      const possible: (readonly unknown[])[] = []
      for (const state of states)
        for (const order of writes === 0 ? [calls] : ordersOf(calls)) {
          const after = writes === 0 || calls.length === 1 ? state : copyOf(state)
          const answers = await answersOf(after, order)
          const inTurn = calls.map((call) => answers.get(call))
          if (!equal(inTurn, received)) {
            if (next.length === 0) possible.push(inTurn)
            continue
          }
          next.push(after)
          if (writes < 2) break
        }
      states = next.length < 2 ? next : distinct(next)
      isLost = states.length === 0 || states.length > STATES
      return states.length > 0 ? null : differencesIn(calls, received, possible)
    },

    async readAfterPurge(store, until) {
      purgedUntil = Math.max(purgedUntil, until)
      if (isLost) return []
      const gone: string[] = []
      const [first] = states as readonly [MemoryTables]
      const forget = async (
        table: keyof MemoryTables,
        find: (key: string) => Promise<unknown>,
        isDue: (key: string, state: MemoryTables) => boolean,
      ): Promise<void> => {
        for (const key of new Set(states.flatMap((state) => [...state[table].keys()]))) {
          const isThere = (await find(key)) !== null
          // If the states differ in a row, those that differ from the store are wrong.
          states = states.filter((state) => state[table].has(key) || !isThere)
          if (isThere) continue
          const holding = states.filter((state) => state[table].has(key))
          if (states.every((state) => state[table].has(key) && !isDue(key, state))) gone.push(table)
          else states = states.filter((state) => !state[table].has(key) || isDue(key, state))
          for (const state of holding) state[table].delete(key)
        }
      }
      const isOver = (row: { expiresAt: number } | undefined): boolean =>
        row === undefined || row.expiresAt <= until
      const hasEnded = (row: { grantId: string } | undefined, { grants }: MemoryTables): boolean =>
        row === undefined || isOver(grants.get(row.grantId))
      await forget(
        'pendings',
        (key) => store.findPending(key),
        (key, { pendings }) => isOver(pendings.get(key)),
      )
      await forget(
        'codes',
        (key) => store.findCode(key),
        (key, { codes }) => {
          const code = codes.get(key)
          return code === undefined || code.expiresAt + DAY_SECONDS <= until
        },
      )
      await forget(
        'accessTokens',
        (key) => store.findAccessToken(key),
        (key, state) => {
          const token = state.accessTokens.get(key)
          return isOver(token) || hasEnded(token, state)
        },
      )
      await forget(
        'refreshTokens',
        (key) => store.findRefreshToken(key),
        (key, state) => {
          const token = state.refreshTokens.get(key)?.token
          return hasEnded(token, state) || (token!.rotation !== null && isOver(token))
        },
      )
      const waiting = new Set((await store.listEvents({ limit: 1e6 })).map(({ id }) => id))
      await forget(
        'events',
        async (key) => (waiting.has(key) ? key : null),
        (key, { events }) => (events.get(key)?.at ?? 0) + EVENT_SECONDS <= until,
      )
      for (const { grants, refreshTokens } of states) {
        const kept = new Set([...refreshTokens.values()].map(({ token }) => token.grantId))
        for (const grantId of grants.keys()) if (!kept.has(grantId)) grants.delete(grantId)
      }
      states = states.flatMap((state) => [state, ...withoutErasures(state, until)])
      if (states.length === 0) states = [first]
      return gone
    },
  }
}

/** An erasure cannot be read. So each possible state counts: those that are due were purged up to one of them. */
function withoutErasures(state: MemoryTables, until: number): readonly MemoryTables[] {
  const due = [...state.erasures.values()]
    .map(({ erasedAt }) => erasedAt)
    .filter((erasedAt) => erasedAt + DAY_SECONDS <= until)
  return [...new Set(due)].map((last) => ({
    ...copyOf(state),
    erasures: new Map([...state.erasures].filter(([, { erasedAt }]) => erasedAt > last)),
  }))
}

/** Returns the results of the memory store for calls in an order. */
async function answersOf(
  state: MemoryTables,
  order: readonly EndedCall[],
): Promise<ReadonlyMap<EndedCall, unknown>> {
  const model = createMemoryStore(state)
  const answers = new Map<EndedCall, unknown>()
  for (const call of order) {
    const { verb, parameters, result } = call
    if (verb === 'listEvents') loseNames(state, result!.value as readonly StoredEvent[])
    answers.set(call, told(verb, await (model[verb] as Verb)(...parameters)))
  }
  return answers
}

function differencesIn(
  calls: readonly EndedCall[],
  received: readonly unknown[],
  possible: readonly (readonly unknown[])[],
): Contradiction {
  const all = [received, ...possible]
  const parts = calls.map((_, index) => differing(all.map((answers) => answers[index])))
  const texts = all.map((_, which) =>
    calls
      .flatMap(({ verb }, index) =>
        parts[index] === null
          ? []
          : [`${verb}: ${JSON.stringify(parts[index]![which]) ?? 'nothing'}`],
      )
      .join('; '),
  )
  return { received: texts[0]!, expected: [...new Set(texts.slice(1))] }
}

/** Leaves in records only the members that differ between them; `null` if none does. */
function differing(values: readonly unknown[]): readonly unknown[] | null {
  if (values.every((value) => equal(value, values[0]))) return null
  if (!values.every(isRecord)) return values
  const parts: Record<string, unknown>[] = values.map(() => ({}))
  for (const name of new Set(values.flatMap((value) => Object.keys(value)))) {
    const own = differing(values.map((value) => value[name]))
    if (own !== null) for (const [index, part] of parts.entries()) part[name] = own[index]
  }
  return parts
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * An erasure looks for rows more than once. So the event of a change that overlapped it may have lost the names of the
 * person, although the change came last.
 */
function loseNames({ events, erasures }: MemoryTables, listed: readonly StoredEvent[]): void {
  for (const event of listed) {
    const known = events.get(event.id)
    if (known === undefined) continue
    const nameless = [...erasures.keys()].reduce(withoutPerson, known)
    if (equal(event, nameless)) events.set(event.id, nameless)
  }
}

/** Returns an event without the names of a person, as an erasure leaves it. */
function withoutPerson(event: StoredEvent, person: string): StoredEvent {
  const names = ['subject', 'actor'].filter((name) => event[name] === person)
  return { ...event, ...Object.fromEntries(names.map((name) => [name, null])) }
}

/** Leaves out what a store adds of its own: the time by its clock, and the order of concurrent changes. */
const told = (verb: StoreMethod, value: unknown): unknown =>
  verb === 'findClock'
    ? (value as Awaited<ReturnType<Store['findClock']>>).mark
    : verb === 'listEvents'
      ? (value as readonly StoredEvent[]).toSorted((one, other) => (one.id < other.id ? -1 : 1))
      : value

function ordersOf<Entry>(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  if (entries.length < 2) return [entries]
  return entries.flatMap((first, index) =>
    ordersOf(entries.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  )
}

const emptyTables = (): MemoryTables => ({
  clients: new Map(),
  pendings: new Map(),
  consents: new Map(),
  codes: new Map(),
  grants: new Map(),
  accessTokens: new Map(),
  refreshTokens: new Map(),
  keys: new Map(),
  erasures: new Map(),
  clock: new Map(),
  events: new Map(),
  uses: new Map(),
})

const copyOf = (state: MemoryTables): MemoryTables =>
  Object.fromEntries(
    Object.entries(state).map(([table, rows]) => [table, new Map(rows as Map<string, unknown>)]),
  ) as unknown as MemoryTables

function distinct(states: readonly MemoryTables[]): readonly MemoryTables[] {
  const textOf = (state: MemoryTables): string =>
    JSON.stringify(Object.values(state).map((rows: Map<string, unknown>) => [...rows].sort(byKey)))
  return [...new Map(states.map((state) => [textOf(state), state])).values()]
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1

/** Whether two values are equal, member by member. */
function equal(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [ones, others] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    ones.length === others.size &&
    ones.every(([name, value]) => others.has(name) && equal(value, others.get(name)))
  )
}
