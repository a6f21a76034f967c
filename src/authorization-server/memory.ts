import type { EndpointName } from '../site/paths.js'
import type { Site } from '../site/site.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import type { KeySource } from '../token/key-ring.js'
import { SealFailure } from '../token/sealing.js'
import { type ClientResolver, createClientResolver, type DocumentBlocks } from './cimd-resolver.js'
import { createExchangeReports } from './exchange-reports.js'

/**
 * All that the endpoints of a server know of earlier requests. An endpoint keeps nothing itself, because it may be made again for
 * the next request.
 */
export interface ServerMemory {
  readonly report: ReturnType<typeof createExchangeReports>
  readonly resolveClient: ClientResolver
  /** Returns the keys to publish. */
  readonly jwks: Remembered<Awaited<ReturnType<KeySource['jwks']>>>
  /** Returns whether a key signs. */
  readonly signs: Remembered<boolean>
}

/** Returns what was read last, and whether that could not be read again. */
type Remembered<Value> = (
  endpoint: EndpointName,
) => Promise<{ readonly value: Value; readonly isOld: boolean }>

type Remembering = Site & DocumentBlocks & { readonly keys: Pick<KeySource, 'jwks' | 'signer'> }

const memories = new WeakMap<Remembering, ServerMemory>()

/** Returns the memory of a server. A copy of a configuration, which may differ in anything, has a memory of its own. */
export function memoryOf(configuration: Remembering): ServerMemory {
  const known = memories.get(configuration)
  if (known !== undefined) return known
  const memory = {
    report: createExchangeReports(configuration.now),
    resolveClient: createClientResolver(configuration, configuration),
    jwks: rememberLast(configuration, () => configuration.keys.jwks()),
    signs: rememberLast(configuration, () => hasSigner(configuration.keys)),
  }
  memories.set(configuration, memory)
  return memory
}

/** How long the last state of the keys is served if they cannot be read. */
const REMEMBERED_SECONDS = 86_400
/** After a failure, the keys are read again when this time has passed. Until then no request waits. */
const PAUSE_SECONDS = 5

/**
 * Reads the keys, at most once a second, and returns what was read last, up to a day ago, while that fails: what is
 * public does not need the storage. Each failure is reported to `onFault`. If nothing was read before, it is thrown.
 */
function rememberLast<Value>(
  { now, notifyFault }: Site,
  read: () => Promise<Value>,
): Remembered<Value> {
  let last: { readonly value: Value; readonly readAt: number } | null = null
  let pausedUntil = 0
  return async (endpoint) => {
    const at = now()
    if (last?.readAt === at) return { value: last.value, isOld: false }
    const isUsable = last !== null && isBefore(at, last.readAt + REMEMBERED_SECONDS)
    // Beyond the pause, the clock was set back.
    const left = pausedUntil - at
    if (isUsable && isBefore(0, left) && isNotAfter(left, PAUSE_SECONDS))
      return { value: last!.value, isOld: true }
    try {
      last = { value: await read(), readAt: now() }
      pausedUntil = 0
      return { value: last.value, isOld: false }
    } catch (fault) {
      if (!isUsable) throw fault
      notifyFault(endpoint, fault)
      pausedUntil = now() + PAUSE_SECONDS
      return { value: last!.value, isOld: true }
    }
  }
}

/** Whether a key signs, also if this process cannot decrypt it: the metadata needs no private key. */
async function hasSigner({ signer }: Pick<KeySource, 'signer'>): Promise<boolean> {
  try {
    return (await signer()) !== null
  } catch (fault) {
    if (fault instanceof SealFailure) return true
    throw fault
  }
}
