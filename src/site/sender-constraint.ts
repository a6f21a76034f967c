import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { Registers } from '../policy/registration.js'
import type { RefusalReason } from '../policy/refusals.js'
import type { StoreWith } from '../store/groups.js'
import type { Deadline } from '../store/guard.js'
import type { Block, SENDER_CONSTRAINT } from './block.js'
import type { Sender } from './budget.js'

/**
 * Binds tokens to keys of their clients, so that who has copied a token cannot use it: `dpop` from hallpass/blocks, for
 * `blocks` of a site or of `createRemoteGate`.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Sites
 */
export interface SenderConstraint<out Reason extends string = string> extends Block<Reason> {
  /** @internal */
  readonly kind: typeof SENDER_CONSTRAINT
  /** @internal */
  readonly create: (site: {
    readonly origin: string
    readonly store: StoreWith
    readonly now: () => number
    readonly deadline: Deadline
  }) => KeyProofs
}

/**
 * A request that may prove that its sender has a key, and whose sender pays.
 *
 * @group Access tokens
 *
 * @inline
 */
export interface ProvableRequest extends Sender {
  /** Path and query as received, or a URL, of which the origin is not read: that of the site is configured. */
  readonly target: string
}

type Proved<Reason extends string> = { readonly ok: true } | Refusal<Reason>

/** The block of a site at work. It comes with the block, so that a site without one does not carry it. */
export interface KeyProofs<out Reason extends string = RefusalReason> {
  /** The scheme of `Authorization`, and `token_type` of tokens that are bound. */
  readonly scheme: 'DPoP'
  /** The member of the metadata of an authorization server and of a resource. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The parameters of an authorization request, for OpenAPI. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly registers: Registers
  /**
   * Reads the access token of the scheme; `null` if the header is of another scheme. `prove` then decides whether the
   * request proves the key to which that token is bound, and uses the proof up.
   */
  readonly present: (
    authorization: string | null,
    request: ProvableRequest | undefined,
  ) =>
    | {
        readonly ok: true
        readonly accessToken: string
        readonly prove: (
          boundTo: string | null,
        ) => Promise<Proved<Reason> | { readonly ok: true; readonly dpopNonce: string }>
      }
    | Refusal<Reason>
    | null
  /**
   * Reads the proof of a request that asks for tokens, and decides all but its signature, before the client is
   * authenticated; `null` if there is none.
   */
  readonly read: (request: ProvableRequest) => RequestProof<Reason> | Refusal<Reason> | null
  /** Verifies the signature of the proof, and refuses a request without one if its client always needs one. */
  readonly verify: (
    client: Pick<Client, 'dpopBoundAccessTokens'>,
    proof: Pick<RequestProof, 'signature'> | null,
  ) => Promise<Proved<Reason>>
  /** Reads the key that an authorization request names. */
  readonly named: (
    parameters: FormParameters,
  ) => { readonly ok: true; readonly boundTo: string | null } | Refusal<Reason>
  /** Adds the challenge of the scheme to a Bearer challenge, or puts it in its place for a client that uses the scheme. */
  readonly challenge: (bearer: string, authorization: string | null) => string
  /**
   * Returns the headers of a response with what the request leads to: a newer nonce, which pages of other origins may
   * read if they may read the response.
   */
  readonly respond: (
    request: ProvableRequest | undefined,
    headers: readonly string[],
  ) => readonly string[]
  /** Adds to an OpenAPI description what clients with keys send and get. */
  readonly describe: (description: Description) => Description
}

/** The paths and the components of an OpenAPI description. */
export interface Description {
  readonly paths: Readonly<Record<string, object>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** The proof of a request that asks for tokens. */
export interface RequestProof<out Reason extends string = RefusalReason> {
  readonly ok: true
  /** The thumbprint of its key (RFC 7638). */
  readonly key: string
  /** Uses the proof up. Called last, before something is written: the second call for one proof refuses. */
  readonly use: () => Promise<Proved<Reason>>
  /** Headers of a response with the tokens. */
  readonly headers: readonly string[]
  /** @internal */
  readonly signature: () => Promise<'right' | 'wrong' | 'unusable'>
}
