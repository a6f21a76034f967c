import {
  type AuthorizationServerOptions,
  SERVER_RULES,
  unknownScopesOf,
} from '../authorization-server/configuration.js'
import { optional, type Rules } from '../options/check.js'
import type { Refusal } from '../policy/decision.js'
import { scopesOfClient } from '../policy/scope-audience.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { attemptAuthorization } from './authorization-attempt.js'
import { realClients } from './clients.js'
import { adviseOnRefusal } from './connect-advice.js'
import type { ClientOutcome, ConnectPolicy } from './client-outcome.js'
import { knowClient } from './known-client.js'
import type { RealClient } from './real-client.js'

// The whole of a server's options may be handed over; those that are left out have their defaults.
const RULES: Rules<Partial<AuthorizationServerOptions>> = {
  ...SERVER_RULES,
  keys: optional(SERVER_RULES.keys),
  interact: optional(SERVER_RULES.interact),
}

/**
 * Tells which clients can connect to a site, and what to change for those that cannot. Every client
 * goes the way that it would choose itself, through the decisions that the server makes. Nothing is
 * sent or fetched: documents are those that come with the clients.
 *
 * @param options - those of the site's authorization server that matter, `requireState`, `baselineScopes`
 *   and `defaultScopes`, or all of them
 * @param clients - by default all of {@link realClients}
 * @returns one entry for each client, in their order
 * @throws OptionsError - naming every option that `createAuthorizationServer` would refuse
 */
export function whoCanConnect(
  site: Site,
  options: Partial<AuthorizationServerOptions> = {},
  clients: readonly RealClient[] = realClients,
): readonly ClientOutcome[] {
  const own = checkOwnOptions('whoCanConnect', site, options, RULES, unknownScopesOf(site))
  return clients.map((real) => connect({ ...site, ...own }, real))
}

function connect(policy: ConnectPolicy, real: RealClient): ClientOutcome {
  const known = knowClient(policy, real)
  const by = known.ok ? known.by : null
  const clientId = known.ok && by !== 'registration' ? known.client.clientId : null
  const way = { client: real.name, by, clientId }
  const refused = ({ reason }: Refusal): ClientOutcome => {
    const advice = adviseOnRefusal({ policy, real, by, reason })
    return { ...way, connects: false, scopes: [], reason, advice }
  }
  if (!known.ok) return refused(known)
  const { client } = known
  const refusal = attemptAuthorization(policy, real, client)
  if (refusal !== null) return refused(refusal)
  return {
    ...way,
    connects: true,
    scopes: scopesOfClient({ client, registry: policy.scopes }),
    reason: null,
    advice: by === 'document' ? (real.document?.caution ?? null) : null,
  }
}
