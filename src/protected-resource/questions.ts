import { isBefore, isNotAfter } from '../time/seconds.js'

/** Most questions at the same time about tokens that were never active here. */
const MAX_UNKNOWN_QUESTIONS = 32
/** So many of them a network has in any case, and half as many as are free. */
const MAX_UNKNOWN_OF_NETWORK = 4
/** After so many failures in a row, few questions are sent in {@link PAUSE_SECONDS}. */
export const FAILURES_LIMIT = 5
/** So many of them concerned different senders, or tokens that were active. */
const MIN_WITNESSES = 3
/** The same as `Retry-After` of a 503. */
const PAUSE_SECONDS = 5

interface Kept<Value> {
  readonly kept: Value
  /** Epoch seconds, by the clock of this process. */
  readonly askedAt: number
  readonly usedUntil: number
}

/** Keeps answers by the hash of their token, at most so many. The one that was kept first goes first. */
export function createShelf<Value>(most: number): {
  readonly get: (hash: string) => Kept<Value> | undefined
  readonly put: (hash: string, answer: Kept<Value>) => void
  readonly delete: (hash: string) => void
} {
  const answers = new Map<string, Kept<Value>>()
  return {
    get: (hash) => answers.get(hash),
    put(hash, answer) {
      answers.delete(hash)
      answers.set(hash, answer)
      for (const first of answers.keys()) {
        if (answers.size <= most) break
        answers.delete(first)
      }
    },
    delete: (hash) => void answers.delete(hash),
  }
}

/** Shares the questions about tokens that were never active between the networks that sent them. */
export function createSlots(): {
  /** Takes a place, and returns how to free it; `null` if there is none for this network. `null` is not known. */
  readonly take: (network: string | null) => (() => void) | null
} {
  const taken = new Map<string | null, number>()
  let all = 0
  return {
    take(network) {
      const own = taken.get(network) ?? 0
      const free = MAX_UNKNOWN_QUESTIONS - all
      const share =
        network === null ? MAX_UNKNOWN_QUESTIONS : Math.max(free / 2, MAX_UNKNOWN_OF_NETWORK)
      if (free === 0 || own >= share) return null
      all += 1
      taken.set(network, own + 1)
      return () => {
        all -= 1
        const left = taken.get(network)! - 1
        if (left === 0) taken.delete(network)
        else taken.set(network, left)
      }
    },
  }
}

/**
 * Says when not to ask, so that a server that fails is left alone and a request does not wait for it. One network cannot
 * say that it fails: its questions about unknown tokens may have caused that.
 */
export function createCircuit(): {
  /**
   * Whether a question may be sent. During a pause none is. After it one is, with which the next pause begins: one for a
   * token that was active, and one for another, which takes nothing from the first.
   */
  readonly admits: (at: number, isUnknown: boolean) => boolean
  readonly succeeded: () => void
  /** `network`: that sent a token which was never active; `null` if it is not known, or for another token. */
  readonly failed: (at: number, network: string | null) => void
} {
  let failures = 0
  const witnesses = new Set<unknown>()
  const pausedAt = { unknown: 0, known: 0 }
  const isOpen = (): boolean => failures >= FAILURES_LIMIT && witnesses.size >= MIN_WITNESSES
  return {
    admits(at, isUnknown) {
      if (!isOpen()) return true
      const who = isUnknown ? 'unknown' : 'known'
      // A clock that was set back ends a pause.
      if (isNotAfter(pausedAt[who], at) && isBefore(at, pausedAt[who] + PAUSE_SECONDS)) return false
      pausedAt[who] = at
      return true
    },
    succeeded() {
      failures = 0
      witnesses.clear()
    },
    failed(at, network) {
      if (isOpen()) return
      failures += 1
      witnesses.add(network ?? failures)
      if (isOpen()) Object.assign(pausedAt, { unknown: at, known: at })
    },
  }
}
