import { checkOptions, optional, type Rules, whole } from '../../options/check.js'
import {
  appended,
  type Attempt,
  ATTEMPT_VERBS,
  type AttemptOutcome,
  type AttemptStore,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_OF_NETWORK,
  outcomeOf,
  placeOf,
  progressOf,
  replaces,
  searchTextOf,
  ANONYMOUS_SHARE,
} from './attempt.js'
import { refusingOthers } from '../../store/guard.js'
import { isNotAfter } from '../../time/seconds.js'

/**
 * Creates a storage of attempts in process memory, of about 2 kB for each attempt, for tests and for a server
 * with a single process. A restart loses all attempts.
 *
 * Beyond 100 attempts of one network, or 10,000 in all, a new one replaces the oldest that has not connected. Those
 * that no person was part of go first, as long as they are more than a tenth.
 *
 * @returns the storage to pass to `defineSite` as `attempts`
 * @throws OptionsError that lists every mistake in the options
 * @group Storage
 * @example
 * ```ts
 * import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ watchers: [recordAttempts(createMemoryAttempts())] })
 * site.watchers.length // => 1
 * ```
 */
export function createMemoryAttempts(
  options: {
    /** How many attempts are kept, from 1. Default: 10,000. */
    readonly limit?: number
    /** How many attempts of one network are kept, from 1. Default: 100. */
    readonly limitOfNetwork?: number
  } = {},
): AttemptStore {
  const { limit = MAX_ATTEMPTS, limitOfNetwork = MAX_ATTEMPTS_OF_NETWORK } = checkOptions(
    'createMemoryAttempts',
    options,
    RULES,
  )
  // In the order of their creation.
  const attempts = new Map<string, Attempt>()
  const all = createShelf()
  /** The attempts that have not connected, by network. */
  const open = new Map<string, Shelf>()

  function forget(id: string): void {
    const known = attempts.get(id)
    if (known === undefined) return
    attempts.delete(id)
    put(all, id, null)
    putAtNetwork(known, null)
  }

  function putAtNetwork({ id, network }: Attempt, kind: Kind | null): void {
    if (network === null) return
    const shelf = open.get(network) ?? createShelf()
    put(shelf, id, kind)
    if (sizeOf(shelf) > 0) open.set(network, shelf)
    else open.delete(network)
  }

  function makeRoom({ id, network }: Attempt): void {
    const shelf = network === null ? undefined : open.get(network)
    if (shelf !== undefined && sizeOf(shelf) > limitOfNetwork)
      forget(firstToGo(shelf, id, limitOfNetwork))
    if (attempts.size > limit) forget(firstToGo(all, id, limit))
  }

  return refusingOthers<AttemptStore>(
    {
      async append(note) {
        const known = attempts.get(note.id)
        const joined = note.joins === null ? undefined : attempts.get(note.joins)
        const attempt = appended(known ?? joined ?? null, note)
        if (joined !== undefined && replaces(joined, attempt)) forget(joined.id)
        attempts.set(note.id, attempt)
        const kind = kindOf(attempt)
        put(all, note.id, kind)
        putAtNetwork(attempt, kind === 'connected' ? null : kind)
        if (known === undefined) makeRoom(attempt)
      },
      find: async (id) => attempts.get(id) ?? null,
      async list({ search, clientId, outcome, before, limit: size, now }) {
        const text = search?.toLowerCase() ?? ''
        const counts: Record<AttemptOutcome, number> = { connected: 0, stopped: 0, waiting: 0 }
        const found = [...attempts.values()].filter((attempt) => {
          if (clientId !== null && attempt.clientId !== clientId) return false
          if (!searchTextOf(attempt).includes(text)) return false
          const its = outcomeOf(attempt, now)
          counts[its]++
          return outcome === null || outcome === its
        })
        const ordered = found
          .map((attempt) => ({ attempt, place: placeOf(attempt) }))
          .sort((one, other) => (one.place < other.place ? 1 : -1))
        const rest = before === null ? ordered : ordered.filter(({ place }) => place < before)
        const page = rest.slice(0, size)
        const next = rest.length > size ? page.at(-1)!.place : null
        return { attempts: page.map(({ attempt }) => attempt), next, counts }
      },
      async purge({ before, limit: most }) {
        const due = [...attempts.values()]
          .filter(({ lastAt }) => isNotAfter(lastAt, before))
          .slice(0, most)
        for (const { id } of due) forget(id)
        return due.length
      },
      async erase(texts) {
        const wanted = texts.filter((text) => text !== '').map((text) => text.toLowerCase())
        const theirs = [...attempts.values()].filter((attempt) => {
          const written = JSON.stringify(attempt).toLowerCase()
          return wanted.some((text) => written.includes(text))
        })
        for (const { id } of theirs) forget(id)
        return theirs.length
      },
    },
    ATTEMPT_VERBS,
  )
}

const RULES: Rules<NonNullable<Parameters<typeof createMemoryAttempts>[0]>> = {
  limit: optional(whole(1)),
  limitOfNetwork: optional(whole(1)),
}

type Kind = 'anonymous' | 'person' | 'connected'
/** The identifiers of attempts of each kind, each in the order in which it came there. */
type Shelf = Readonly<Record<Kind, Set<string>>>

const createShelf = (): Shelf => ({
  anonymous: new Set(),
  person: new Set(),
  connected: new Set(),
})

const sizeOf = ({ anonymous, person, connected }: Shelf): number =>
  anonymous.size + person.size + connected.size

function kindOf(attempt: Attempt): Kind {
  const { connected, hasPerson } = progressOf(attempt)
  return connected ? 'connected' : hasPerson ? 'person' : 'anonymous'
}

/** Puts an attempt where it belongs, or nowhere. */
function put(shelf: Shelf, id: string, kind: Kind | null): void {
  for (const other of ['anonymous', 'person', 'connected'] as const)
    if (other !== kind) shelf[other].delete(id)
  if (kind !== null) shelf[kind].add(id)
}

/** Returns the attempt that goes when there are too many, never the newest one. */
function firstToGo({ anonymous, person, connected }: Shelf, newest: string, limit: number): string {
  const isFull = anonymous.size > Math.ceil(limit * ANONYMOUS_SHARE)
  const order = isFull ? [anonymous, person, connected] : [person, anonymous, connected]
  const ids = order.flatMap((some) => firstTwo(some)).filter((id) => id !== newest)
  return ids[0] ?? newest
}

const firstTwo = (ids: Set<string>): readonly string[] => {
  const [first, second] = ids
  return [first, second].filter((id) => id !== undefined)
}
