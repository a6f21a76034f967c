import { base64url } from '../encoding/base64url.js'
import type { Refusal } from '../policy/decision.js'
import type { Site } from '../site/site.js'
import type { Incoming } from './exchange.js'

/** What is told of requests, and what names them: a site. */
export type Witness = Pick<Site, 'notifyRefusal' | 'notifyFault' | 'randomBytes'>

/** One request on its way through an endpoint. Nothing keeps it; what costs is made when asked for. */
export class Context {
  /** For the hooks: `token`, `admin`, … */
  readonly endpoint: string
  readonly incoming: Incoming
  /** The client that the request names, for `onRefusal`; `null` = none that is known yet. */
  clientId: string | null = null
  readonly #witness: Witness
  #requestId: string | null = null

  constructor(witness: Witness, endpoint: string, incoming: Incoming) {
    this.#witness = witness
    this.endpoint = endpoint
    this.incoming = incoming
  }

  /** Names the request wherever it is told of: `x-request-id`, hooks, events, bodies. */
  get requestId(): string {
    this.#requestId ??= newRequestId(this.#witness)
    return this.#requestId
  }

  /** Tells the host of a refusal that the endpoint answers in its own way. */
  notifyRefusal(refusal: Refusal): void {
    const { clientId, requestId } = this
    this.#witness.notifyRefusal(this.endpoint, refusal, { clientId, requestId })
  }

  /** Tells the host of something thrown. */
  notifyFault(fault: unknown): void {
    this.#witness.notifyFault(this.endpoint, fault, this.requestId)
  }
}

/** 96 random bits. A source of chance that fails is no reason to leave a request without an answer. */
export function newRequestId({ randomBytes }: Pick<Witness, 'randomBytes'>): string {
  try {
    return `req_${base64url(randomBytes(12))}`
  } catch {
    return 'req_unknown'
  }
}
