import type { Context } from '../http/context.js'
import type { Client, TokenEndpointAuthMethod } from '../policy/client.js'
import type { SigningKeys } from '../policy/cimd-document.js'
import type { DocumentPolicy } from '../policy/cimd-url.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { Decision, Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { Registers } from '../policy/registration.js'
import type { Deadline } from '../store/guard.js'
import type { Block, CLIENT_AUTHENTICATION } from '../site/block.js'
import type { EndpointName } from '../site/paths.js'
import type { Site } from '../site/site.js'

/**
 * A way in which clients authenticate, in addition to `none` and `client_secret_post`: a block such as
 * `privateKeyJwt` or `clientSecretBasic`, or your own from `defineClientAuthentication`, for `blocks` of a
 * site.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Client authentication
 */
export interface ClientAuthenticationMethod<
  out Reason extends string = string,
> extends Block<Reason> {
  /** @internal */
  readonly kind: typeof CLIENT_AUTHENTICATION
  /** Its name in the metadata, which is the `tokenEndpointAuthMethod` of its clients if it has `authenticate`. */
  readonly name: TokenEndpointAuthMethod | 'client_secret_basic'
  /** Returns further members of the metadata, for endpoints that authenticate clients. None may be there already. */
  readonly metadata: (
    endpoints: readonly ('token' | 'revocation' | 'introspection')[],
  ) => Readonly<Record<string, unknown>>
  /** The parameters of the form, for OpenAPI. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * Returns the `client_id` that a form names in this way, or refuses the form; `null` if it uses another method.
   */
  readonly identify: (
    parameters: FormParameters,
  ) => { readonly ok: true; readonly clientId: string } | Refusal<Reason> | null
  /**
   * Authenticates a client that is known, enabled, and has this method. An exception leads to a 503 response, and so does
   * a result that takes longer than `callDeadlineMilliseconds`. Absent if its clients have a secret, which the server
   * compares.
   *
   * @param request - `issuer` and `tokenEndpoint`: URLs; `pushEndpoint`: that of the endpoint for pushed requests, if the
   *   form was sent there; `now`: epoch seconds; `site`: that of the server
   */
  readonly authenticate?: (request: {
    readonly client: Client
    readonly parameters: FormParameters
    readonly issuer: string
    readonly tokenEndpoint: string
    readonly pushEndpoint?: string
    readonly now: number
    readonly site: Site
    /** @internal */
    readonly context: Pick<Context, 'payer' | 'notifyEvent' | 'uses'>
  }) => Promise<{ readonly ok: true } | Refusal<Reason>>
  /** @internal */
  readonly forServer: ClientAuthenticationSeam
}

/** The work of a server for a method. It comes with the method, so that a server without one does not carry it. */
export interface ClientAuthenticationSeam {
  /** Adds the deadline, and reads what is returned. An exception is an outage too. */
  readonly limit: (
    method: ClientAuthenticationMethod,
    deadline: Deadline,
  ) => ClientAuthenticationMethod
  /**
   * Authenticates the client that sent a form; `null` if the form uses another method.
   *
   * @param form - `authorization`: the header; `methods`: those of the server; `decide`: decides about the client of a
   *   secret; `null` for one that is refused as an unknown one
   */
  readonly accept: (
    method: ClientAuthenticationMethod,
    form: Omit<Parameters<NonNullable<ClientAuthenticationMethod['authenticate']>>[0], 'client'> & {
      readonly authorization: string | null
      readonly methods: readonly ClientAuthenticationMethod[]
      readonly find: (clientId: string) => Promise<Client | null>
      readonly decide: (
        clientId: string | null,
        clientSecret: string | null,
      ) => Promise<Decision<{ client: AuthenticatedClient }>>
    },
  ) => Refusal | Promise<Decision<{ client: AuthenticatedClient }>> | null
  /** Reads what a registration names of it. Absent if none names anything. */
  readonly registers?: Registers
  /**
   * Reads the keys of a client from its metadata; `null` if the client does not ask for the method. Absent if its clients
   * have none.
   *
   * @param policy - the hosts from which keys may be fetched; `null` if none are
   */
  readonly keysOf?: (
    metadata: Readonly<Record<string, unknown>>,
    policy: DocumentPolicy | null,
  ) => SigningKeys | null
  /**
   * Adds the members of a method to the metadata of a server.
   *
   * @throws OptionsError if one is there already
   */
  readonly describe: (
    known: Readonly<Record<string, unknown>>,
    endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
  ) => Readonly<Record<string, unknown>>
}
