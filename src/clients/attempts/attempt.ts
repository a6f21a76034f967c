import { sha256Base64url } from '../../encoding/hash.js'
import { COUNT, listOf, orNull, record, SECONDS, TEXT, TEXTS } from '../../options/wanted.js'
import type { RefusalReason } from '../../policy/refusals.js'
import type { GivenTo } from '../../store/given.js'
import { isBefore } from '../../time/seconds.js'

/**
 * A stage of an attempt to connect, in the order in which a client passes them. `discovery`: the metadata or a
 * challenge. `registration`: dynamic client registration. `document`: the client metadata document.
 * `authorize`: the authorization request. `sign_in` and `consent`: the page was shown, or refused. `code`: the
 * authorization code. `token`: its exchange. `first_call`: the first request with the access token.
 *
 * @group Attempts
 */
export type AttemptStage =
  | 'discovery'
  | 'registration'
  | 'document'
  | 'authorize'
  | 'sign_in'
  | 'consent'
  | 'code'
  | 'token'
  | 'first_call'

/** Why a step failed: the reason of a refusal, or of another failure. */
export type AttemptReason =
  RefusalReason | 'service_unavailable' | 'clock_skewed' | 'request_not_readable' | 'internal_error'

/**
 * One step of an attempt. It never contains a code, token, secret, cookie, or anything about a person.
 *
 * @group Attempts
 */
export interface AttemptStep {
  /** Epoch seconds. */
  readonly at: number
  readonly stage: AttemptStage
  /** Whether the step succeeded. A page that was shown succeeded, and waits for the person. */
  readonly ok: boolean
  /** The OAuth error code; `null` if the step succeeded. */
  readonly error: string | null
  /**
   * The exact cause; `null` if the step succeeded. It is the reason of a refusal, or of another failure.
   * `service_unavailable`: a storage failed. `clock_skewed`: the clock of the process is wrong. `request_not_readable`:
   * the media type, the size or the encoding is wrong, or the client disconnected. `internal_error`: an exception.
   */
  readonly reason: string | null
  /** Identifier of the request, as in the `X-Request-Id` header; `null` if it has none. */
  readonly requestId: string | null
  /** The subject of the reason, such as an origin or scopes: at most 200 characters; `null` without any. */
  readonly detail: string | null
  /** Hash of the network that sent the step, as `network` of {@link Attempt}; `null` if unknown. */
  readonly network: string | null
}

/**
 * One attempt of a client to connect to a site. Created by the endpoints of a site with the option
 * `attempts`, and kept for 30 days after its last step.
 *
 * @group Attempts
 */
export interface Attempt {
  /** `att_` and 16 characters, that is 96 random bits. */
  readonly id: string
  /** Epoch seconds of the first step. */
  readonly startedAt: number
  /** Epoch seconds of the last step. */
  readonly lastAt: number
  /** The `client_id` as it was sent, cut to 256 characters; `null` until the client sends one. Not authenticated. */
  readonly clientId: string | null
  /** The name that the client gave itself; `null` if the client is not known. Escape it. */
  readonly clientName: string | null
  /** The resource that was requested, in canonical form; `null` until it is known. */
  readonly resource: string | null
  /** The scopes that were requested, or that the person allowed. */
  readonly scopes: readonly string[]
  /**
   * Hash of the network that the attempt came from, under a key that changes every day and belongs to one process;
   * `null` if unknown.
   */
  readonly network: string | null
  /** The grant of the code that was issued; `null` before that. */
  readonly grantId: string | null
  /** The steps in their order, at most 32: the first ones and the last ones. */
  readonly steps: readonly AttemptStep[]
}

/**
 * Steps to append to an attempt, and what is now known about it. A member that is `null` or empty changes
 * nothing.
 *
 * @group Attempts
 */
export interface AttemptNote extends Omit<Attempt, 'startedAt' | 'lastAt' | 'steps'> {
  /**
   * An attempt that this one continues if `id` is not stored yet, such as that of the registration. Its steps are
   * then in this one too. It remains until {@link replaces} is true.
   */
  readonly joins: string | null
  /** One or more. */
  readonly steps: readonly AttemptStep[]
}

/**
 * How far an attempt got. `connected`: tokens were issued, and no call was refused before one succeeded.
 * `waiting`: the next step can still follow. `stopped`: something was refused, or nothing followed in time.
 *
 * @group Attempts
 */
export type AttemptOutcome = 'connected' | 'stopped' | 'waiting'

/**
 * Keeps the attempts of one site: `createMemoryAttempts`, or `createPostgresAttempts` from hallpass/postgres. No
 * request waits for it, and a failure of it changes no response.
 *
 * @group Attempts
 */
export interface AttemptStore {
  /**
   * Appends steps to an attempt, which is created if there is none: {@link appended} has the rule, and
   * {@link replaces} says whether the one that it joins is deleted. Creating one deletes the oldest that has not
   * connected, beyond 100 of its network or 10,000 in all. Of those, the ones that no person was part of go first, as
   * long as they are more than a tenth.
   */
  append(note: AttemptNote): Promise<void>
  /** Returns an attempt by its identifier; `null` if there is none. */
  find(id: string): Promise<Attempt | null>
  /** Returns a page of the attempts that match, the newest first, and how many there are of each outcome. */
  list(query: {
    /** Text in the identifier, the client, its name or the grant, without regard to case; `null` for any. */
    readonly search: string | null
    readonly clientId: string | null
    readonly outcome: AttemptOutcome | null
    /** The `next` of the page before; `null` for the first page. */
    readonly before: string | null
    /** From 1 to 100. */
    readonly limit: number
    /** Epoch seconds. */
    readonly now: number
  }): Promise<{
    readonly attempts: readonly Attempt[]
    /** `before` of the next page; `null` if this is the last one. */
    readonly next: string | null
    /** How many attempts there are of each outcome, for the search and the client of the query. */
    readonly counts: Readonly<Record<AttemptOutcome, number>>
  }>
  /** Deletes at most `limit` attempts whose last step was at `before` or earlier. Returns how many. */
  purge(due: { before: number; limit: number }): Promise<number>
  /**
   * Deletes every attempt in which one of these texts is, compared without regard to case: a client may call itself by
   * the name or the address of a person. An empty text is in none. Returns how many.
   */
  erase(texts: readonly string[]): Promise<number>
}

const FACT = orNull(TEXT)

/** The arguments of each method of a storage of attempts. */
export const ATTEMPT_VERBS: GivenTo<AttemptStore> = {
  append: [
    {
      id: TEXT,
      joins: FACT,
      clientId: FACT,
      clientName: FACT,
      resource: FACT,
      scopes: TEXTS,
      network: FACT,
      grantId: FACT,
      steps: listOf(record({ at: SECONDS, requestId: FACT, detail: FACT, network: FACT })),
    },
  ],
  find: [TEXT],
  list: [{ search: FACT, clientId: FACT, outcome: FACT, before: FACT, limit: COUNT, now: SECONDS }],
  purge: [{ before: SECONDS, limit: COUNT }],
  erase: [TEXTS],
}

/**
 * Attempts of one network that a storage keeps. Beyond that, a new one replaces the oldest of the same network
 * that has not connected.
 */
export const MAX_ATTEMPTS_OF_NETWORK = 100
/** Attempts of a site that a storage keeps. Beyond that, a new one replaces the oldest that has not connected. */
export const MAX_ATTEMPTS = 10_000
/**
 * The share of either bound that attempts without a person have in any case, so that new ones are recorded. Only
 * beyond that do they go before the others.
 */
export const ANONYMOUS_SHARE = 0.1
/** Steps of one attempt. */
const MAX_ATTEMPT_STEPS = 32
const FIRST_STEPS = 12
/** How long an attempt is kept after its last step. */
export const ATTEMPT_SECONDS: number = 30 * 86_400
/** How long the next step of an attempt may take before nothing more is expected. */
const ATTEMPT_WAIT_SECONDS = 600

const MAX_TEXT = 256
/** Characters of the detail of a step. */
export const MAX_DETAIL = 200
const MAX_SCOPES = 64

/**
 * Returns the identifier of the attempt that leads to a grant. It is a hash, so every process knows it without
 * asking a storage, and no one learns the grant from it.
 */
export const attemptIdOf = (grantId: string): string =>
  `att_${sha256Base64url(`attempt ${grantId}`).slice(0, 16)}`

/** Returns a text of at most `length` characters that every database keeps: without controls and half pairs. */
export const bounded = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\p{Cc}\p{Cs}]/gu, ' ')

const boundedStep = (step: AttemptStep): AttemptStep =>
  step.detail === null ? step : { ...step, detail: bounded(step.detail, MAX_DETAIL) }

const keyOf = ({ at, stage, reason, requestId, detail, network }: AttemptStep): string =>
  JSON.stringify([at, stage, reason, requestId, detail, network])

/**
 * Returns at most so many steps: the first 12 and the last ones. Steps that failed and came from another network than
 * the attempt are the first to go, so that no one pushes out the steps of others.
 */
export function boundedSteps(
  steps: readonly AttemptStep[],
  { network, most }: { network: string | null; most: number },
): readonly AttemptStep[] {
  const isForeign = (step: AttemptStep): boolean =>
    !step.ok && network !== null && (step.network ?? network) !== network
  let over = steps.length - most
  const kept = steps.filter((step) => over <= 0 || !isForeign(step) || over-- <= 0)
  return kept.length <= most
    ? kept
    : [...kept.slice(0, FIRST_STEPS), ...kept.slice(FIRST_STEPS - most)]
}

/** Returns whether two attempts may have come from one network: also if either network is not known. */
const mayShareNetwork = (one: Pick<Attempt, 'network'>, other: Pick<Attempt, 'network'>): boolean =>
  one.network === null || other.network === null || one.network === other.network

/**
 * Returns an attempt with the steps and the facts of a note, for a storage of your own. A step that the attempt
 * already has is not added twice, so a storage may repeat an append whose outcome it does not know. Of more
 * than 32 steps, the first 12 and the last 20 remain. Those that failed and came from another network go first.
 *
 * An attempt of another network is continued only while it waits, and remains that of its own network.
 *
 * @param found - the stored attempt: that of `note.id`, or else that of `note.joins`; `null` if there is neither
 * @returns the attempt to store under `note.id`
 * @group Attempts
 * @example
 * ```ts
 * import { appended, type AttemptNote } from 'hallpass/clients'
 *
 * const step = { at: 1_795_165_200, stage: 'registration', ok: true, error: null, reason: null, requestId: null, detail: null, network: null } as const
 * const facts = { clientId: 'app_1', clientName: 'Notes', resource: null, scopes: [], network: null, grantId: null }
 * const note: AttemptNote = { id: 'att_qTo0UaDHr9Zv7dRk', joins: null, ...facts, steps: [step] }
 * const attempt = appended(null, note)
 * attempt.startedAt // => 1_795_165_200
 * appended(attempt, note).steps.length // => 1
 * ```
 */
export function appended(found: Attempt | null, note: AttemptNote): Attempt {
  const isItself = found?.id === note.id
  const isContinued =
    found !== null &&
    (isItself ||
      mayShareNetwork(found, note) ||
      isBefore(note.steps[0]!.at, found.lastAt + ATTEMPT_WAIT_SECONDS))
  const known = isContinued ? found : null
  const network = isItself
    ? (found.network ?? note.network)
    : (note.network ?? known?.network ?? null)
  const had = known?.steps ?? []
  const keys = new Set(had.map(keyOf))
  const steps = [...had, ...note.steps.map(boundedStep).filter((step) => !keys.has(keyOf(step)))]
  const cut = (text: string | null | undefined): string | null =>
    text == null ? null : bounded(text, MAX_TEXT)
  return {
    id: note.id,
    startedAt: known?.startedAt ?? steps[0]!.at,
    lastAt: Math.max(...steps.map(({ at }) => at)),
    clientId: cut(note.clientId ?? known?.clientId),
    clientName: cut(note.clientName ?? known?.clientName),
    resource: cut(note.resource ?? known?.resource),
    scopes:
      note.scopes.length > 0
        ? note.scopes.slice(0, MAX_SCOPES).map((scope) => bounded(scope, MAX_DETAIL))
        : (known?.scopes ?? []),
    network,
    grantId: cut(note.grantId ?? known?.grantId),
    steps: boundedSteps(steps, { network, most: MAX_ATTEMPT_STEPS }),
  }
}

/**
 * Returns whether an attempt takes the place of the one that it joins, for a storage of your own. It does if it has
 * the steps, and came from the same network or was allowed by a person. Otherwise both are kept: anyone who knows the
 * identifier of a client can begin an attempt that joins its registration.
 *
 * @param joined - the stored attempt of `note.joins`
 * @param next - the attempt that {@link appended} returned
 * @returns `true` if the storage deletes `joined`
 * @group Attempts
 * @example
 * ```ts
 * import { type Attempt, replaces } from 'hallpass/clients'
 *
 * const step = { at: 1_795_165_200, stage: 'registration', ok: true, error: null, reason: null, requestId: null, detail: null, network: 'n1' } as const
 * const registration: Attempt = {
 *   id: 'att_registered000001', startedAt: step.at, lastAt: step.at, clientId: 'app_1', clientName: 'Notes',
 *   resource: null, scopes: [], network: 'n1', grantId: null, steps: [step],
 * }
 * const next = { ...registration, id: 'att_qTo0UaDHr9Zv7dRk' }
 * replaces(registration, next) // => true
 * replaces(registration, { ...next, network: 'n2' }) // => false
 * ```
 */
export function replaces(joined: Attempt, next: Attempt): boolean {
  const keys = new Set(next.steps.map(keyOf))
  return (
    joined.steps.every((step) => keys.has(keyOf(step))) &&
    (mayShareNetwork(joined, next) || next.steps.some(({ stage, ok }) => stage === 'code' && ok))
  )
}

/** Returns the text in which the search of a list looks, in lower case. */
export const searchTextOf = ({ id, clientId, clientName, grantId }: Attempt): string =>
  [id, clientId, clientName, grantId].join(' ').toLowerCase()

/** Returns the place of an attempt in the order of a list, as a cursor. */
export const placeOf = ({ startedAt, id }: Attempt): string =>
  `${String(startedAt).padStart(PLACE_DIGITS, '0')}.${id}`
/** The digits of the time in {@link placeOf}. */
const PLACE_DIGITS = 12

/** Refusals of a call that the client itself repairs, with a refresh. */
const REPAIRED: ReadonlySet<string | null> = new Set([
  'access_token_expired',
  'access_token_of_future',
  'access_token_revoked',
])

/**
 * Returns the step that decides how far an attempt got: the first call that succeeded, or else the last step.
 * A call that is refused because its token is too old says nothing, because the client refreshes it.
 */
export function decisiveStep({ steps }: Pick<Attempt, 'steps'>): AttemptStep {
  const counted = steps.filter(
    ({ stage, reason }) => !(stage === 'first_call' && REPAIRED.has(reason)),
  )
  // A replay ends what the attempt had reached.
  const replayed = counted.find(({ reason }) => reason === 'code_replayed')
  if (replayed !== undefined) return replayed
  const called = counted.find(({ stage, ok }) => stage === 'first_call' && ok)
  if (called !== undefined) return called
  const issued = counted.findLastIndex(({ stage, ok }) => stage === 'token' && ok)
  // After the tokens only their use counts: a page that is loaded again has expired.
  const refused = counted.slice(issued + 1).filter(({ stage }) => stage === 'first_call')
  if (issued !== -1) return refused.at(-1) ?? counted[issued]!
  return counted.at(-1) ?? steps.at(-1)!
}

/** Stages that only a person who is signed in completes. */
const OF_PERSON: ReadonlySet<AttemptStage> = new Set(['consent', 'code', 'token', 'first_call'])

function isOfPerson({ stage, ok, reason }: AttemptStep): boolean {
  if (ok) return OF_PERSON.has(stage)
  return reason !== null && reason.startsWith('person_') && reason !== 'person_signed_out'
}

/**
 * Returns how far an attempt got, so that a storage can find and bound attempts without reading their steps.
 *
 * @returns `waitsUntil`: epoch seconds until which the next step can follow; `null` if nothing more is expected.
 *   `hasPerson`: whether someone who is signed in was part of it
 */
export function progressOf(attempt: Pick<Attempt, 'steps'>): {
  readonly connected: boolean
  readonly waitsUntil: number | null
  readonly hasPerson: boolean
} {
  const { stage, ok, at } = decisiveStep(attempt)
  const connected = ok && (stage === 'token' || stage === 'first_call')
  const waitsUntil = ok && !connected ? at + ATTEMPT_WAIT_SECONDS : null
  return { connected, waitsUntil, hasPerson: attempt.steps.some(isOfPerson) }
}

/** Returns the outcome of an attempt at a time, from {@link progressOf}. */
export function outcomeOf(attempt: Pick<Attempt, 'steps'>, now: number): AttemptOutcome {
  const { connected, waitsUntil } = progressOf(attempt)
  if (connected) return 'connected'
  return waitsUntil !== null && isBefore(now, waitsUntil) ? 'waiting' : 'stopped'
}
