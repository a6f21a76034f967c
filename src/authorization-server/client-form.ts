import { readForm } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Failure } from '../http/frame.js'
import type { Client } from '../policy/client.js'
import {
  type AuthenticatedClient,
  decideClientAuthentication,
} from '../policy/client-authentication.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { AuthorizationServerConfiguration, ClientRequest, Presented } from './block.js'
import { PATHS } from '../site/paths.js'
import { memoryOf } from './memory.js'

/**
 * Reads the form of a client. Refuses it if a parameter is repeated.
 *
 * Media type, size, encoding and number of parameters are checked first; a failure has the status 415, 413
 * or 400. The client is noted for `onRefusal` before any refusal of a parameter.
 *
 * @param repeatable - parameters that may be repeated, such as `resource` at the token endpoint (RFC 8707,
 *   section 2.2)
 * @see [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)
 */
export async function readClientForm(
  context: Context,
  repeatable: readonly string[] = [],
): Promise<Decision<{ parameters: FormParameters }, 'parameter_repeated'> | Failure> {
  const form = await readForm(context.incoming)
  if (!form.ok) return form
  const { parameters } = form
  context.clientId = parameters.single('client_id')
  if (parameters.repeated.every((one) => repeatable.includes(one))) return form
  const but = repeatable.length === 0 ? '' : ` other than ${repeatable.join(', ')}`
  return refuse(
    'invalid_request',
    'parameter_repeated',
    `a parameter${but} was sent more than once`,
  )
}

/**
 * Reads the form of a client and authenticates the client, for revocation and introspection. A malformed
 * form is refused before the client is looked up.
 *
 * @returns the client with its form, a failure of HTTP, or a refusal: `invalid_request` for a repeated
 *   parameter, and otherwise one of {@link authenticateClient}
 */
export async function readAuthenticatedForm(
  configuration: AuthorizationServerConfiguration,
  context: Context,
): Promise<Decision<{ client: AuthenticatedClient; parameters: FormParameters }> | Failure> {
  const form = await readClientForm(context)
  if (!form.ok) return form
  const { parameters } = form
  const authenticated = await authenticateClient({ configuration, context, parameters })
  return authenticated.ok ? { ...authenticated, parameters } : authenticated
}

/**
 * Authenticates the client that sent a form. It reads the configuration and the store, and never fetches a
 * client metadata document.
 *
 * The description of `invalid_client` follows from what the request has, and never from what was found. So an unknown
 * client, a disabled client and a wrong secret get the same response (RFC 6749, section 5.2).
 *
 * @param presented - the code or token of the form as stored, with its client, if it was loaded already. If that
 *   is the client of the form, it is not looked up again
 * @returns the client, or a refusal: `invalid_request` without a client or with two authentication methods,
 *   and otherwise `invalid_client`. A method of `blocks` has refusals of its own
 */
export async function authenticateClient(
  request: ClientRequest,
  presented: Presented | null = null,
): Promise<Decision<{ client: AuthenticatedClient }>> {
  const { configuration, context, parameters, pushEndpoint } = request
  const { findClient, now, issuer, clientAuthentication } = configuration
  const clientId = parameters.single('client_id')
  const clientSecret = parameters.single('client_secret')
  const authorization = context.incoming.header('authorization')
  const find = async (id: string): Promise<Client | null> => {
    context.clientId = id
    return findClient(id, presented?.clientId === id ? presented.client : undefined)
  }
  /** Decides about a client without a secret, or with this one. */
  const decide = async (id: string | null, { clientSecret, authorization }: Given) => {
    const client = id === null ? null : await find(id)
    const decided = decideClientAuthentication({ clientSecret, authorization, client, now: now() })
    return described(decided, { clientSecret, authorization })
  }
  for (const method of clientAuthentication) {
    const decided = method.forServer.accept(method, {
      parameters,
      authorization,
      methods: clientAuthentication,
      find,
      decide: (id, secret) => decide(id, { clientSecret: secret, authorization: null }),
      issuer,
      tokenEndpoint: issuer + PATHS.token,
      ...(pushEndpoint && { pushEndpoint }),
      now: now(),
      site: configuration,
      context,
    })
    if (decided !== null) return decided
  }
  // With HTTP Basic the client is named in the header. The decision refuses the method.
  if (clientId === null && authorization === null)
    return refuse('invalid_request', 'client_id_missing', 'client_id is required')
  return decide(clientId, { clientSecret, authorization })
}

/** Authenticates the client that a form names, whose metadata document may be fetched first. */
export async function authenticateNamed(
  request: ClientRequest,
): ReturnType<typeof authenticateClient> {
  const clientId = request.parameters.single('client_id')
  if (clientId === null) return authenticateClient(request)
  const { resolveClient } = memoryOf(request.configuration)
  const found = await resolveClient(clientId, request.context, { knownOnly: false })
  return found.ok ? authenticateClient(request, { clientId, client: found.client }) : found
}

/** The parts of a request that authenticate its client. */
interface Given {
  readonly clientSecret: string | null
  readonly authorization: string | null
}

/**
 * Says what to send, by what the request has. Whether the client exists, and whether it has a secret, decides nothing
 * about the words.
 */
function described<Decided extends { readonly ok: boolean }>(
  decided: Decided,
  { clientSecret, authorization }: Given,
): Decided {
  if (decided.ok || (decided as unknown as Refusal).error !== 'invalid_client') return decided
  const description =
    authorization !== null ? HEADER_REFUSED : clientSecret === null ? NO_SECRET : OTHER_SECRET
  return { ...decided, description }
}

const HEADER_REFUSED =
  'HTTP Basic is not accepted, nor another Authorization header: send client_id and client_secret in the form'
/** The description for a request without a secret whose client is refused. */
export const NO_SECRET =
  'the client is unknown, or it has a secret, which is missing: send client_id, and client_secret if it has one'
const OTHER_SECRET =
  'the client is unknown, or client_secret is not its own: send its current client_secret, and none for a public client'
