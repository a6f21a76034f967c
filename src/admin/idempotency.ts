/** An answer as it was given the first time, but for its `x-request-id`. */
export interface StoredAnswer {
  readonly status: number
  /** Each value after its name. */
  readonly headers: readonly string[]
  readonly body: string | null
}

/** What is known of a key. */
export type IdempotencyState =
  /** Nobody used it: go on, and finish or abandon it. */
  | { readonly state: 'new' }
  /** The first request with it has not been answered yet. */
  | { readonly state: 'running'; readonly requestHash: string }
  | { readonly state: 'done'; readonly requestHash: string; readonly answer: StoredAnswer }

/**
 * Where the keys of `Idempotency-Key` are kept, for 24 hours. Of any number of callers with one key
 * exactly one gets `new`. A key whose process died stays `running` until it expires, since nobody knows
 * what came of it.
 */
export interface IdempotencyStore {
  /**
   * Takes a key that is unknown or expired.
   *
   * @param entry - `keyHash` and `requestHash`: 43 base64url characters; times: epoch seconds
   */
  begin(entry: {
    keyHash: string
    requestHash: string
    now: number
    expiresAt: number
  }): Promise<IdempotencyState>
  /** Keeps the answer. A key that is not running stays as it is. */
  finish(entry: { keyHash: string; answer: StoredAnswer }): Promise<void>
  /** Nothing came of it: the key is free again. One that is not running stays as it is. */
  abandon(keyHash: string): Promise<void>
}

interface Entry {
  readonly requestHash: string
  readonly expiresAt: number
  readonly answer: StoredAnswer | null
}

/** Keys in this process: for tests, and for a server that may forget. */
export function createMemoryIdempotency(): IdempotencyStore {
  const entries = new Map<string, Entry>()
  function dropExpired(now: number): void {
    // The oldest stand first, and mostly they expire first.
    for (const [key, entry] of entries) {
      if (entry.expiresAt > now) return
      entries.delete(key)
    }
  }
  return {
    async begin({ keyHash, requestHash, now, expiresAt }) {
      dropExpired(now)
      const known = entries.get(keyHash)
      if (known === undefined || known.expiresAt <= now) {
        entries.set(keyHash, { requestHash, expiresAt, answer: null })
        return { state: 'new' }
      }
      return known.answer === null
        ? { state: 'running', requestHash: known.requestHash }
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
