import { COUNT, orNull, record, SECONDS, TEXT, TEXTS } from '../options/wanted.js'
import type { GivenTo } from '../store/given.js'
import { isNotAfter } from '../time/seconds.js'

/**
 * Stores the values of `Idempotency-Key` and their responses for 24 hours. Of concurrent calls with one
 * key, exactly one receives `new`. After a crash the key remains `running` until it expires, because
 * the outcome is unknown. The admin API says so to a client that repeats the request after two minutes.
 *
 * @group Idempotency
 */
export interface IdempotencyStore {
  /**
   * Reserves a key that is unknown or expired, and returns the state in which it was. `new`: this caller runs the
   * request, then calls `finish` or `abandon`. `running`: another request with this key has no response yet, and
   * `expiresAt` is what it passed to `begin`. `done`: the stored response is replayed as it was sent the first time,
   * except for `X-Request-Id`.
   *
   * @param entry - `keyHash` and `requestHash`: 43 base64url characters each; times are epoch seconds
   */
  begin(entry: { keyHash: string; requestHash: string; now: number; expiresAt: number }): Promise<
    | { readonly state: 'new' }
    | { readonly state: 'running'; readonly requestHash: string; readonly expiresAt: number }
    | {
        readonly state: 'done'
        readonly requestHash: string
        readonly answer: Parameters<IdempotencyStore['finish']>[0]['answer']
      }
  >
  /** Stores the response. A key that is not `running` stays unchanged. */
  finish(entry: {
    keyHash: string
    answer: {
      readonly status: number
      /** Names and values in turn: each value follows its lower-case name. */
      readonly headers: readonly string[]
      readonly body: string | null
    }
  }): Promise<void>
  /** Releases the key, so that a retry can succeed. A key that is not `running` stays unchanged. */
  abandon(keyHash: string): Promise<void>
}

/** A stored response. */
export type StoredResponse = Parameters<IdempotencyStore['finish']>[0]['answer']
export type IdempotencyState = Awaited<ReturnType<IdempotencyStore['begin']>>

/** The arguments of each method of a storage of keys. */
export const KEY_VERBS: GivenTo<IdempotencyStore> = {
  begin: [{ keyHash: TEXT, requestHash: TEXT, now: SECONDS, expiresAt: SECONDS }],
  finish: [
    { keyHash: TEXT, answer: record({ status: COUNT, headers: TEXTS, body: orNull(TEXT) }) },
  ],
  abandon: [TEXT],
}

interface Entry {
  readonly requestHash: string
  readonly expiresAt: number
  readonly answer: StoredResponse | null
}

/**
 * Creates an idempotency store in process memory, for tests and for a server with a single process. A
 * restart loses all keys.
 */
export function createMemoryIdempotency(): IdempotencyStore {
  const entries = new Map<string, Entry>()
  function dropExpired(now: number): void {
    // A map keeps the order of insertion, and the oldest entries usually expire first.
    for (const [key, entry] of entries) {
      if (!isNotAfter(entry.expiresAt, now)) return
      entries.delete(key)
    }
  }
  return {
    async begin({ keyHash, requestHash, now, expiresAt }) {
      dropExpired(now)
      const known = entries.get(keyHash)
      if (known === undefined || isNotAfter(known.expiresAt, now)) {
        entries.set(keyHash, { requestHash, expiresAt, answer: null })
        return { state: 'new' }
      }
      return known.answer === null
        ? { state: 'running', requestHash: known.requestHash, expiresAt: known.expiresAt }
        : { state: 'done', requestHash: known.requestHash, answer: known.answer }
    },
    async finish({ keyHash, answer }) {
      const known = entries.get(keyHash)
      if (known?.answer === null) entries.set(keyHash, { ...known, answer })
    },
    async abandon(keyHash) {
      if (entries.get(keyHash)?.answer === null) entries.delete(keyHash)
    },
  }
}
