import { base64url } from '../../encoding/base64url.js'
import { hmacSha256Base64url } from '../../encoding/hash.js'
import type { RandomBytes } from '../../encoding/random.js'
import { isBefore } from '../../time/seconds.js'
import {
  type AttemptNote,
  attemptIdOf,
  type AttemptStep,
  type AttemptStore,
  boundedSteps,
  progressOf,
} from './attempt.js'

/** Attempts whose steps wait to be stored. Beyond that, the oldest are given up, first those without a person. */
const MAX_WAITING_ATTEMPTS = 1000
/** Networks whose discovery is remembered, and grants whose calls are: the oldest are forgotten first. */
const MAX_REMEMBERED_NETWORKS = 1000
const MAX_REMEMBERED_GRANTS = 10_000
/** Discovery requests that one process looks at in a second, so that a flood of them costs nothing. */
const DISCOVERY_RATE = 20
const MAX_DISCOVERY_STEPS = 6
const MAX_WAITING_STEPS = 64
const DAY_SECONDS = 86_400
/** For how long after its consent a grant is observed. A call after that says nothing about connecting. */
const FIRST_CALLS_SECONDS = 3600
const DISCOVERY_SECONDS = 600

/** The part of discovery that a request is: it read metadata, was challenged, or sent an invalid token. */
type Discovered = 'metadata' | 'challenge' | 'refused'

/**
 * Keeps the steps of attempts in memory until the storage has them. Nothing here throws, and no request waits for it.
 */
export interface AttemptRecorder {
  /** The storage. An exception of it is a `StorageFailure`. */
  readonly store: AttemptStore
  /** Returns a new identifier of 96 random bits, for an attempt that leads to no grant. */
  readonly newId: () => string
  /** Returns the hash of a network under the key of this day; `null` if the network is not known. */
  readonly hashOf: (network: string | null) => string | null
  /** Appends a step. `network`: a hash; what it discovered in the last minutes belongs to the attempt. */
  readonly note: (id: string, step: Omit<AttemptStep, 'at'>, facts?: Partial<AttemptNote>) => void
  /** Returns whether a request of discovery is looked at: at most 20 are, in a second. */
  readonly looks: () => boolean
  /**
   * Remembers a step of discovery. It is stored when the same network continues, or when it has been challenged
   * and has read the metadata, because then it tried to connect.
   */
  readonly discovered: (
    what: Discovered,
    network: () => string | null,
    step: Omit<AttemptStep, 'at' | 'network'>,
  ) => void
  /**
   * Notes a call with the access token of a grant, once for each grant and result. Returns the identifier of
   * the attempt for a refusal; `null` if the grant is too old.
   */
  readonly called: (
    grant: { readonly grantId: string; readonly createdAt: number; readonly clientId: string },
    refusal: { readonly error: string; readonly reason: string } | null,
  ) => string | null
  /** Resolves when the storage has what was noted, or has failed. Never rejects. */
  readonly settled: () => Promise<void>
}

interface Discovery {
  readonly startedAt: number
  readonly steps: AttemptStep[]
  readonly seen: Set<Discovered>
  /** The attempt under which it is stored; `null` while it is only here. */
  id: string | null
}

const NO_FACTS = {
  joins: null,
  clientId: null,
  clientName: null,
  resource: null,
  scopes: [],
  network: null,
  grantId: null,
} as const

export function createAttemptRecorder(
  store: AttemptStore,
  {
    now,
    randomBytes,
    onFault,
  }: { now: () => number; randomBytes: RandomBytes; onFault: (fault: unknown) => void },
): AttemptRecorder {
  const waiting = new Map<string, AttemptNote>()
  const networks = new Map<string, Discovery>()
  const grants = new Map<string, Set<string>>()
  let running: Promise<void> | null = null
  let key = { day: -1, text: '' }
  let second = { at: -1, seen: 0 }
  let reportedAt = -Infinity

  const newId = (): string => `att_${base64url(randomBytes(12))}`

  function safely<Result>(act: () => Result, otherwise: Result): Result {
    try {
      return act()
    } catch (fault) {
      report(fault)
      return otherwise
    }
  }

  /** A storage that is away fails for each step, and one report a minute is enough. */
  function report(fault: unknown): void {
    const at = now()
    if (isBefore(Math.abs(at - reportedAt), 60)) return
    reportedAt = at
    onFault(fault)
  }

  function hashOf(network: string | null): string | null {
    if (network === null) return null
    const day = Math.floor(now() / DAY_SECONDS)
    // The key is nowhere else, so that a hash of yesterday cannot be compared with any address.
    if (key.day !== day) key = { day, text: base64url(randomBytes(32)) }
    return hmacSha256Base64url({ key: key.text, message: network }).slice(0, 16)
  }

  async function drain(): Promise<void> {
    // The response of the request comes first.
    await new Promise((resolve) => setTimeout(resolve, 0))
    for (const [id, note] of waiting) {
      waiting.delete(id)
      try {
        await store.append(note)
      } catch (fault) {
        report(fault)
        // The next step, or a reader, tries again. What was noted since then is later.
        const later = waiting.get(id)
        waiting.delete(id)
        keep(later === undefined ? note : joined(note, later))
        return
      }
    }
  }

  function keep(note: AttemptNote): void {
    waiting.set(note.id, note)
    if (waiting.size <= MAX_WAITING_ATTEMPTS) return
    const notes = [...waiting.values()]
    const first = notes.find((one) => one.id !== note.id && !progressOf(one).hasPerson)
    waiting.delete((first ?? notes[0]!).id)
  }

  function start(): Promise<void> {
    running ??= drain().finally(() => {
      running = null
    })
    return running
  }

  function append(note: AttemptNote): void {
    const earlier = waiting.get(note.id)
    if (earlier === undefined) keep(note)
    else waiting.set(note.id, joined(earlier, note))
    void start()
  }

  function looks(): boolean {
    const at = now()
    if (second.at !== at) second = { at, seen: 0 }
    second.seen++
    return second.seen <= DISCOVERY_RATE
  }

  /** Returns what a network has discovered lately, and forgets it. */
  function takeDiscovery(network: string | null | undefined): Discovery | null {
    if (network == null) return null
    const found = networks.get(network)
    if (found === undefined) return null
    networks.delete(network)
    return isBefore(now(), found.startedAt + DISCOVERY_SECONDS) ? found : null
  }

  return {
    store,
    newId,
    hashOf: (network) => safely(() => hashOf(network), null),
    note(id, step, facts = {}) {
      safely(() => {
        const discovery = takeDiscovery(facts.network)
        append({
          ...NO_FACTS,
          ...facts,
          joins: facts.joins ?? discovery?.id ?? null,
          id,
          steps: [
            ...(discovery === null || discovery.id !== null ? [] : discovery.steps),
            { ...step, at: now() },
          ],
        })
      }, undefined)
    },
    looks: () => safely(looks, false),
    discovered(what, network, step) {
      safely(() => {
        const hash = hashOf(network())
        if (hash === null) return
        const at = now()
        let found = networks.get(hash)
        if (found === undefined || !isBefore(at, found.startedAt + DISCOVERY_SECONDS)) {
          found = { startedAt: at, steps: [], seen: new Set(), id: null }
          networks.delete(hash)
          networks.set(hash, found)
          if (networks.size > MAX_REMEMBERED_NETWORKS)
            networks.delete(networks.keys().next().value!)
        }
        const isKnown = found.steps.some(
          ({ detail, reason }) => detail === step.detail && reason === step.reason,
        )
        if (isKnown || found.steps.length >= MAX_DISCOVERY_STEPS) return
        const added = { ...step, at, network: hash }
        found.steps.push(added)
        const steps = found.id === null ? found.steps : [added]
        found.seen.add(what)
        const { seen } = found
        if (!seen.has('refused') && !(seen.has('metadata') && seen.has('challenge'))) return
        found.id ??= newId()
        append({ ...NO_FACTS, id: found.id, network: hash, steps: [...steps] })
      }, undefined)
    },
    called({ grantId, createdAt, clientId }, refusal) {
      return safely(() => {
        if (!isBefore(now(), createdAt + FIRST_CALLS_SECONDS)) return null
        const seen = grants.get(grantId) ?? new Set()
        // Most calls are of a grant that has called before, and need no identifier.
        if (refusal === null && seen.has('')) return null
        const id = attemptIdOf(grantId)
        if (seen.size === 0) grants.set(grantId, seen)
        const result = refusal?.reason ?? ''
        // A call that succeeded is the end of the attempt.
        if (seen.has('') || seen.has(result)) return id
        seen.add(result)
        if (grants.size > MAX_REMEMBERED_GRANTS) grants.delete(grants.keys().next().value!)
        const step: AttemptStep = {
          at: now(),
          stage: 'first_call',
          ok: refusal === null,
          error: refusal?.error ?? null,
          reason: refusal?.reason ?? null,
          requestId: null,
          detail: null,
          network: null,
        }
        append({ ...NO_FACTS, id, clientId, grantId, steps: [step] })
        return id
      }, null)
    },
    async settled() {
      await running
      if (waiting.size > 0) await start()
    },
  }
}

/** Returns two notes of one attempt as one. */
function joined(first: AttemptNote, then: AttemptNote): AttemptNote {
  const network = first.network ?? then.network
  return {
    id: first.id,
    joins: first.joins ?? then.joins,
    clientId: then.clientId ?? first.clientId,
    clientName: then.clientName ?? first.clientName,
    resource: then.resource ?? first.resource,
    scopes: then.scopes.length > 0 ? then.scopes : first.scopes,
    network,
    grantId: then.grantId ?? first.grantId,
    steps: boundedSteps([...first.steps, ...then.steps], { network, most: MAX_WAITING_STEPS }),
  }
}
