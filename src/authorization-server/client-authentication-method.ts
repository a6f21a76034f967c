import type { Client, TokenEndpointAuthMethod } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { RefusalTable } from '../policy/refusals.js'

/**
 * A way in which clients authenticate, in addition to `none` and `client_secret_post`: a block such as
 * `privateKeyJwt`, for `clientAuthentication` of an authorization server.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Client authentication
 */
export interface ClientAuthenticationMethod<out Reason extends string = string> {
  /** The `token_endpoint_auth_method` of its clients, and its name in the metadata. */
  readonly name: TokenEndpointAuthMethod
  /** The refusals with their texts, which `refusals` of the site has too. */
  readonly refusals: RefusalTable
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
   * a result that takes longer than `callDeadlineMilliseconds`.
   *
   * @param request - `issuer` and `tokenEndpoint`: URLs; `now`: epoch seconds
   */
  readonly authenticate: (request: {
    readonly client: Client
    readonly parameters: FormParameters
    readonly issuer: string
    readonly tokenEndpoint: string
    readonly now: number
  }) => Promise<{ readonly ok: true } | Refusal<Reason>>
}
