import {
  appended,
  type Attempt,
  type AttemptOutcome,
  type AttemptStore,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_OF_NETWORK,
  outcomeOf,
  placeOf,
  progressOf,
  searchTextOf,
} from '../site/attempt.js'
import { isNotAfter } from '../time/seconds.js'

/**
 * The options of {@link createMemoryAttempts}.
 *
 * @group Storage
 */
export interface MemoryAttemptsOptions {
  /** How many attempts are kept, from 1. Default: 10,000. */
  readonly limit?: number
  /** How many attempts of one network are kept, from 1. Default: 100. */
  readonly limitOfNetwork?: number
}

/**
 * Creates a storage of attempts in process memory, of about 2 kB for each attempt, for tests and for a server
 * with a single process. A restart loses all attempts.
 *
 * Beyond 100 attempts of one network, or 10,000 in all, a new one replaces the oldest that has not connected.
 *
 * @param options - see {@link MemoryAttemptsOptions}
 * @returns the storage to pass to `defineSite` as `attempts`
 * @group Storage
 * @example
 * ```ts
 * import { createMemoryAttempts } from 'hallpass/attempts'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ attempts: createMemoryAttempts() })
 * site.attempts === null // => false
 * ```
 */
export function createMemoryAttempts({
  limit = MAX_ATTEMPTS,
  limitOfNetwork = MAX_ATTEMPTS_OF_NETWORK,
}: MemoryAttemptsOptions = {}): AttemptStore {
  // In the order of their creation.
  const attempts = new Map<string, Attempt>()
  /** The attempts that have not connected, by network and in the same order. */
  const open = new Map<string | null, Set<string>>()

  function forget(id: string): void {
    const known = attempts.get(id)
    if (known === undefined) return
    attempts.delete(id)
    const ofNetwork = open.get(known.network)
    ofNetwork?.delete(id)
    if (ofNetwork?.size === 0) open.delete(known.network)
  }

  function makeRoom({ id, network }: Attempt): void {
    const ofNetwork = open.get(network)
    if (network !== null && ofNetwork !== undefined && ofNetwork.size > limitOfNetwork)
      forget(ofNetwork.values().next().value!)
    if (attempts.size <= limit) return
    for (const [other, attempt] of attempts)
      if (other !== id && !progressOf(attempt).connected) return forget(other)
    forget(attempts.keys().next().value!)
  }

  return {
    async append(note) {
      const known = attempts.get(note.id)
      const earlier = known ?? (note.joins === null ? undefined : attempts.get(note.joins))
      const attempt = appended(earlier ?? null, note)
      if (earlier !== undefined && earlier !== known) forget(earlier.id)
      attempts.set(note.id, attempt)
      const ofNetwork = open.get(attempt.network) ?? new Set()
      if (progressOf(attempt).connected) ofNetwork.delete(note.id)
      else open.set(attempt.network, ofNetwork.add(note.id))
      if (ofNetwork.size === 0) open.delete(attempt.network)
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
  }
}
