import { readForm } from '../http/body.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { refused } from '../http/respond.js'
import {
  type AuthenticatedClient,
  decideClientAuthentication,
} from '../policy/client-authentication.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { createFramedEndpoint } from './framed-endpoint.js'

/** A form that a client sent. */
export interface ClientForm {
  readonly parameters: FormParameters
  /** Decides whether the client is who it says. */
  readonly authenticate: () => Promise<Decision<{ client: AuthenticatedClient }>>
}

/**
 * An endpoint that clients post forms to. A refusal that it returns is told to the host and answered: 401
 * where the client is not who it says, else 400.
 *
 * @param options - `repeatable`: parameters that may come more than once
 * @see RFC 6749 §3.2, §5.2
 */
export function createClientEndpoint(
  configuration: AuthorizationServerConfiguration,
  { name, repeatable = [] }: { name: string; repeatable?: readonly string[] },
  serve: (form: ClientForm) => Promise<Outgoing | Refusal>,
): Endpoint {
  const but = repeatable.length === 0 ? '' : ` other than ${repeatable.join(', ')}`
  const repeated = refuse(
    'invalid_request',
    'parameter_repeated',
    `a parameter${but} was sent more than once`,
  )
  return createFramedEndpoint(
    configuration,
    { name, methods: ['POST'], cors: true },
    async (incoming) => {
      const form = await readForm(incoming)
      if (!form.ok) return form.answer
      const { parameters } = form
      const authenticate = () => authenticateClient(configuration, incoming, parameters)
      const answer = parameters.repeated.every((one) => repeatable.includes(one))
        ? await serve({ parameters, authenticate })
        : repeated
      if (!('ok' in answer)) return answer
      configuration.notifyRefusal(name, answer, { clientId: parameters.single('client_id') })
      return answerRefusal(configuration, incoming, answer)
    },
  )
}

async function authenticateClient(
  { findClient, now }: AuthorizationServerConfiguration,
  incoming: Incoming,
  parameters: FormParameters,
): Promise<Decision<{ client: AuthenticatedClient }>> {
  const clientId = parameters.single('client_id')
  return decideClientAuthentication({
    client: clientId === null ? null : await findClient(clientId),
    clientSecret: parameters.single('client_secret'),
    authorization: incoming.header('authorization'),
    now: now(),
  })
}

function answerRefusal(
  { issuer }: AuthorizationServerConfiguration,
  incoming: Incoming,
  refusal: Refusal,
): Outgoing {
  if (refusal.error !== 'invalid_client') return refused(refusal, 400)
  // A challenge only for whoever tried the header: others would take it for an invitation.
  return incoming.header('authorization') === null
    ? refused(refusal, 401)
    : refused(refusal, 401, { 'www-authenticate': `Basic realm="${issuer}"` })
}
