import { base64url } from '../encoding/base64url.js'
import type { Refusal } from '../policy/decision.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import { type AttemptNote, attemptIdOf, type AttemptReason, type AttemptStage } from '../site/attempt.js' // prettier-ignore
import type { Step } from '../site/events.js'
import type { Announcement } from '../site/outbox.js'
import type { Site } from '../site/site.js'
import { ClockSkew, StorageFailure } from '../store/guard.js'
import { type Incoming, pathOf } from './exchange.js'

/** The members of a site with which a request is named and reported. */
export type Witness = Pick<
  Site,
  | 'onEvent'
  | 'announce'
  | 'notifyRefusal'
  | 'notifyFault'
  | 'randomBytes'
  | 'requestIdOf'
  | 'attempts'
  | 'networkOf'
>

/** The part of a request that reports steps. Those of a change are announced before it. */
export type Reporter = Pick<Context, 'notifyEvent' | 'announce'>

/** The facts that an endpoint knows of an attempt to connect. `detail`: the subject of a refusal. */
export type AttemptFacts = {
  -readonly [Fact in keyof Omit<AttemptNote, 'id' | 'steps' | 'network'>]?: AttemptNote[Fact]
} & { detail?: string | null }

/** Why a step failed. */
interface Cause {
  readonly error: OAuthErrorCode
  readonly reason: AttemptReason
}

/** The stage of an attempt at which an endpoint refuses. Other endpoints do not belong to attempts. */
const STAGES: Readonly<Record<string, AttemptStage>> = {
  register: 'registration',
  authorize: 'authorize',
  interaction: 'consent',
  token: 'token',
}
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

/** One request within an endpoint. It is not kept, and its identifier is created only when it is read. */
export class Context {
  /** Name of the endpoint for the hooks, such as `token` or `admin`. */
  readonly endpoint: string
  readonly incoming: Incoming
  /** The client that the request names, for `onRefusal`; `null` until it is known. */
  clientId: string | null = null
  /** The attempt to connect that the request belongs to; `null` until it is known, or if the site keeps none. */
  attemptId: string | null = null
  /** Whether the request is a step of an attempt. A refresh is none. */
  isAttempt = true
  /** The facts that are known of the attempt, for its next step. */
  readonly facts: AttemptFacts = {}
  readonly #witness: Witness
  #requestId: string | null = null

  constructor(witness: Witness, endpoint: string, incoming: Incoming) {
    this.#witness = witness
    this.endpoint = endpoint
    this.incoming = incoming
  }

  /** Identifier of the request in the `x-request-id` header, in hooks, events and bodies. */
  get requestId(): string {
    this.#requestId ??= newRequestId(this.#witness, (name) => this.incoming.header(name))
    return this.#requestId
  }

  /** Whether the site keeps attempts, so that facts are needed. */
  get keepsAttempts(): boolean {
    return this.#witness.attempts !== null
  }

  /** Makes the request one of the attempt that leads to this grant, or would lead to it. */
  joinAttempt(grantId: string): void {
    if (this.keepsAttempts) this.attemptId = attemptIdOf(grantId)
  }

  /** Makes the attempt continue that of the registration of its client. */
  joinRegistration(clientId: string): void {
    this.facts.joins = attemptIdOf(clientId)
  }

  /** Notes a step of the attempt, unless the site keeps none. */
  noteStep(stage: AttemptStage, cause: Cause | null = null): void {
    const { attempts } = this.#witness
    if (attempts === null || !this.isAttempt) return
    // The token endpoint is called by the client, often from another network than the browser's.
    const isOfBrowser = this.endpoint !== 'token' || this.attemptId === null
    this.attemptId ??= attempts.newId()
    const { detail = null, ...facts } = this.facts
    const { clientId, requestId } = this
    const step = {
      stage,
      ok: cause === null,
      error: cause?.error ?? null,
      reason: cause?.reason ?? null,
      requestId,
      detail,
      network: attempts.hashOf(this.#findNetwork()),
    }
    const network = isOfBrowser ? step.network : null
    attempts.note(this.attemptId, step, { clientId, network, ...facts })
    this.facts.detail = null
  }

  /** Notes that a request could not be read. A wrong method or path says nothing about an attempt. */
  noteFailure({ status, description }: { status: number; description: string }): void {
    const stage = STAGES[this.endpoint]
    if (stage === undefined || !UNREADABLE.has(status)) return
    this.facts.detail = `${status}: ${description}`
    this.noteStep(stage, { error: 'invalid_request', reason: 'request_not_readable' })
  }

  /** Notes that a public document was read, if it belongs to discovery. */
  noteDiscovery(): void {
    const { attempts } = this.#witness
    if (attempts === null || !attempts.looks()) return
    const detail = pathOf(this.incoming.target)
    if (!detail.startsWith('/.well-known/o')) return
    attempts.discovered('metadata', () => this.#findNetwork(), {
      stage: 'discovery', ok: true, error: null, reason: null, requestId: null, detail,
    }) // prettier-ignore
  }

  /** Reports a completed step, as one of this request. */
  notifyEvent(step: Step): void {
    this.#noteCompleted(step)
    this.#witness.onEvent(this.#named(step))
  }

  /** Announces the steps of a change that is about to be stored, as those of this request. */
  announce(...steps: readonly Step[]): Announcement {
    const announcement = this.#witness.announce(...steps.map((step) => this.#named(step)))
    return {
      events: announcement.events,
      tell: (found) => {
        for (const step of steps) this.#noteCompleted(step)
        announcement.tell(found)
      },
    }
  }

  /** Reports a refusal for which the endpoint builds the response itself. */
  notifyRefusal(refusal: Refusal): void {
    this.#noteRefusal(refusal)
    const { clientId, requestId, attemptId } = this
    this.#witness.notifyRefusal(this.endpoint, refusal, {
      clientId,
      requestId,
      ...(attemptId !== null && { attemptId }),
    })
  }

  /** Reports an exception. */
  notifyFault(fault: unknown): void {
    const stage = STAGES[this.endpoint]
    if (stage !== undefined) this.noteStep(stage, causeOf(fault))
    this.#witness.notifyFault(this.endpoint, fault, this.requestId)
  }

  #named<Reported extends Step>(
    step: Reported,
  ): Reported & { requestId: string; attemptId?: string } {
    const { requestId, attemptId } = this
    return { ...step, requestId, ...(attemptId !== null && { attemptId }) }
  }

  #noteCompleted(step: Step): void {
    if (step.type === 'oauth.client.cimd.fetch_failed') this.facts.detail = step.reason
    const stage = COMPLETED[step.type]
    if (stage === undefined || !this.keepsAttempts) return
    if ('scopes' in step) this.facts.scopes = step.scopes
    if ('grantId' in step) this.facts.grantId = step.grantId
    if ('clientName' in step) this.facts.clientName = step.clientName
    this.noteStep(stage)
  }

  #noteRefusal(refusal: Refusal): void {
    const { attempts } = this.#witness
    if (attempts === null) return
    const { error, reason } = refusal
    const stage = STAGES[this.endpoint]
    if (stage !== undefined) {
      this.noteStep(stageOf(stage, reason), { error, reason })
    } else if (error === 'invalid_token' && !('clientId' in refusal) && attempts.looks()) {
      const isChallenge = reason === 'access_token_missing'
      attempts.discovered(isChallenge ? 'challenge' : 'refused', () => this.#findNetwork(), {
        stage: isChallenge ? 'discovery' : 'first_call',
        ok: isChallenge,
        error: isChallenge ? null : error,
        reason: isChallenge ? null : reason,
        requestId: this.requestId,
        detail: `401 of ${this.endpoint}`,
      })
    }
  }

  #findNetwork(): string | null {
    return this.#witness.networkOf(() => this.incoming.request())
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

/**
 * Returns the identifier that the host application has for a request, or else creates one of 96 random bits.
 * If the source of randomness fails, the request still gets a response.
 *
 * @param header - returns a header of the request by its lower-case name
 */
export function newRequestId(
  { randomBytes, requestIdOf }: Pick<Witness, 'randomBytes' | 'requestIdOf'>,
  header: (name: string) => string | null,
): string {
  try {
    return requestIdOf(header) ?? `req_${base64url(randomBytes(12))}`
  } catch {
    return 'req_unknown'
  }
}
