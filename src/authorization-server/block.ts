import type { Context } from '../http/context.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import type { ErrorUris } from '../http/respond.js'
import type { decideAuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { RefreshPolicies } from '../policy/refresh-policy.js'
import type { Registers } from '../policy/registration.js'
import {
  type Block,
  CLIENT_AUTHENTICATION,
  GRANT,
  PROFILE,
  PUSHED_REQUESTS,
} from '../site/block.js'
import type { EndpointName } from '../site/paths.js'
import type { RequestProof } from '../site/sender-constraint.js'
import type { Site } from '../site/site.js'
import type { ClientAuthenticationMethod } from './client-authentication-method.js'
import type { Exchanged } from './exchanged.js'
import type { AuthorizationServerOptions } from './options.js'

/**
 * A site with the checked options of its authorization server and their defaults. Created by
 * `configureAuthorizationServer` for the factories of single endpoints.
 *
 * @group Configuration
 */
export interface AuthorizationServerConfiguration
  extends Site, Required<Omit<AuthorizationServerOptions, 'errorUri' | 'refreshPolicies'>> {
  readonly refreshPolicies: RefreshPolicies
  /** The page about each error; `null` if no `error_uri` is sent. */
  readonly errorUris: ErrorUris | null
  /** The blocks of the site by kind. */
  readonly grants: readonly GrantType[]
  readonly clientAuthentication: readonly ClientAuthenticationMethod[]
  readonly pushedRequests?: PushedRequests
}

/** A request of a client: its form, and where it is answered. */
export interface ClientRequest {
  readonly configuration: AuthorizationServerConfiguration
  readonly context: Context
  readonly parameters: FormParameters
  /** That the client has a key, to which its tokens are bound. Absent or `null` if the request proves none. */
  readonly proof?: RequestProof | null
  /** The URL of the endpoint, if requests are pushed to it. */
  readonly pushEndpoint?: string
}

/** The client of a code or token that a form presents. */
export interface Presented {
  readonly clientId: string
  /** The client as stored; `null` if there is none. */
  readonly client: Client | null
}

/** Sets `context.operation`, and loads what a form presents, before its client is authenticated. */
export type LoadGrant = (request: ClientRequest) => Promise<{
  /** The client of the code, token or assertion, if it was loaded with it. */
  readonly presented: Presented | null
  readonly exchange: (client: AuthenticatedClient) => Promise<Exchanged>
}>

/** Adds the members of a block to the metadata of a server. Throws an OptionsError if one is there already. */
type Describe = (
  known: Readonly<Record<string, unknown>>,
  endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
  issuer: string,
) => Readonly<Record<string, unknown>>

/**
 * A further `grant_type` of the token endpoint: an opt-in block of hallpass/blocks, for `blocks` of a site.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Grants
 */
export interface GrantType<out Reason extends string = string> extends Block<Reason> {
  /** @internal */
  readonly kind: typeof GRANT
  /** The parameters of the form that it reads, for OpenAPI. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** @internal */
  readonly forServer: {
    readonly describe: Describe
    /** Reads what a registration names of it. Absent if none names anything. */
    readonly registers?: Registers
  }
  /**
   * Returns how a request is loaded, and further endpoints by their paths.
   *
   * @internal
   */
  readonly create: (configuration: AuthorizationServerConfiguration) => {
    readonly load: LoadGrant
    readonly endpoints?: Readonly<Record<`/${string}`, Endpoint>>
  }
}

/**
 * Pushed authorization requests (RFC 9126), for `blocks` of a site. Created by `pushedRequests` from `hallpass/blocks`.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Pushed requests
 */
export interface PushedRequests<out Reason extends string = string> extends Block<Reason> {
  /** @internal */
  readonly kind: typeof PUSHED_REQUESTS
  /** Whether every client has to push its requests. */
  readonly required: boolean
  /** How long a `request_uri` can be used, in seconds. */
  readonly seconds: number
  /** @internal */
  readonly forServer: {
    readonly describe: Describe
    readonly registers: Registers
    /** Creates the endpoint at which clients push their requests, by its path. */
    readonly endpoints: (
      configuration: AuthorizationServerConfiguration,
    ) => Readonly<Record<`/${string}`, Endpoint>>
    /** Finds the pushed request that a query names. Returns what to respond if it has none, and `null` if it names none. */
    readonly find: (
      configuration: AuthorizationServerConfiguration,
      context: Context,
      query: FormParameters,
    ) => Promise<PresentedRequest | Outgoing | Refusal | null>
    /** Refuses the valid request of a client that has to push it. */
    readonly decideUnpushed: (
      decided: ReturnType<typeof decideAuthorizationRequest>,
      client: Client | null,
    ) => ReturnType<typeof decideAuthorizationRequest>
  }
}

/** Rules for a whole server, such as `fapi2`: it checks the options and the other blocks, and replaces what it has to. */
export interface Profile extends Block<never> {
  /** @internal */
  readonly kind: typeof PROFILE
  /**
   * @returns the parts as the profile has them
   * @throws OptionsError that names everything that it lacks
   * @internal
   */
  readonly apply: <Parts extends ProfiledParts>(site: Site, parts: Parts) => Parts
}

/** The parts of a server that a profile may replace. */
export type ProfiledParts = Partial<
  Pick<AuthorizationServerOptions, 'codeSeconds' | 'requireState' | 'refreshPolicies'>
> & { readonly clientAuthentication: readonly ClientAuthenticationMethod[] }

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

export const isGrant = (block: Block): block is GrantType => block.kind === GRANT
export const isMethod = (block: Block): block is ClientAuthenticationMethod =>
  block.kind === CLIENT_AUTHENTICATION
export const isPushed = (block: Block): block is PushedRequests => block.kind === PUSHED_REQUESTS
export const isProfile = (block: Block): block is Profile => block.kind === PROFILE

/** Returns the names of the grants that a client may have in place of `authorization_code`. They redirect nowhere. */
export const grantsAlone = (grants: readonly GrantType[]): readonly string[] =>
  grants.filter(({ forServer }) => forServer.registers).map(({ name }) => name)
