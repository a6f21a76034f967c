/**
 * The path of each endpoint, on the origin of the site. Paths cannot be configured.
 *
 * The specifications prescribe the paths of the metadata. That of a resource with a path ends with this
 * path, such as `/mcp`. The path of `interaction` is followed by the identifier of a request.
 *
 * @see [RFC 8414, section 3](https://www.rfc-editor.org/rfc/rfc8414#section-3)
 * @see [RFC 9728, section 3.1](https://www.rfc-editor.org/rfc/rfc9728#section-3.1)
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
