import type { AuthorizationServerOptions } from '../endpoint/configuration.js'
import type { Refusal } from '../policy/decision.js'
import { scopesOfClient } from '../policy/scopes.js'
import { unknownOptions } from '../resource/option-faults.js'
import { attemptAuthorization } from './authorization-attempt.js'
import { realClients } from './clients.js'
import { adviseOnRefusal } from './connect-advice.js'
import type { Connection, ConnectPolicy } from './connection.js'
import { knowClient } from './known-client.js'
import type { RealClient } from './real-client.js'

// The whole of a server's options may be handed over, so each of them is known here.
const OPTIONS: Readonly<Record<keyof AuthorizationServerOptions, true>> = {
  issuer: true, siteName: true, store: true, keys: true, scopes: true, roles: true, findPerson: true,
  interact: true, vendors: true, documents: true, pinnedDocuments: true, memberClients: true,
  extraClaims: true, introspectionClientIds: true, baselineScopes: true, requireState: true,
  defaultScopes: true, loopbackHosts: true, codeSeconds: true, accessTokenSeconds: true,
  refreshIdleSeconds: true, grantSeconds: true, refreshRetrySeconds: true, interactionSeconds: true,
  errorUri: true, onEvent: true, onRefusal: true, onFault: true, now: true, randomBytes: true,
} // prettier-ignore
const OPTION_NAMES: ReadonlySet<string> = new Set(Object.keys(OPTIONS))

/**
 * Tells which clients can connect to a server, and what to change for those that cannot. Every client
 * goes the way that it would choose itself, through the decisions that the server makes. Nothing is
 * sent or fetched: documents are those that come with the clients.
 *
 * @param policy - as `createAuthorizationServer` gets it
 * @param clients - by default all of {@link realClients}
 * @returns one entry for each client, in their order
 * @throws TypeError naming every option that `createAuthorizationServer` does not have
 */
export function whoCanConnect(
  policy: ConnectPolicy,
  clients: readonly RealClient[] = realClients,
): readonly Connection[] {
  const faults = unknownOptions(policy, OPTION_NAMES)
  if (faults.length > 0) throw new TypeError(`whoCanConnect: ${faults.join('; ')}`)
  return clients.map((real) => connect(policy, real))
}

function connect(policy: ConnectPolicy, real: RealClient): Connection {
  const known = knowClient(policy, real)
  const by = known.ok ? known.by : null
  const clientId = known.ok && by !== 'registration' ? known.client.clientId : null
  const way = { client: real.name, by, clientId }
  const refused = ({ reason }: Refusal): Connection => {
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
