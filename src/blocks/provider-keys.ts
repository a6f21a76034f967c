import { decodeUtf8 } from '../http/body.js'
import { parseStrictJson } from '../http/json.js'
import { isMembers, listOf, memberOf } from '../policy/reading.js'
import { readStream } from '../encoding/read-stream.js'
import { type FetchDocument, PROVIDER_KEYS } from '../site/fetch-document.js'
import { inTime } from '../store/deadline.js'
import { UnusableValue } from '../store/guard.js'
import { isBefore } from '../time/seconds.js'
import { createKeySet, type KeySet, verifySignature } from './signed-by.js'

/** @inline */
export interface Jwks {
  readonly keys: readonly object[]
}

/** How long a key set is used without a fetch, in seconds. So long a withdrawn key is still trusted. */
const FRESH_SECONDS = 600
/** How long a key set is used while its address cannot be fetched, in seconds. */
const STALE_SECONDS = 3600
/** How often a key set is fetched again after a failure, or for a key that is not in it: once within these seconds. */
const PAUSE_SECONDS = 60
const FETCH_MILLISECONDS = 5000
const MAX_PROVIDER_KEYS = 64

/** Whether a value is a key set of which each key can be tried. */
export const isKeySet = (value: unknown): value is Jwks => keysIn(value) !== null

/** Returns the keys of a set; `null` if it is not one, or has too many. An empty list is a provider that withdrew every key. */
function keysIn(value: unknown): Jwks | null {
  if (!isMembers(value) || !Array.isArray(value['keys'])) return null
  const keys = listOf(memberOf(value, 'keys'))
  return keys.length <= MAX_PROVIDER_KEYS && keys.every(isMembers) ? { keys } : null
}

/**
 * Says whether one of the keys of a provider made a signature, at a time in epoch seconds. It rejects with
 * {@link UnusableValue} while there are no keys.
 */
export type IsSigned = (
  signed: Parameters<typeof verifySignature>[1],
  now: number,
) => Promise<boolean>

/** Verifies with keys that never change. */
export function createFixedKeys(jwks: Jwks): IsSigned {
  const keySet = createKeySet(jwks)
  return async (signed) => (await verifySignature(keySet, signed)) === 'right'
}

/**
 * Verifies with the keys of an address. All who wait share one fetch, which is given up after five seconds. An assertion
 * that no known key made has the keys fetched again, once a minute. So a new key works within a minute, and bad
 * assertions cost the provider no more.
 *
 * @param fetchKeys - does not follow redirects
 */
export function createFetchedKeys(address: string, fetchKeys: FetchDocument): IsSigned {
  let copy: { readonly keySet: KeySet; readonly fetchedAt: number } | null = null
  let tried: { readonly at: number; readonly fault: unknown } | null = null
  let underWay: Promise<void> | null = null

  async function readAt(now: number): Promise<void> {
    try {
      const keySet = await inTime(readKeys(fetchKeys, address), FETCH_MILLISECONDS, late)
      copy = { keySet, fetchedAt: now }
      tried = { at: now, fault: null }
    } catch (fault) {
      tried = { at: now, fault }
    }
    underWay = null
  }
  const refresh = (now: number): Promise<void> => (underWay ??= readAt(now))
  /** Whether another fetch may begin, or one that has begun can be joined. */
  const mayFetch = (now: number): boolean =>
    underWay !== null || tried === null || !isBefore(now, tried.at + PAUSE_SECONDS)

  return async (signed, now) => {
    if ((copy === null || !isBefore(now, copy.fetchedAt + FRESH_SECONDS)) && mayFetch(now))
      await refresh(now)
    if (copy === null || !isBefore(now, copy.fetchedAt + STALE_SECONDS))
      throw new UnusableValue(`${address} returned no keys`, tried?.fault)
    const { keySet } = copy
    if ((await verifySignature(keySet, signed)) === 'right') return true
    if (!mayFetch(now)) return false
    await refresh(now)
    return copy.keySet !== keySet && (await verifySignature(copy.keySet, signed)) === 'right'
  }
}

const late = (): Error => new Error(`no complete response within ${FETCH_MILLISECONDS} ms`)

async function readKeys(fetchKeys: FetchDocument, address: string): Promise<KeySet> {
  const { limitBytes } = PROVIDER_KEYS
  // The operator of the site has named the address.
  const response = await fetchKeys(address as Parameters<FetchDocument>[0], PROVIDER_KEYS)
  if (response.status !== 200) throw new Error(`the status is ${response.status}`)
  const bytes = await readStream(response.body, limitBytes)
  if (bytes === null) throw new Error(`the body is larger than ${limitBytes} bytes`)
  const parsed = parseStrictJson(decodeUtf8(bytes) ?? '')
  const jwks = parsed.ok ? keysIn(parsed.value) : null
  if (jwks === null)
    throw new Error(`the body is not a key set of at most ${MAX_PROVIDER_KEYS} keys`)
  return createKeySet(jwks)
}
