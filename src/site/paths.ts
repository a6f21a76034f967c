import { RESOURCE_PATHS } from '../policy/resource-indicator.js'
import type { Block } from './block.js'

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
  signedInResourceMetadata: '/.well-known/oauth-protected-resource/mcp/signed-in',
  memberResourceMetadata: '/.well-known/oauth-protected-resource/mcp/member',
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

/** The paths of opt-in blocks, whose endpoints have them as names in the record of endpoints. */
export const BLOCK_PATHS = {
  pushedRequest: '/api/oauth/par',
  deviceRequest: '/api/oauth/device_authorization',
  device: '/oauth/device',
} as const

// A request that waits, or a step-up link.
const RETURN_TO =
  /^\/oauth\/interaction\/(?:[\w-]{43}|grant_[\w-]{43}\?add=[\w:.+%!~*'()-]{1,4096})$/

/**
 * Reads where a sign-in form leads.
 *
 * @param blocks - those of the site: a block with a page names its paths
 */
export const readReturnTo = (value: unknown, blocks: readonly Block[]): string | null =>
  typeof value === 'string' &&
  [RETURN_TO, ...blocks.map(({ returns }) => returns)].some((form) => form?.test(value))
    ? value
    : null

/** The path of the MCP endpoint. */
export const MCP_PATH: (typeof RESOURCE_PATHS)[0] = RESOURCE_PATHS[0]

/** The paths of the same endpoint that always ask for an access token: for operator clients, and for member clients. */
export const ASKING_PATHS = ['/mcp/signed-in', '/mcp/member'] as const

/** The path of the Account API. */
export const ACCOUNT_PATH: (typeof RESOURCE_PATHS)[1] = RESOURCE_PATHS[1]

/** The path of the schema of the Account API. */
export const ACCOUNT_SCHEMA_PATH = '/account/schema.graphql'

/** The path of the guide for agents. */
export const AUTH_MD_PATH = '/auth.md'

/** The path of the OpenAPI description. */
export const OPENAPI_PATH = '/openapi.json'

/** The base path of the admin API, unless the host application chooses another. */
export const ADMIN_PATH = '/api/v1'

/**
 * The name of an endpoint in the record of endpoints.
 *
 * @group Routing
 */
export type EndpointName = keyof typeof PATHS
