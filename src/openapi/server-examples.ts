import type { Schema } from './parts.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { AuthorizationServerConfiguration } from '../authorization-server/block.js'
import { serverMetadata } from '../authorization-server/metadata.js'
import { resourceMetadata } from '../protected-resource/resource-metadata.js'
import type { EndpointName } from '../site/paths.js'

/** An endpoint that responds with JSON. */
type JsonEndpointName = Exclude<EndpointName, 'authorize' | 'interaction' | 'revoke'>

const OWN = { group: 'You', consent: 'See your courses' }
const SCOPES: ScopeRegistry = {
  names: ['openid', 'account:read'],
  get: (scope) =>
    scope === 'openid'
      ? { ...OWN, audience: 'any', access: 'identity' }
      : { ...OWN, audience: 'member', access: 'read' },
}

/** The metadata of a program on a computer that registers. */
export const REGISTRATION: Schema = {
  client_name: 'Study Buddy',
  redirect_uris: ['http://127.0.0.1:3000/callback'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
}

/**
 * Returns an example of a body of each endpoint. Its metadata is of a site with two scopes that has the same
 * endpoints.
 */
export function exampleBodies(
  {
    issuer,
    clientAuthentication,
    grants,
    pushedRequests,
    senderConstraint,
  }: Pick<
    AuthorizationServerConfiguration,
    'issuer' | 'clientAuthentication' | 'grants' | 'pushedRequests'
  > &
    Partial<Pick<AuthorizationServerConfiguration, 'senderConstraint'>>,
  endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
): Readonly<Record<JsonEndpointName, Schema>> {
  const binding = senderConstraint ? { senderConstraint } : {}
  const site = {
    issuer,
    resource: { canonical: issuer },
    name: 'Test School',
    baselineScopes: SCOPES.names,
    scopes: SCOPES,
    ...binding,
  }
  const configuration = {
    issuer,
    scopes: SCOPES,
    documents: null,
    pinnedDocuments: ['a document'],
    clientAuthentication,
    grants,
    ...(pushedRequests && { pushedRequests }),
    ...binding,
  }
  const server = (name: 'authorizationServerMetadata' | 'openidConfiguration'): Schema =>
    serverMetadata({ name, configuration, endpoints, signs: endpoints.jwks !== undefined })
  return {
    protectedResourceMetadata: resourceMetadata(site, 'protectedResourceMetadata'),
    mcpResourceMetadata: resourceMetadata(site, 'mcpResourceMetadata'),
    signedInResourceMetadata: resourceMetadata(site, 'signedInResourceMetadata'),
    memberResourceMetadata: resourceMetadata(site, 'memberResourceMetadata'),
    accountResourceMetadata: resourceMetadata(site, 'accountResourceMetadata'),
    authorizationServerMetadata: server('authorizationServerMetadata'),
    openidConfiguration: server('openidConfiguration'),
    jwks: {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
          kid: 'key_1',
          use: 'sig',
          alg: 'ES256',
        },
      ],
    },
    register: {
      client_id: 'app_Zk3cXw1VbQ9sT2hT0a7Kq2dLr0vYb1nTz8cWeUuX5oM',
      client_id_issued_at: 1_795_165_200,
      ...REGISTRATION,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      subject_type: 'public',
      id_token_signed_response_alg: 'ES256',
    },
    token: {
      access_token: 'hpa_2hT0Zk3cXw1VbQ9s7Kq2dLr0aVvYb1nTz8cWeUuX5oM',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'hpr_Kq2dLr0aVvYb1nTz8cWeUuX5oM2hT0Zk3cXw1VbQ9s7',
      scope: 'openid account:read',
      id_token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJtZW1fbWVpIn0.c2lnbmF0dXJl',
    },
    userinfo: {
      sub: 'mem_mei',
      org_id: 'site_lantern',
      name: 'Mei-Ling Chou',
      roles: ['student'],
      email: 'mei-ling.chou@example.com',
    },
    introspect: {
      active: true,
      scope: 'openid account:read',
      client_id: 'portfolio-hub',
      sub: 'mem_mei',
      aud: issuer,
      iss: issuer,
      iat: 1_795_165_200,
      exp: 1_795_168_800,
      token_type: 'Bearer',
    },
  }
}
