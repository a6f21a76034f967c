import type { Incoming } from '../http/exchange.js'
import { describe } from '../http/respond.js'
import type { Refusal } from '../policy/decision.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

/** The host's page for a request that nothing may be redirected for. */
export async function errorPage(
  { interact, notifyRefusal }: AuthorizationServerConfiguration,
  incoming: Incoming,
  {
    endpoint,
    status,
    refusal,
    clientId,
  }: { endpoint: string; status: number; refusal: Refusal; clientId: string | null },
): Promise<Response> {
  notifyRefusal(endpoint, refusal, { clientId })
  const { error, reason } = refusal
  // Nobody guesses secrets on this page, so it may say what is wrong with a client.
  const description = refusal.description ?? describe(refusal)
  return interact.error(incoming.request(), { status, error, reason, description })
}
