import { hasGroup, type StoreGroup, type StoreWith } from '../store/groups.js'
import type { StoredEvent } from '../store/records.js'
import type { Store } from '../store/store.js'
import { equal, same, settles } from './check.js'
import {
  clientSample,
  codeSample,
  eventSample,
  hash,
  keySample,
  pendingSample,
  redemption,
  rotation,
  storeGrant,
  T,
} from './samples.js'

/** Passes a function on, whose calls a check can let fail. */
export type Through = <Executor extends (...parameters: never[]) => unknown>(
  executor: Executor,
) => Executor

/** How one call fails: before its work, or when the work is done. */
interface Fault {
  readonly when: 'before' | 'after'
  readonly fault: unknown
}
type Choose = (call: Call) => Fault | null

/** A call: its parameters as a key, `null` if one is a function, and whether no other is on its way. */
interface Call {
  readonly key: string | null
  readonly isAlone: boolean
}

/** A place between a store and its database, where calls fail when a check chooses so. */
interface Gate {
  readonly through: Through
  /** Lets each call fail as chosen, until it is called again without an argument. */
  readonly choose: (choose?: Choose) => void
}

export function createGate(choose: Choose = () => null): Gate {
  let now = choose
  let running = 0
  return {
    through: <Executor extends (...parameters: never[]) => unknown>(executor: Executor) =>
      (async (...parameters: never[]) => {
        const chosen = now({ key: keyOf(parameters), isAlone: running === 0 })
        if (chosen?.when === 'before') throw chosen.fault
        running += 1
        try {
          const result = await executor(...parameters)
          if (chosen !== null) throw chosen.fault
          return result
        } finally {
          running -= 1
        }
      }) as unknown as Executor,
    choose: (next = choose) => (now = next),
  }
}

/**
 * Lets each call fail once, and succeed when it is repeated. Calls with a function look the same, so one of these fails only
 * while no other is on its way: then the next one is its repetition.
 */
export function eachOnce(faultOf: () => unknown): Choose {
  const counts = new Map<string, number>()
  let hasFailed = false
  return ({ key, isAlone }) => {
    let fails = isAlone && !hasFailed
    if (key === null) hasFailed = fails
    else {
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      fails = count % 2 === 0
    }
    return fails ? { when: 'before', fault: faultOf() } : null
  }
}

function keyOf(parameters: readonly unknown[]): string | null {
  if (parameters.some((one) => typeof one === 'function' && one.length > 0)) return null
  try {
    return JSON.stringify(parameters)
  } catch {
    return null
  }
}

/** A method that changes something, with what has to be stored before, and the outcome of the one that changes it. */
interface Change<in Kept> {
  readonly prepare?: (store: Kept) => Promise<unknown>
  readonly call: (store: Kept, events: readonly StoredEvent[]) => Promise<unknown>
  readonly won: unknown
  /** Makes the change again, where nothing else shows whether it is there. */
  readonly again?: (store: Kept) => Promise<unknown>
}

const USE = { key: hash('used'), until: T }
const issue = { code: codeSample(), pendingIdHash: null, consentKey: hash('consent') }
const ENDED = { revokedAt: T + 9, revokedReason: 'test' }
const NOTHING_MORE = { codes: 0, consents: 0, pending: 0 }

const CHANGES: Readonly<Record<string, Change<StoreWith>>> = {
  insertClient: {
    call: (store, events) => store.insertClient(clientSample(), events),
    won: 'inserted',
  },
  replaceClient: {
    prepare: (store) => store.insertClient(clientSample()),
    call: (store, events) =>
      store.replaceClient(clientSample({ revision: 2, name: 'New' }), events),
    won: 'replaced',
  },
  savePending: { call: (store) => store.savePending(pendingSample()), won: undefined },
  endPending: {
    prepare: (store) => store.savePending(pendingSample()),
    call: (store, events) => store.endPending(pendingSample().idHash, events),
    won: 'ended',
  },
  'endPending with the next': {
    prepare: (store) => store.savePending(pendingSample({ idHash: hash('before') })),
    call: (store, events) => store.endPending(hash('before'), events, pendingSample()),
    won: 'ended',
  },
  issueCode: {
    prepare: (store) => store.savePending(pendingSample()),
    call: (store, events) =>
      store.issueCode({ ...issue, pendingIdHash: pendingSample().idHash }, events),
    won: 'issued',
  },
  'issueCode without a pending request': {
    call: (store, events) => store.issueCode(issue, events),
    won: 'issued',
  },
  redeemCode: {
    async prepare(store) {
      await store.insertClient(clientSample())
      await store.issueCode(issue)
    },
    call: (store, events) => store.redeemCode(redemption(), events),
    won: 'redeemed',
  },
  rotateRefreshToken: {
    prepare: (store) => storeGrant(store),
    call: (store, events) => store.rotateRefreshToken(rotation('0', '1'), events),
    won: 'rotated',
  },
  revokeAccessToken: {
    prepare: (store) => storeGrant(store),
    call: (store, events) =>
      store.revokeAccessToken({ tokenHash: hash('access 0'), revokedAt: T + 9 }, events),
    won: 'revoked',
  },
  revokeGrant: {
    prepare: (store) => storeGrant(store),
    call: (store, events) => store.revokeGrant({ grantId: 'grant_1', ...ENDED }, events),
    won: 'revoked',
  },
  insertKey: { call: (store) => store.insertKey(keySample()), won: 'inserted' },
  moveKey: {
    prepare: (store) => store.insertKey(keySample()),
    call: (store, events) =>
      store.moveKey({ key: keySample({ state: 'active' }), from: 'generated' }, events),
    won: 'moved',
  },
}

/** The changes of groups. An erasure may be half done, and is repeated then. */
const OF_GROUPS: Readonly<Partial<Record<StoreGroup, Readonly<Record<string, Change<Store>>>>>> = {
  management: {
    revokeGrants: {
      prepare: (store) => storeGrant(store),
      call: (store, events) =>
        store.revokeGrants({ clientId: 'app_1', subject: 'mem_1', ...ENDED }, events),
      won: 1,
    },
    revokeGrantsOfClient: {
      prepare: (store) => storeGrant(store),
      call: (store, events) => store.revokeGrantsOfClient({ clientId: 'app_1', ...ENDED }, events),
      won: 1,
    },
  },
  stepUp: {
    widenGrant: {
      prepare: (store) => storeGrant(store),
      call: (store, events) =>
        store.widenGrant({ grantId: 'grant_1', scopes: ['account:write'] }, events),
      won: 'widened',
    },
  },
  clock: {
    moveClock: {
      call: (store, events) =>
        store.moveClock({ from: null, to: { trustedAt: T, leap: null } }, events),
      won: 'moved',
    },
  },
  restore: {
    revokeAllGrants: {
      prepare: (store) => storeGrant(store),
      call: (store) => store.revokeAllGrants({ issuedBefore: T + 9, ...ENDED, limit: 9 }),
      won: { grants: 1, ...NOTHING_MORE },
    },
  },
  once: {
    useOnce: {
      call: (store) => store.useOnce(USE),
      won: 'first',
      again: (store) => store.useOnce(USE),
    },
    'useOnce with a claim': {
      call: (store) => store.useOnce({ ...USE, claim: 'claim' }),
      won: 'first',
      again: (store) => store.useOnce(USE),
    },
    giveBack: {
      prepare: (store) => store.useOnce({ ...USE, claim: 'claim' }),
      call: (store) => store.giveBack({ ...USE, claim: 'claim' }),
      won: undefined,
    },
  },
}

function changesOf(store: StoreWith): readonly (readonly [string, Change<Store>])[] {
  const own = Object.entries(OF_GROUPS).filter(([group]) => hasGroup(store, group as StoreGroup))
  return [...Object.entries(CHANGES), ...own.flatMap(([, changes]) => Object.entries(changes))]
}

/** Reads everything that the changes write, so that half a change is like neither the state before nor that after. */
const stateOf = async (store: StoreWith): Promise<unknown> => ({
  client: await store.findClient('app_1'),
  pending: await store.findPending(pendingSample().idHash),
  consent: await store.hasConsent(hash('consent')),
  code: await store.findCode(hash('code')),
  tokens: await Promise.all(
    ['0', '1'].flatMap((name): readonly Promise<unknown>[] => [
      store.findAccessToken(hash(`access ${name}`)),
      store.findRefreshToken(hash(`refresh ${name}`)),
    ]),
  ),
  keys: await store.listKeys(),
  mark: hasGroup(store, 'clock') ? (await store.findClock()).mark : null,
  events: hasGroup(store, 'outbox') ? await store.listEvents({ limit: 9 }) : [],
})

/** Opens a store of a site of its own, behind a gate. */
export type OpenFaulty = (site: string, through: Through) => Promise<StoreWith>

/** More calls of an executor than a method makes. */
const MOST_CALLS = 100

/**
 * Makes each change again and again, while one call of the executor fails: the first, then the second, until there is none.
 * A method that resolves must have won, with its whole change. One that rejects has made its whole change or none.
 */
async function eachCall(open: OpenFaulty, { when, fault }: Fault): Promise<void> {
  const events = [eventSample()]
  const prepared = async (site: string, { prepare }: Change<Store>) => {
    const gate = createGate()
    const store = (await open(site, gate.through)) as Store
    await prepare?.(store)
    return { gate, store }
  }
  const names = changesOf(await open('groups', createGate().through))
  for (const [index, [name, change]] of names.entries()) {
    const { store: clean } = await prepared(`${index}_clean`, change)
    const before = await stateOf(clean)
    same(await change.call(clean, events), change.won, name)
    const after = await stateOf(clean)
    const again = await change.again?.(clean)
    let isReached = true
    for (let failing = 1; isReached; failing++) {
      if (failing > MOST_CALLS)
        throw new Error(`${name} made more than ${MOST_CALLS} calls of the executor`)
      const { gate, store } = await prepared(`${index}_${failing}`, change)
      let calls = 0
      gate.choose(() => (++calls === failing ? { when, fault } : null))
      const outcome = await settles(change.call(store, events))
      gate.choose()
      isReached = calls >= failing
      if (calls === 0)
        throw new Error(
          `${name} called no function that makeStore passed through its second parameter`,
        )
      const what = `${name}, whose call ${failing} of the executor failed,`
      if (outcome !== null) same(outcome.value, change.won, `${what} returned`)
      const state = await stateOf(store)
      if (outcome === null && equal(state, before)) continue
      same(state, after, `${what} left`)
      if (outcome !== null)
        same(await change.again?.(store), again, `${what} and was made again, returned`)
    }
  }
}

/** The checks that let each call of an executor fail in turn. */
export const faultChecks: readonly {
  readonly name: string
  readonly when: Fault['when']
  readonly check: (open: OpenFaulty, fault: unknown) => Promise<void>
}[] = [
  {
    name: 'writes all of a change or nothing, whichever of its statements fails',
    when: 'before',
    check: (open, fault) => eachCall(open, { when: 'before', fault }),
  },
  {
    name: 'returns that it won, or rejects, whichever answer of the database is lost',
    when: 'after',
    check: (open, fault) => eachCall(open, { when: 'after', fault }),
  },
]
