import { isNotAfter } from '../time/seconds.js'
/**
 * A stored response. It is replayed as it was sent the first time, except for `X-Request-Id`.
 *
 * @group Idempotency
 */
export interface StoredResponse {
  readonly status: number
  /** Names and values in turn: each value follows its lower-case name. */
  readonly headers: readonly string[]
  readonly body: string | null
}

/**
 * The state of an idempotency key. `new`: this caller runs the request, then calls `finish` or `abandon`.
 * `running`: another request with this key has no response yet, and `expiresAt` is what it passed to `begin`.
 * `done`: the stored response is replayed.
 *
 * @group Idempotency
 */
export type IdempotencyState =
  | { readonly state: 'new' }
  | { readonly state: 'running'; readonly requestHash: string; readonly expiresAt: number }
  | { readonly state: 'done'; readonly requestHash: string; readonly answer: StoredResponse }

/**
 * Stores the values of `Idempotency-Key` and their responses for 24 hours. Of concurrent calls with one
 * key, exactly one receives `new`. After a crash the key remains `running` until it expires, because
 * the outcome is unknown. The admin API says so to a client that repeats the request after two minutes.
 *
 * @group Idempotency
 */
export interface IdempotencyStore {
  /**
   * Reserves a key that is unknown or expired, and returns the state in which it was.
   *
   * @param entry - `keyHash` and `requestHash`: 43 base64url characters each; times are epoch seconds
   */
  begin(entry: {
    keyHash: string
    requestHash: string
    now: number
    expiresAt: number
  }): Promise<IdempotencyState>
  /** Stores the response. A key that is not `running` stays unchanged. */
  finish(entry: { keyHash: string; answer: StoredResponse }): Promise<void>
  /** Releases the key, so that a retry can succeed. A key that is not `running` stays unchanged. */
  abandon(keyHash: string): Promise<void>
}

interface Entry {
  readonly requestHash: string
  readonly expiresAt: number
  readonly answer: StoredResponse | null
}

/**
 * Creates an idempotency store in process memory, for tests and for a server with a single process. A
 * restart loses all keys.
 *
 * @example
 * ```ts
 * import { createMemoryIdempotency } from 'hallpass/admin'
 *
 * const idempotency = createMemoryIdempotency()
 * const entry = { keyHash: 'k'.repeat(43), requestHash: 'r'.repeat(43), now: 1_795_165_200, expiresAt: 1_795_251_600 }
 * const first = await idempotency.begin(entry) // => { state: 'new' }
 * const second = await idempotency.begin(entry)
 * second.state // => 'running'
 *
 * await idempotency.finish({ keyHash: entry.keyHash, answer: { status: 201, headers: [], body: '{}' } })
 * const third = await idempotency.begin(entry)
 * third.state // => 'done'
 * ```
 * @group Idempotency
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
