import { base64url } from '../encoding/base64url.js'
import { randomBase64url } from '../encoding/random.js'
import type { Refusal } from '../policy/decision.js'
import type { Step } from '../site/events.js'
import type { Announcement } from '../site/outbox.js'
import type { Payer } from '../site/payer.js'
import type { Site } from '../site/site.js'
import type { Labels, Moment, Visit } from '../site/watcher.js'
import { mayHaveChanged } from '../store/guard.js'
import type { HeaderList, Incoming } from './exchange.js'
import { createUses, type Lost, NOTHING_LOST, type Uses } from './uses.js'

/** The members of a site with which a request is named and reported. */
export type SiteHooks = Pick<
  Site,
  | 'onEvent'
  | 'announce'
  | 'notifyRefusal'
  | 'notifyFault'
  | 'randomBytes'
  | 'now'
  | 'requestIdOf'
  | 'watcher'
  | 'networkOf'
  | 'payerOf'
> &
  Partial<Pick<Site, 'senderConstraint'>>

/** The part of a request that reports steps. Those of a change are announced before it. */
export type Reporter = Pick<Context, 'notifyEvent' | 'announce'>

const UNNAMED: Labels = {}

type Named = Labels & { readonly requestId: string }

/** One request within an endpoint. It is not kept, and its identifier is created only when it is read. */
export class Context {
  /** Name of the endpoint for the hooks, such as `token` or `admin`. */
  readonly endpoint: string
  readonly incoming: Incoming
  /** The client that the request names, for `onRefusal`; `null` until it is known. */
  clientId: string | null = null
  client: Visit['client'] = null
  operation: Visit['operation'] = null
  flow: string | null = null
  resource: string | null = null
  /** Says what the next refusal is about, without secrets. It is called only if a watcher notes it. */
  detail: (() => string | null) | null = null
  readonly #hooks: SiteHooks
  #requestId: string | null = null
  #visit: Visit | null = null
  #payer: Payer | null = null
  #uses: Uses | null = null
  #isStored = false

  constructor(hooks: SiteHooks, endpoint: string, incoming: Incoming) {
    this.#hooks = hooks
    this.endpoint = endpoint
    this.incoming = incoming
  }

  /** Identifier of the request in the `x-request-id` header, in hooks, events and bodies. */
  get requestId(): string {
    this.#requestId ??= newRequestId(this.#hooks, (name) => this.incoming.header(name))
    return this.#requestId
  }

  /** The network that sent the request; `null` if it is not known. */
  get network(): string | null {
    return this.#hooks.networkOf(() => this.incoming.request())
  }

  /** Who pays for the request. */
  get payer(): Payer {
    return (this.#payer ??= this.#hooks.payerOf(this.incoming))
  }

  /** The request as watchers see it. */
  get visit(): Visit {
    this.#visit ??= new Seen(this)
    return this.#visit
  }

  /** Whether a watcher notes what happens, so that it is worth a look-up. */
  get isWatched(): boolean {
    return this.#hooks.watcher.note !== undefined
  }

  /** The names that watchers have for the request. */
  get labels(): Labels {
    return this.#hooks.watcher.labels?.(this.visit) ?? UNNAMED
  }

  /** Passes on to the watchers what happened. */
  note(moment: Moment): void {
    this.#hooks.watcher.note?.(moment, this.visit)
  }

  /** Returns the headers of the response with those of the block that binds tokens to keys. */
  completed(headers: HeaderList): HeaderList {
    return this.#hooks.senderConstraint?.respond(this.incoming, headers) ?? headers
  }

  /** Everything that the request uses up. */
  get uses(): Uses {
    return (this.#uses ??= createUses({
      newClaim: () => randomBase64url(this.#hooks.randomBytes),
      now: this.#hooks.now,
    }))
  }

  /** Gives back what the request has used up, if it has stored no change. Returns what it could not give back. */
  async settle(fault: unknown = null): Promise<Lost> {
    const notify = (failed: unknown): void => this.notifyFault(failed)
    const mayBeStored = this.#isStored || mayHaveChanged(fault)
    return (await this.#uses?.settle(mayBeStored, notify)) ?? NOTHING_LOST
  }

  /** Reports a completed step, as one of this request. */
  notifyEvent(step: Step): void {
    this.note({ type: 'step', step })
    this.#hooks.onEvent(this.#named(step))
  }

  /** Announces the steps of a change that is about to be stored, as those of this request. */
  announce(...steps: readonly Step[]): Announcement {
    const announcement = this.#hooks.announce(...steps.map((step) => this.#named(step)))
    return {
      events: announcement.events,
      tell: (found) => {
        this.#isStored = true
        for (const step of steps) this.note({ type: 'step', step })
        announcement.tell(found)
      },
    }
  }

  /** Reports a refusal for which the endpoint builds the response itself. */
  notifyRefusal(refusal: Refusal & { readonly clientId?: string }): void {
    if (this.isWatched) {
      const { error, reason } = refusal
      const clientId = this.clientId ?? refusal.clientId ?? null
      this.note({ type: 'refusal', error, reason, clientId, detail: this.#takeDetail() })
    }
    const { clientId, requestId } = this
    this.#hooks.notifyRefusal(this.endpoint, refusal, { clientId, requestId, ...this.labels })
  }

  /** Reports an exception. */
  notifyFault(fault: unknown): void {
    this.note({ type: 'fault', fault })
    this.#hooks.notifyFault(this.endpoint, fault, this.requestId)
  }

  /** Returns what the refusal is about. If that fails, the client still gets its refusal. */
  #takeDetail(): string | null {
    const { detail } = this
    this.detail = null
    try {
      return detail?.() ?? null
    } catch (fault) {
      this.#hooks.notifyFault(this.endpoint, fault, this.requestId)
      return null
    }
  }

  #named<Reported extends Step>(step: Reported): Reported & Named {
    return { requestId: this.requestId, ...step, ...this.labels }
  }
}

/** A request without what it sent: neither headers nor body can be reached from here, even in JavaScript. */
class Seen implements Visit {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  get endpoint(): string {
    return this.#context.endpoint
  }
  get requestId(): string {
    return this.#context.requestId
  }
  get network(): string | null {
    return this.#context.network
  }
  get clientId(): string | null {
    return this.#context.clientId?.slice(0, 256) ?? null
  }
  get client(): Visit['client'] {
    const { client } = this.#context
    // A client also has the hashes of its secrets.
    return client && { clientId: client.clientId, name: client.name, kind: client.kind }
  }
  get operation(): Visit['operation'] {
    return this.#context.operation
  }
  get flow(): string | null {
    return this.#context.flow
  }
  get resource(): string | null {
    return this.#context.resource
  }
}

/**
 * Returns the identifier that the host application has for a request, or else creates one of 96 random bits.
 * If the source of randomness fails, the request still gets a response.
 *
 * @param header - returns a header of the request by its lower-case name
 */
export function newRequestId(
  { randomBytes, requestIdOf }: Pick<SiteHooks, 'randomBytes' | 'requestIdOf'>,
  header: (name: string) => string | null,
): string {
  try {
    return requestIdOf(header) ?? `req_${base64url(randomBytes(12))}`
  } catch {
    return 'req_unknown'
  }
}
