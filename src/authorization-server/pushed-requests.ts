import type { Context } from '../http/context.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import type { decideAuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { Registers } from '../policy/registration.js'
import type { RefusalTable } from '../policy/refusals.js'
import type { Block } from './grant-type.js'

/**
 * Pushed authorization requests (RFC 9126), for `pushedRequests` of an authorization server. Created by `pushedRequests`
 * from `hallpass/blocks`.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Pushed requests
 */
export interface PushedRequests<out Reason extends string = string> extends Block {
  /** Whether every client has to push its requests. */
  readonly required: boolean
  /** How long a `request_uri` can be used, in seconds. */
  readonly seconds: number
  readonly refusals: RefusalTable
  /** Never there: it carries the type of the reasons. */
  readonly reasons?: Reason
  /** @internal */
  readonly seam: PushedRequestsSeam
}

/** A pushed request that a browser presents, as the authorization endpoint continues it. */
export interface PresentedRequest {
  /** The identifier of the interaction that it leads to. */
  readonly id: string
  /** The parameters that were pushed, and no others. */
  readonly parameters: FormParameters
  readonly hintedHash: string | null
  /** Under what it is stored: what it leads to is stored in its place, in one change. */
  readonly idHash: string
  /** Returns what to respond if it was used since it was found. */
  readonly gone: () => Promise<Outgoing | Refusal>
}

/**
 * The work of a server for pushed requests. It comes with them, so that a server without them does not carry it. It
 * receives the configuration of the server, which names this type, so that is typed where it is read.
 */
export interface PushedRequestsSeam {
  readonly describe: Block['seam']['describe']
  readonly registers: Registers
  /** Creates the endpoint at which clients push their requests, by its path. */
  readonly endpoints: (configuration: never) => Readonly<Record<`/${string}`, Endpoint>>
  /** Finds the pushed request that a query names. Returns what to respond if it has none, and `null` if it names none. */
  readonly find: (
    configuration: never,
    context: Context,
    query: FormParameters,
  ) => Promise<PresentedRequest | Outgoing | Refusal | null>
  /** Refuses the valid request of a client that has to push it. */
  readonly decideUnpushed: (
    decided: ReturnType<typeof decideAuthorizationRequest>,
    client: Client | null,
  ) => ReturnType<typeof decideAuthorizationRequest>
}
