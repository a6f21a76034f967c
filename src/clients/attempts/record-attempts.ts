import { checkOptions, methods } from '../../options/check.js'
import type { OAuthErrorCode } from '../../policy/refusals.js'
import type { Step } from '../../site/events.js'
import type { Moment, Visit, Watch, Watcher } from '../../site/watcher.js'
import { createDeadline } from '../../store/deadline.js'
import { ClockSkew, guardStorage, StorageFailure } from '../../store/guard.js'
import {
  ATTEMPT_SECONDS,
  ATTEMPT_VERBS,
  type AttemptReason,
  type AttemptStage,
  type AttemptStore,
  attemptIdOf,
} from './attempt.js'
import { type AttemptRecorder, createAttemptRecorder } from './recorder.js'

/** Why a step failed. */
interface Cause {
  readonly error: OAuthErrorCode
  readonly reason: AttemptReason
}

/** The facts that are known of the attempt of a request, beyond the request itself. */
interface Facts {
  /** The identifier, and the flow that it was made from; without a flow it is random. */
  id: string | null
  flow: string | null
  clientName: string | null
  scopes: readonly string[]
  grantId: string | null
  /** The subject of the next step. */
  detail: string | null
}

/** The stage of an attempt at which an endpoint refuses. Other endpoints do not belong to attempts. */
const STAGES: Readonly<Record<string, AttemptStage>> = {
  register: 'registration',
  authorize: 'authorize',
  interaction: 'consent',
  token: 'token',
  pushed_request: 'authorize',
}
/** The endpoint at which a client pushes its request, before it sends the browser. */
const PUSHED = 'pushed_request'
/** The stage that an event completes. */
const COMPLETED: Readonly<Partial<Record<Step['type'], AttemptStage>>> = {
  'oauth.client.registered': 'registration',
  'oauth.client.cimd.fetched': 'document',
  'oauth.authorization.requested': 'authorize',
  'oauth.authorization.approved': 'code',
  'oauth.token.issued': 'token',
}
/** Statuses of failures of which the request is the cause. */
const UNREADABLE: ReadonlySet<number> = new Set([400, 413, 415])
/** The client of these connected before. A page that is loaded again is not a step either. */
const NO_STEP: ReadonlySet<Visit['operation']> = new Set(['refresh_token', 'step_up', 'ended'])

/** Attempts that one purge deletes. */
const ROWS = 1000
/** Most purges of one maintenance: a storage keeps 10,000 attempts. */
const ATTEMPT_ROUNDS = 20

const RECORDER: unique symbol = Symbol('recorder of attempts')

interface AttemptWatcher extends Watcher {
  readonly [RECORDER]: AttemptRecorder
}

/** Returns the recorder of a site; `null` if it has none. */
export const recorderOf = (watchers: readonly Watcher[]): AttemptRecorder | null =>
  watchers.find((watcher): watcher is AttemptWatcher => RECORDER in watcher)?.[RECORDER] ?? null

/**
 * Records the attempts of clients to connect, one record for each, for {@link createAttempts}. No request waits for
 * the storage. A failure of it goes to `onFault` under the name `attempts`, at most once a minute.
 *
 * @param storage - {@link createMemoryAttempts}, or `createPostgresAttempts` from hallpass/postgres
 * @returns what `defineSite` takes in `watchers`. Pass one for each site
 * @throws OptionsError if the storage lacks a function
 * @group Attempts
 * @example
 * ```ts
 * import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ watchers: [recordAttempts(createMemoryAttempts())] })
 * site.watchers.length // => 1
 * ```
 */
export function recordAttempts(storage: AttemptStore): Watch {
  checkOptions(
    'recordAttempts',
    { storage },
    { storage: methods<AttemptStore>('createMemoryAttempts()', ATTEMPT_VERBS) },
  )
  return ({ now, randomBytes, callDeadlineMilliseconds, notifyFault }) => {
    const deadline = createDeadline(callDeadlineMilliseconds)
    const onFault = (fault: unknown): void => notifyFault('attempts', fault)
    const store = guardStorage(storage, ATTEMPT_VERBS, {
      deadline: (verb) => deadline(`attempts.${verb}`),
    })
    return watcherOf(createAttemptRecorder(store, { now, randomBytes, onFault }), onFault)
  }
}

/** Makes steps of what happens within requests. */
function watcherOf(recorder: AttemptRecorder, onFault: (fault: unknown) => void): AttemptWatcher {
  const { store, newId, hashOf, looks, discovered, settled } = recorder
  const known = new WeakMap<Visit, Facts>()

  function factsOf(visit: Visit): Facts {
    const found = known.get(visit)
    if (found !== undefined) return found
    const none = { id: null, flow: null, clientName: null, scopes: [], grantId: null, detail: null }
    known.set(visit, none)
    return none
  }

  /** Returns the attempt of the flow of a request. Without a flow, it has one only if a step was noted. */
  function idOf(visit: Visit): string | null {
    const { flow } = visit
    if (flow === null) return known.get(visit)?.id ?? null
    const facts = factsOf(visit)
    if (facts.flow !== flow) Object.assign(facts, { flow, id: attemptIdOf(flow) })
    return facts.id
  }

  function noteStep(visit: Visit, stage: AttemptStage, cause: Cause | null = null): void {
    const { endpoint, client, clientId, resource, requestId, operation } = visit
    if (NO_STEP.has(operation)) return
    const facts = factsOf(visit)
    const ofFlow = idOf(visit)
    const id = (facts.id = ofFlow ?? newId())
    const { detail, scopes, grantId } = facts
    const network = hashOf(visit.network)
    const step = {
      stage,
      ok: cause === null,
      error: cause?.error ?? null,
      reason: cause?.reason ?? null,
      requestId,
      detail,
      network,
    }
    facts.detail = null
    // These endpoints are called by the client, often from another network than the browser's.
    const isOfBrowser = (endpoint !== 'token' && endpoint !== PUSHED) || ofFlow === null
    recorder.note(id, step, {
      clientId,
      clientName: facts.clientName ?? client?.name ?? null,
      // A client that has registered itself continues the attempt of its registration.
      joins: client?.kind === 'loopback' ? attemptIdOf(client.clientId) : null,
      network: isOfBrowser ? network : null,
      resource,
      scopes,
      grantId,
    })
  }

  function noteCompleted(step: Step, visit: Visit): void {
    if (step.type === 'oauth.client.cimd.fetch_failed') factsOf(visit).detail = step.reason
    const stage = COMPLETED[step.type]
    if (stage === undefined) return
    const facts = factsOf(visit)
    if ('scopes' in step) facts.scopes = step.scopes
    if ('clientName' in step) facts.clientName = step.clientName
    if (visit.endpoint === PUSHED) facts.detail = 'pushed'
    if (stage === 'code' || stage === 'token') facts.grantId = visit.flow
    noteStep(visit, stage)
  }

  function noteRefusal(
    { error, reason, clientId, detail }: Extract<Moment, { type: 'refusal' }>,
    visit: Visit,
  ): void {
    const stage = STAGES[visit.endpoint]
    if (stage !== undefined) {
      // That of a document that could not be fetched remains.
      if (detail !== null) factsOf(visit).detail = detail
      noteStep(visit, stageOf(stage, reason), { error, reason })
    } else if (error === 'invalid_token' && clientId === null && looks()) {
      const isChallenge = reason === 'access_token_missing'
      discovered(isChallenge ? 'challenge' : 'refused', () => visit.network, {
        stage: isChallenge ? 'discovery' : 'first_call',
        ok: isChallenge,
        error: isChallenge ? null : error,
        reason: isChallenge ? null : reason,
        requestId: visit.requestId,
        detail: `401 of ${visit.endpoint}`,
      })
    }
  }

  /** Notes that a request could not be read. A wrong method or path says nothing about an attempt. */
  function noteFailure(status: number, description: string, visit: Visit): void {
    const stage = STAGES[visit.endpoint]
    if (stage === undefined || !UNREADABLE.has(status)) return
    factsOf(visit).detail = `${status}: ${description}`
    noteStep(visit, stage, { error: 'invalid_request', reason: 'request_not_readable' })
  }

  /** Notes that a public document was read, if it belongs to discovery. */
  function noteDocument(path: string, visit: Visit): void {
    if (!looks() || !path.startsWith('/.well-known/o')) return
    discovered('metadata', () => visit.network, {
      stage: 'discovery',
      ok: true,
      error: null,
      reason: null,
      requestId: null,
      detail: path,
    })
  }

  function noteFault(fault: unknown, visit: Visit): void {
    const stage = STAGES[visit.endpoint]
    if (stage !== undefined) noteStep(visit, stage, causeOf(fault))
  }

  function note(moment: Moment, visit: Visit): void {
    switch (moment.type) {
      case 'step':
        return noteCompleted(moment.step, visit)
      case 'page':
        return noteStep(visit, moment.page, moment.blocked)
      case 'vendor':
        factsOf(visit).clientName = moment.name
        return noteStep(visit, 'registration')
      case 'refusal':
        return noteRefusal(moment, visit)
      case 'failure':
        return noteFailure(moment.status, moment.description, visit)
      case 'fault':
        return noteFault(moment.fault, visit)
      case 'document':
        return noteDocument(moment.path, visit)
    }
  }

  const labelled = (attemptId: string | null): { attemptId: string } | null =>
    attemptId === null ? null : { attemptId }

  return {
    [RECORDER]: recorder,
    note,
    used: (grant, refusal) => labelled(recorder.called(grant, refusal)),
    labels: (visit) => labelled(idOf(visit)),
    async maintain(now) {
      const due = { before: now - ATTEMPT_SECONDS, limit: ROWS }
      try {
        for (let round = 0; round < ATTEMPT_ROUNDS; round++)
          if ((await store.purge(due)) < ROWS) return
      } catch (fault) {
        // The rows remain due.
        onFault(fault)
      }
    },
    async erase(texts) {
      await settled()
      await store.erase(texts)
    },
  }
}

/** Returns the stage of a refusal that is not the one of its endpoint. */
function stageOf(stage: AttemptStage, reason: string): AttemptStage {
  if (reason.startsWith('document')) return 'document'
  return stage === 'consent' && reason.startsWith('code_') ? 'code' : stage
}

/** Returns why a step failed that threw. */
function causeOf(fault: unknown): Cause {
  if (fault instanceof StorageFailure)
    return { error: 'temporarily_unavailable', reason: 'service_unavailable' }
  if (fault instanceof ClockSkew)
    return { error: 'temporarily_unavailable', reason: 'clock_skewed' }
  return { error: 'server_error', reason: 'internal_error' }
}
