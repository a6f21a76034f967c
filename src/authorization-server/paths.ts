/**
 * The path of each endpoint, on the origin of the site. Paths cannot be configured.
 *
 * @group Routing
 */
export const PATHS = {
  protectedResourceMetadata: '/.well-known/oauth-protected-resource',
  mcpResourceMetadata: '/.well-known/oauth-protected-resource/mcp',
  accountResourceMetadata: '/.well-known/oauth-protected-resource/account/graphql',
  authorizationServerMetadata: '/.well-known/oauth-authorization-server',
  openidConfiguration: '/.well-known/openid-configuration',
  jwks: '/.well-known/jwks.json',
  register: '/api/oauth/register',
  authorize: '/oauth/authorize',
  interaction: '/oauth/interaction',
  token: '/api/oauth/token',
  userinfo: '/api/oauth/userinfo',
  revoke: '/api/oauth/revoke',
  introspect: '/api/oauth/introspect',
} as const

/**
 * The name of an endpoint in the record of endpoints.
 *
 * @group Routing
 */
export type EndpointName = keyof typeof PATHS
