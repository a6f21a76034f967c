import { OptionsError, type Site } from 'hallpass'
import {
  type AuthorizationServerConfiguration,
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  createStepUp,
} from 'hallpass/authorization-server'
import { type Refusal, scopesOfClient } from 'hallpass/policy'
import { createKeyRing } from 'hallpass/token'
import { attemptAuthorization } from './authorization-attempt.js'
import { realClients } from './clients.js'
import { adviseOnConnected, adviseOnRefusal } from './connect-advice.js'
import type { ClientOutcome, ConnectPolicy } from './client-outcome.js'
import { knowClient } from './known-client.js'
import type { PublicClient, RealClient } from './real-client.js'

/**
 * Predicts which clients can connect to a site, and what to change for the others. Runs each client's
 * registration or client metadata document, then its authorization request, through the policy functions
 * of the server. Makes no network requests: the documents are those of `clients`.
 *
 * @param options - the options of the site's authorization server. `requireState`, `baselineScopes`,
 *   `defaultScopes` and `clientAuthentication` have an effect; others may be passed as well. Default: those of the server
 * @param clients - Default: all {@link realClients}
 * @returns one prediction for each client, in the order of `clients`
 * @throws OptionsError - for every option that `createAuthorizationServer` would refuse
 * @example
 * ```ts
 * import { realClients, whoCanConnect } from 'hallpass-lab'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const some = realClients.filter(({ name }) => name === 'Codex' || name === 'Gemini CLI')
 * const grantsOf = (outcomes: ReturnType<typeof whoCanConnect>) =>
 *   outcomes.map(({ client, reason, granted }) => [client, reason, granted.length])
 *
 * grantsOf(whoCanConnect(site, {}, some)) // => [['Codex', null, 21], ['Gemini CLI', 'scope_of_other_audience', 0]]
 * grantsOf(whoCanConnect(site, { baselineScopes: [] }, some)) // => [['Codex', 'scope_missing', 0], ['Gemini CLI', 'scope_of_other_audience', 0]]
 * whoCanConnect(site, { baselineScopes: ['made:up'] }) // throws OptionsError
 * ```
 *
 * @group Predictions
 */
export function whoCanConnect(
  site: Site,
  options: Partial<AuthorizationServerOptions> = {},
  clients: readonly RealClient[] = realClients,
): readonly ClientOutcome[] {
  const { clientAuthentication } = configure(site, options)
  return clients.map((real) => connect({ ...site, ...options, clientAuthentication }, real))
}

/** Configures a server that serves nothing, which checks the options as that of the site does. */
function configure(
  site: Site,
  options: Partial<AuthorizationServerOptions>,
): AuthorizationServerConfiguration {
  try {
    return configureAuthorizationServer(site, { ...unusedParts(site), ...options })
  } catch (error) {
    throw error instanceof OptionsError ? new OptionsError('whoCanConnect', error.mistakes) : error
  }
}

/** The required options of a server, for options in which they are left out. */
function unusedParts(site: Site): Pick<AuthorizationServerOptions, 'keys' | 'interact'> {
  const page = (): Response => new Response()
  return {
    keys: createKeyRing(site, { sealingSecret: 'no key is ever sealed with this one' }),
    interact: {
      currentPerson: async () => null,
      signIn: page,
      consent: page,
      error: page,
      stepUp: createStepUp({ backToApp: page }),
    },
  }
}

const NOT_PUBLIC = 'what it sends is not public: record one sign-in with recordClient'

function connect(policy: ConnectPolicy, client: RealClient): ClientOutcome {
  if (isPublic(client)) return connectPublic(policy, client)
  const unknown = { by: null, clientId: null, scopes: [], granted: [], reason: null }
  return { client: client.name, connects: false, ...unknown, advice: NOT_PUBLIC }
}

const isPublic = (client: RealClient): client is PublicClient => client.authorize !== null

function connectPublic(policy: ConnectPolicy, real: PublicClient): ClientOutcome {
  const known = knowClient(policy, real)
  const by = known.ok ? known.by : null
  const clientId = known.ok && by !== 'registration' ? known.client.clientId : null
  const way = { client: real.name, by, clientId }
  const refused = ({ reason }: Refusal): ClientOutcome => {
    const advice = adviseOnRefusal({ policy, real, by, reason })
    return { ...way, connects: false, scopes: [], granted: [], reason, advice }
  }
  if (!known.ok) return refused(known)
  const { client } = known
  const attempted = attemptAuthorization(policy, real, client)
  if (!attempted.ok) return refused(attempted)
  return {
    ...way,
    connects: true,
    scopes: scopesOfClient({ client, registry: policy.scopes }),
    granted: attempted.scopes,
    reason: null,
    advice: adviseOnConnected(real, by),
  }
}
