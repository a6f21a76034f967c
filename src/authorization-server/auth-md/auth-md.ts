import { errorTable } from './errors.js'
import { type AuthMdParts, type AuthMdServer, type AuthMdSource, sourceOf, when } from './source.js'
import { authorize, discover, exchange, limits, refresh, register, revoke, use } from './steps.js'
import { createDocumentEndpoint, type DocumentEndpoint } from '../../http/document-endpoint.js'
import { AUTH_MD_PATH } from '../../site/paths.js'

type Step = (source: AuthMdSource) => readonly string[]

const STEPS: readonly (readonly [heading: string, step: Step])[] = [
  ['1. Discover', discover],
  ['2. Register', register],
  ['3. Authorize', authorize],
  ['4. Exchange', exchange],
  ['5. Use', use],
  ['6. Refresh', refresh],
  ['7. Revoke', revoke],
  ['8. Errors', errors],
  ['9. Limits', limits],
  ['Scopes', scopeTable],
  ['What is not supported', notHere],
]

/**
 * Returns the guide for developers of clients and for agents, in Markdown. It shows every step from
 * discovery to revocation with the URLs of this site, then errors, limits and scopes. It names only what is there: the
 * server, and the parts that you pass.
 *
 * @param server - the result of `createAuthorizationServer` or `createServer`, which knows its options
 * @param parts - what the site serves in addition. Default: nothing
 * @throws OptionsError that lists every mistake in the parts, or says that the first argument has no configuration
 * @example
 * ```ts
 * import { createServer } from 'hallpass'
 * import { authMd } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 *
 * const page = () => new Response('your page')
 * const server = createServer(testSite().site, {
 *   sealingSecret: 'use at least 32 random characters here',
 *   interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
 *   codeSeconds: 90,
 * })
 * const text = authMd(server)
 * text.split('\n', 1) // => ['# How to connect to Test School']
 * text.includes('The code can be used once, within 90 seconds.') // => true
 * text.includes('https://school.example/mcp') // => false
 * ```
 * @group Metadata
 */
export function authMd(server: AuthMdServer, parts: AuthMdParts = {}): string {
  return textOf(sourceOf(server, parts))
}

function textOf(source: AuthMdSource): string {
  const sections = STEPS.map(([heading, step]) => `## ${heading}\n\n${step(source).join('\n')}\n`)
  return [`# How to connect to ${source.name}`, '', ...introduction(source), '', ...sections].join(
    '\n',
  )
}

/**
 * Creates the public endpoint `GET /auth.md`, which serves the text of {@link authMd}.
 *
 * @param server - as {@link authMd} takes it
 * @param parts - as {@link authMd} takes them
 * @returns the endpoint, with its path in `routes`, for `routesOf`
 * @throws OptionsError as {@link authMd} does
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { createAuthorizationServer } from 'hallpass'
 * import { createAuthMdEndpoint, createRouter } from 'hallpass/authorization-server'
 * import { createMcpEndpoint, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 * const mcp = createMcpEndpoint(site, { tools: [], adapter: serverAdapter(sdk) })
 *
 * const router = createRouter(server, mcp, createAuthMdEndpoint(server, { mcp }))
 * const response = await router(new Request('https://school.example/auth.md'))
 * response.headers.get('content-type') // => 'text/markdown; charset=utf-8'
 * ```
 * @group Metadata
 */
export function createAuthMdEndpoint(
  server: AuthMdServer,
  parts: AuthMdParts = {},
): DocumentEndpoint {
  const source = sourceOf(server, parts)
  const contentType = 'text/markdown; charset=utf-8'
  return createDocumentEndpoint(source, AUTH_MD_PATH, { contentType, text: textOf(source) })
}

const introduction = ({ admin, account, scopes }: AuthMdSource): readonly string[] => [
  'Clients use OAuth 2.1: the authorization code flow with PKCE.',
  `Operator clients act for staff${admin ? ' and use the admin API' : ''}.`,
  ...when(
    scopes.names.some((scope) => scopes.get(scope)?.audience === 'member'),
    `Member clients act for a member${account ? ' and use their own data' : ''}.`,
  ),
  'All URLs below are of this school.',
]

function errors({ admin, mcp }: AuthMdSource): readonly string[] {
  return [
    'OAuth endpoints respond with JSON that contains `error`, `error_description` and, if the school sends it,',
    '`error_uri`. The authorization endpoint sends them to the redirect URI, with `state` and `iss`.',
    ...when(
      admin,
      'The admin API responds with `application/problem+json` that contains `code`, `detail`, `errors[]` and `request_id`.',
    ),
    'Every 401 and 403 response of a resource has `WWW-Authenticate`.',
    '',
    'A status of `redirect` means: the error is sent to the redirect URI. Where the authorization endpoint cannot',
    'trust that URI, the person sees a page instead. A wrong method, media type or size is `invalid_request` with 405,',
    '415 or 413.',
    ...when(admin, 'In the admin API it has its own code, such as `method_not_allowed`.'),
    ...when(mcp, 'At `/mcp`, it is a JSON-RPC error.'),
    '',
    ...errorTable(admin),
  ]
}

function scopeTable({ scopes, admin, name }: AuthMdSource): readonly string[] {
  const rows = scopes.names.map((scope) => {
    const { audience, consent } = scopes.get(scope)!
    const own = admin?.registry.byScope.get(scope) ?? []
    const operations = own.map(
      ({ id, method, path }) => `\`${id}\` (${method} ${admin?.basePath}${path})`,
    )
    const words = consent.replaceAll('{school}', name)
    const cells = [`\`${scope}\``, AUDIENCES[audience], words, operations.join('<br>')]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| scope | for | allows a client to | operations |', '| --- | --- | --- | --- |', ...rows]
}

const AUDIENCES = {
  any: 'all clients',
  operator: 'operator clients',
  member: 'member clients',
}

/** Names the ways that agents may know from elsewhere, unless the server has a grant for them. */
function notHere({ grants }: AuthMdSource): readonly string[] {
  const has = (name: string): boolean => grants.some((grant) => grant.name === name)
  return [
    grants.length === 0
      ? 'The steps above are the only way to get access. In particular, there is'
      : 'The steps above, and the further grant types, are the only ways to get access. In particular, there is',
    '',
    ...when(
      !has('urn:ietf:params:oauth:grant-type:jwt-bearer'),
      '- no autonomous identity assertion: a signed statement about the identity of an agent is not accepted,',
    ),
    ...when(
      !has('client_credentials'),
      '- no service authentication: no client credentials, no service keys, no token without a person,',
    ),
    '- no anonymous claim ceremony: nothing can be created first and claimed later.',
    '',
    'The metadata mentions none of these. Do not try them: they fail like any unknown request.',
  ]
}
