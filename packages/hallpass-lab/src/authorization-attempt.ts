import {
  type Client,
  decideAuthorizationRequest,
  defineResource,
  parseFormParameters,
  type Refusal,
} from 'hallpass/policy'
import type { ConnectPolicy } from './client-outcome.js'
import type { PublicClient, ScopeChoice } from './real-client.js'

// RFC 7636 appendix B.
const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/**
 * Runs the authorization requests of a known client, one after the other, until one is accepted.
 *
 * @returns the last refusal, or `null` if a request is accepted
 */
export function attemptAuthorization(
  policy: ConnectPolicy,
  real: PublicClient,
  client: Client,
): Refusal | null {
  const {
    issuer,
    loopbackHosts,
    scopes: registry,
    requireState = true,
    defaultScopes = null,
  } = policy
  const resource = defineResource(issuer)
  let last: Refusal | null = null
  for (const choice of real.authorize.scopes) {
    const decided = decideAuthorizationRequest({
      parameters: parseFormParameters(requestOf(policy, real, { client, choice })),
      client,
      policy: { registry, resource, requireState, defaultScopes, loopbackHosts },
    })
    if (decided.ok) return null
    last = decided
  }
  return last
}

function requestOf(
  policy: ConnectPolicy,
  { authorize: { redirectUri, resource, state } }: PublicClient,
  { client, choice }: { client: Client; choice: ScopeChoice },
): string {
  const scopes = scopesOf(policy, choice)
  return new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== null && { resource: policy.issuer + resource }),
    ...(state && { state: 'state' }),
  }).toString()
}

function scopesOf(
  { scopes, baselineScopes }: ConnectPolicy,
  choice: ScopeChoice,
): readonly string[] {
  if (choice === 'nothing') return []
  if (choice === 'everything') return scopes.names
  return baselineScopes ?? scopes.names.filter((name) => scopes.get(name)?.access === 'identity')
}
