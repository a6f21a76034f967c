import {
  type Client,
  decideAuthorizationRequest,
  parseFormParameters,
  type Refusal,
} from 'hallpass/policy'
import type { ScopeDefinition } from 'hallpass/scope'
import type { ConnectPolicy } from './client-outcome.js'
import type { PublicClient, ScopeChoice } from './real-client.js'

// RFC 7636 appendix B.
const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/**
 * Runs the authorization requests of a known client, one after the other, until one is accepted.
 *
 * @returns the scopes of the first request that is accepted, or the last refusal
 */
export function attemptAuthorization(
  policy: ConnectPolicy,
  real: PublicClient,
  client: Client,
): { readonly ok: true; readonly scopes: readonly string[] } | Refusal {
  const {
    resource,
    loopbackHosts,
    scopes: registry,
    requireState = true,
    defaultScopes = null,
  } = policy
  const decided = real.authorize.scopes.map((choice) =>
    decideAuthorizationRequest({
      parameters: parseFormParameters(requestOf(policy, real, { client, choice })),
      client,
      policy: { registry, resource, requireState, defaultScopes, loopbackHosts },
    }),
  )
  const accepted = decided.find(({ ok }) => ok) ?? decided.at(-1)!
  return accepted.ok ? { ok: true, scopes: accepted.request.scopes } : accepted
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
  const baseline = baselineScopes ?? scopes.names.filter((name) => isBasic(scopes.get(name)!))
  // All of them are operator clients, which read the metadata of `/mcp`.
  return baseline.filter((name) => scopes.get(name)?.audience !== 'member')
}

/** Whether the metadata recommends a scope by default. */
const isBasic = ({ access, sensitive = false }: ScopeDefinition): boolean =>
  access !== 'write' && !sensitive
