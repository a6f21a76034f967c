import type { Incoming, Outgoing } from '../http/exchange.js'
import { refused } from '../http/respond.js'
import {
  type AuthenticatedClient,
  decideClientAuthentication,
} from '../policy/client-authentication.js'
import type { Decision, Refusal } from '../policy/decision.js'
import type { Parameters } from '../policy/parameters.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

/** Loads the client that a form names and decides whether it is who it says. */
export async function authenticateClient(
  configuration: AuthorizationServerConfiguration,
  incoming: Incoming,
  parameters: Parameters,
): Promise<Decision<{ client: AuthenticatedClient }>> {
  const clientId = parameters.single('client_id')
  return decideClientAuthentication({
    client: clientId === null ? null : await configuration.findClient(clientId),
    clientSecret: parameters.single('client_secret'),
    authorization: incoming.header('authorization'),
    now: configuration.now(),
  })
}

/**
 * The answer to a refused form: 401 where the client is not who it says, else 400.
 *
 * @see RFC 6749 §5.2
 */
export function refuseForm(
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
