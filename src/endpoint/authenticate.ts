import type { Incoming } from '../http/exchange.js'
import {
  type AuthenticatedClient,
  decideClientAuthentication,
} from '../policy/client-authentication.js'
import type { Decision } from '../policy/decision.js'
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
