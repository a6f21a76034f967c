import { base64url } from '../encoding/base64url.js'
import type { Refusal } from '../policy/decision.js'
import type { Step } from '../site/events.js'
import type { Announcement } from '../site/outbox.js'
import type { Site } from '../site/site.js'
import type { Incoming } from './exchange.js'

/** The members of a site with which a request is named and reported. */
export type Witness = Pick<
  Site,
  'onEvent' | 'announce' | 'notifyRefusal' | 'notifyFault' | 'randomBytes' | 'requestIdOf'
>

/** The part of a request that reports steps. Those of a change are announced before it. */
export type Reporter = Pick<Context, 'notifyEvent' | 'announce'>

/** One request within an endpoint. It is not kept, and its identifier is created only when it is read. */
export class Context {
  /** Name of the endpoint for the hooks, such as `token` or `admin`. */
  readonly endpoint: string
  readonly incoming: Incoming
  /** The client that the request names, for `onRefusal`; `null` until it is known. */
  clientId: string | null = null
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

  /** Reports a completed step, as one of this request. */
  notifyEvent(step: Step): void {
    this.#witness.onEvent({ ...step, requestId: this.requestId })
  }

  /** Announces the steps of a change that is about to be stored, as those of this request. */
  announce(...steps: readonly Step[]): Announcement {
    const { requestId } = this
    return this.#witness.announce(...steps.map((step) => ({ ...step, requestId })))
  }

  /** Reports a refusal for which the endpoint builds the response itself. */
  notifyRefusal(refusal: Refusal): void {
    const { clientId, requestId } = this
    this.#witness.notifyRefusal(this.endpoint, refusal, { clientId, requestId })
  }

  /** Reports an exception. */
  notifyFault(fault: unknown): void {
    this.#witness.notifyFault(this.endpoint, fault, this.requestId)
  }
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
