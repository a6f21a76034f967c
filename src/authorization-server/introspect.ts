import type { Endpoint } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { type Access, decideAccess } from '../policy/bearer.js'
import { refuse } from '../policy/decision.js'
import { type Grant, keyOf } from '../policy/grant.js'
import type { FoundAccessToken } from '../store/store.js'
import { hashToken, TOKEN_PREFIX } from '../token/opaque.js'
import { NO_SECRET, readAuthenticatedForm } from './client-form.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { clientErrors } from './error-format.js'

const INACTIVE = { active: false }

/**
 * Creates the introspection endpoint, for confidential clients. A client may introspect its own tokens, and
 * a resource server of `introspectionClientIds` every token of the site. For any other token, and for one that is
 * not valid, the response is `{"active":false}`. A resource server also receives what `createRemoteGate` decides
 * with, for an access token: `grant_id`, `token_scope`, `client_name`, `client_kind`, `client_scope`, `org_id` and
 * `roles`.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `POST`: 200 with the state of the token, 401 for a public client or a failed
 *   authentication, or 400
 * @see [RFC 7662, section 2](https://www.rfc-editor.org/rfc/rfc7662#section-2)
 * @group Token endpoints
 * @example A public client is refused
 * ```ts
 * import { configureAuthorizationServer, createIntrospectionEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, tokenFor } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const introspect = createIntrospectionEndpoint(configureAuthorizationServer(site, { keys, interact }))
 *
 * const token = await tokenFor({ roles: ['owner'] }, 'courses:read')
 * const body = new URLSearchParams({ client_id: 'test-loopback', token })
 * const url = 'https://school.example/api/oauth/introspect'
 * const response = await introspect(new Request(url, { method: 'POST', body }))
 * response.status // => 401
 * ```
 */
export function createIntrospectionEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, clock, issuer, scopes, roles, findClient, findPerson, introspectionClientIds } =
    configuration

  /**
   * Returns the state of a token. `token_type_hint` is not needed, because both look-ups are by hash (RFC
   * 7662, section 2.1). The prefix of the token says which of them comes first.
   *
   * A token that the caller may not read is described like an unknown one (RFC 7662, section 2.2). A
   * rotated refresh token is inactive, although its client may still repeat the refresh.
   */
  async function introspect(token: string, callerId: string): Promise<object> {
    const tokenHash = hashToken(token)
    const isResourceServer = introspectionClientIds.includes(callerId)
    const mayRead = (grant: Grant): boolean => grant.clientId === callerId || isResourceServer
    const asAccessToken = async (): Promise<object | null> => {
      const found = await store.findAccessToken(tokenHash)
      if (found === null) return null
      return mayRead(found.grant) ? describeToken(found, isResourceServer) : INACTIVE
    }
    const asRefreshToken = async (): Promise<object | null> => {
      const found = await store.findRefreshToken(tokenHash)
      if (found === null) return null
      const { refreshToken, grant, client } = found
      if (!mayRead(grant) || refreshToken.rotation !== null) return INACTIVE
      // Decided like an access token with every scope of the grant.
      const accessToken = { ...refreshToken, scopes: grant.scopes, revokedAt: null }
      return describeToken({ accessToken, grant, client })
    }
    return token.startsWith(TOKEN_PREFIX.refreshToken)
      ? ((await asRefreshToken()) ?? (await asAccessToken()) ?? INACTIVE)
      : ((await asAccessToken()) ?? (await asRefreshToken()) ?? INACTIVE)
  }

  /**
   * Describes a token with the decision that a gate would make now, so that the scopes shrink with the
   * role of the person. A disabled client or a deleted person makes it inactive.
   *
   * The token is checked against the resource of its own grant, so the caller must compare `aud` itself.
   *
   * @param isForResourceServer - who asks for an access token; `null` for a refresh token, which has no `token_type`
   */
  async function describeToken(
    found: FoundAccessToken,
    isForResourceServer: boolean | null = null,
  ): Promise<object> {
    const { accessToken, grant, client } = found
    // A resource server has to check that the request proves this key (RFC 9449, section 6.2).
    const boundTo = keyOf(found)
    const decided = decideAccess({
      found,
      client: await findClient(grant.clientId, client),
      person: await findPerson(grant.subject),
      resource: grant.resource,
      required: [],
      registry: scopes,
      roles,
      now: await clock.latest(),
      key: boundTo,
    })
    if (!decided.ok) return INACTIVE
    return {
      active: true,
      scope: decided.access.scopes.join(' '),
      client_id: grant.clientId,
      sub: grant.subject,
      aud: grant.resource,
      iss: issuer,
      iat: accessToken.issuedAt,
      exp: decided.access.expiresAt,
      ...(isForResourceServer !== null &&
        (boundTo === null
          ? { token_type: 'Bearer' }
          : { token_type: 'DPoP', cnf: { jkt: boundTo } })),
      ...(isForResourceServer && forResourceServer(decided.access)),
    }
  }

  const errors = clientErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'introspect', methods: ['POST'], cors: OPEN, errors },
    async (context) => {
      const form = await readAuthenticatedForm(configuration, context)
      if (!form.ok) return form
      const { client, parameters } = form
      // Without authentication, an attacker could test tokens one by one (RFC 7662, section 4).
      if (client.tokenEndpointAuthMethod === 'none')
        return refuse('invalid_client', 'client_not_confidential', NO_SECRET)
      const token = parameters.single('token')
      if (token === null) return refuse('invalid_request', 'token_missing', 'token is required')
      return json(200, await introspect(token, client.clientId))
    },
  )
}

/**
 * Returns the members with which a gate in another process decides as a local one does. Name, email address and picture of the person are
 * not among it (RFC 7662, section 5). `client_scope` is absent if the client may request every scope of its audience.
 */
const forResourceServer = ({
  grantId,
  tokenScopes,
  client,
  person,
  hasFixedScopes,
}: Access): object => ({
  grant_id: grantId,
  token_scope: tokenScopes.join(' '),
  scope_fixed: hasFixedScopes || undefined,
  client_name: client.name,
  client_kind: client.kind,
  client_scope: client.scopes?.join(' '),
  org_id: person.orgId,
  roles: person.roles,
})
