import { type Check, judge } from '../../check.js'
import { passive, slug, statement } from './statement.js'
import { ENDPOINTS, IDENTITY_SCOPES, MEMBER_SCOPES, OPERATOR_SCOPES } from './tables.js'

/** Statements of the description about the documents that anyone can read. */
export const discovery: readonly Check[] = [
  statement(
    'Introduction',
    'issuer',
    {
      ...passive,
      says: 'The origin of the service is the issuer.',
      change: 'Publish the origin as issuer, without a slash at its end.',
    },
    async (on) => {
      const { issuer } = await on.server()
      return judge(issuer === on.origin, `issuer is ${on.origin}`, `issuer is ${String(issuer)}`)
    },
  ),
  statement(
    'Introduction',
    'resource',
    {
      ...passive,
      says: 'The origin of the service is the identifier of the protected resource.',
      change: 'Publish the origin as resource at /.well-known/oauth-protected-resource.',
    },
    async (on) => {
      const { json } = await on.send(new URL('/.well-known/oauth-protected-resource', on.origin))
      const { resource } = json
      return judge(resource === on.origin, `resource is ${on.origin}`, `resource is ${String(resource)}`) // prettier-ignore
    },
  ),
  ...ENDPOINTS.map(({ member, path }) =>
    statement(
      'Endpoints',
      `path-${slug(member)}`,
      {
        ...passive,
        says: `Both metadata documents name ${path} as ${member}.`,
        change: `Serve ${member} at ${path}, and name it in both documents.`,
      },
      async (on) => {
        const [server, openid] = [(await on.server())[member], (await on.openid())[member]]
        const isRight = server === on.origin + path && openid === server
        return judge(isRight, `${member} is ${path}`, `it is ${String(server)} and ${String(openid)}`) // prettier-ignore
      },
    ),
  ),
  statement(
    'Endpoints',
    'openapi',
    {
      ...passive,
      says: '/openapi.json serves the OpenAPI description of the API.',
      change: 'Serve the description as JSON at /openapi.json.',
    },
    async (on) => {
      const { status, json } = await on.send(new URL('/openapi.json', on.origin))
      const isThere = status === 200 && typeof json['openapi'] === 'string' && typeof json['paths'] === 'object' // prettier-ignore
      return judge(isThere, `OpenAPI ${String(json['openapi'])}`, `${status} without a description`)
    },
  ),
  statement(
    'Endpoints',
    'auth-md',
    {
      ...passive,
      says: '/auth.md serves the walkthrough of authentication as Markdown.',
      change: 'Serve the walkthrough as text/markdown at /auth.md.',
    },
    async (on) => {
      const { status, headers } = await on.send(new URL('/auth.md', on.origin))
      const type = headers.get('content-type') ?? ''
      return judge(status === 200 && type.startsWith('text/markdown'), type, `${status} with ${type || 'no type'}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'grant-types',
    {
      ...passive,
      says: 'The metadata lists the grant types authorization_code and refresh_token.',
      change: 'List both in grant_types_supported.',
    },
    async (on) => {
      const types = await on.listOf('grant_types_supported')
      const hasBoth = ['authorization_code', 'refresh_token'].every((one) => types.includes(one))
      return judge(hasBoth, types.join(', '), `it lists ${types.join(', ') || 'none'}`)
    },
  ),
  statement(
    'Authentication 1',
    's256-only',
    {
      ...passive,
      says: 'PKCE supports S256 and no other method.',
      change: 'Publish ["S256"] as code_challenge_methods_supported.',
    },
    async (on) => {
      const methods = (await on.listOf('code_challenge_methods_supported')).join(', ')
      return judge(methods === 'S256', 'it lists S256', `it lists ${methods || 'none'}`)
    },
  ),
  statement(
    'Authentication 3',
    'auth-methods',
    {
      ...passive,
      says: 'The token endpoint supports none and client_secret_post.',
      change: 'List both in token_endpoint_auth_methods_supported.',
    },
    async (on) => {
      const methods = await on.listOf('token_endpoint_auth_methods_supported')
      const hasBoth = ['none', 'client_secret_post'].every((one) => methods.includes(one))
      return judge(hasBoth, methods.join(', '), `it lists ${methods.join(', ') || 'none'}`)
    },
  ),
  statement(
    'Resources: metadata document',
    'document-flag',
    {
      ...passive,
      says: 'The metadata says whether client ID metadata documents are supported.',
      change: 'Publish client_id_metadata_document_supported as true or false.',
    },
    async (on) => {
      const { client_id_metadata_document_supported: flag } = await on.server()
      return judge(typeof flag === 'boolean', `it is ${String(flag)}`, `it is ${String(flag)}`)
    },
  ),
  statement(
    'Authentication 11',
    'id-token-discovery',
    {
      ...passive,
      says: 'The OpenID configuration lists ES256, and the address of the keys.',
      change: 'Publish jwks_uri, and ES256 in id_token_signing_alg_values_supported.',
    },
    async (on) => {
      const { id_token_signing_alg_values_supported: algorithms, jwks_uri: keys } = await on.openid() // prettier-ignore
      const isRight = Array.isArray(algorithms) && algorithms.includes('ES256') && typeof keys === 'string' // prettier-ignore
      return judge(isRight, 'both are there', `algorithms: ${String(algorithms)}; jwks_uri: ${String(keys)}`) // prettier-ignore
    },
  ),
  ...[...IDENTITY_SCOPES, ...OPERATOR_SCOPES, ...MEMBER_SCOPES].map((scope) =>
    statement(
      'Scopes',
      `scope-${slug(scope)}`,
      {
        ...passive,
        says: `The metadata lists the scope ${scope}.`,
        change: `List ${scope} in scopes_supported.`,
      },
      async (on) => {
        const scopes = await on.listOf('scopes_supported')
        return judge(scopes.includes(scope), `${scope} is listed`, `${scope} is not listed`)
      },
    ),
  ),
]
