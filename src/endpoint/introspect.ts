import { readForm } from '../http/body.js'
import { type Endpoint, endpointFrom, type Outgoing } from '../http/exchange.js'
import { framed, json, refused } from '../http/respond.js'
import { type Refusal, refuse } from '../policy/decision.js'
import type { Grant } from '../policy/grant.js'
import { hashToken } from '../token/opaque.js'
import { authenticateClient } from './authenticate.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

const INACTIVE = { active: false }

/**
 * Token introspection, for confidential clients: their own tokens, or every token of the site for a
 * configured resource server. Everything else is `{"active":false}` and nothing more.
 *
 * @see RFC 7662; RFC 8707 §2.2
 */
export function createIntrospectionEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, now, issuer, findClient, findPerson, introspectionClientIds } = configuration
  const refuseWith = (refusal: Refusal, clientId: string | null): Outgoing => {
    configuration.notifyRefusal('introspect', refusal, clientId)
    return refused(refusal, refusal.error === 'invalid_client' ? 401 : 400)
  }

  async function isAlive(grant: Grant, expiresAt: number): Promise<boolean> {
    const at = now()
    if (grant.revokedAt !== null || grant.expiresAt <= at || expiresAt <= at) return false
    const client = await findClient(grant.clientId)
    if (client === null || client.disabled) return false
    return (await findPerson(grant.subject)) !== null
  }

  async function introspect(tokenHash: string, callerId: string): Promise<object> {
    const mayRead = (grant: Grant): boolean =>
      grant.clientId === callerId || introspectionClientIds.includes(callerId)
    const access = await store.findAccessToken(tokenHash)
    if (access !== null) {
      const { accessToken, grant } = access
      if (!mayRead(grant) || accessToken.revokedAt !== null) return INACTIVE
      if (!(await isAlive(grant, accessToken.expiresAt))) return INACTIVE
      return { ...describeGrant(grant, accessToken, issuer), token_type: 'Bearer' }
    }
    const refresh = await store.findRefreshToken(tokenHash)
    if (refresh === null) return INACTIVE
    const { refreshToken, grant } = refresh
    if (!mayRead(grant) || refreshToken.rotation !== null) return INACTIVE
    return (await isAlive(grant, refreshToken.expiresAt))
      ? describeGrant(grant, { ...refreshToken, scopes: grant.scopes }, issuer)
      : INACTIVE
  }

  return endpointFrom(
    framed(
      { methods: ['POST'], cors: true },
      async (incoming) => {
        const form = await readForm(incoming)
        if (!form.ok) return form.answer
        const { parameters } = form
        const clientId = parameters.single('client_id')
        if (parameters.repeated.length > 0)
          return refuseWith(
            refuse('invalid_request', 'parameter_repeated', 'a parameter was sent more than once'),
            clientId,
          )
        const authenticated = await authenticateClient(configuration, incoming, parameters)
        if (!authenticated.ok) return refuseWith(authenticated, clientId)
        // Anybody can name a public client, and then try tokens one by one (RFC 7662 §4).
        if (authenticated.client.tokenEndpointAuthMethod === 'none')
          return refuseWith(refuse('invalid_client', 'client_not_confidential'), clientId)
        const token = parameters.single('token')
        if (token === null)
          return refuseWith(
            refuse('invalid_request', 'token_missing', 'token is required'),
            clientId,
          )
        return json(200, await introspect(hashToken(token), authenticated.client.clientId))
      },
      configuration.notifyFault('introspect'),
    ),
  )
}

function describeGrant(
  grant: Grant,
  token: {
    readonly scopes: readonly string[]
    readonly issuedAt: number
    readonly expiresAt: number
  },
  issuer: string,
): object {
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: grant.clientId,
    sub: grant.subject,
    aud: grant.resource,
    iss: issuer,
    iat: token.issuedAt,
    exp: token.expiresAt,
  }
}
