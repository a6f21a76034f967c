import type { Endpoint } from '../http/exchange.js'
import { ADMIN_PATH } from '../site/paths.js'
import { errorTable } from './auth-md-errors.js'
import {
  type AuthMdSource,
  authorize,
  discover,
  exchange,
  limits,
  refresh,
  register,
  revoke,
  use,
} from './auth-md-steps.js'
import { createDocumentEndpoint } from './document-endpoint.js'

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
 * discovery to revocation with the URLs of this site, then errors, limits and scopes.
 *
 * @example
 * ```ts
 * import { authMd, defineOperations } from 'hallpass/admin'
 * import { REFRESH_POLICIES } from 'hallpass/policy'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const text = authMd({
 *   ...site, vendors: [], documents: null, registry: defineOperations([], site), requireState: false,
 *   codeSeconds: 60, accessTokenSeconds: 3600, refreshIdleSeconds: 2_592_000, grantSeconds: 15_552_000,
 *   refreshPolicies: REFRESH_POLICIES,
 * })
 * text.split('\n', 1) // => ['# How to connect to Test School']
 * text.includes('The code can be used once, within 1 minute.') // => true
 * ```
 * @group Documents for clients
 */
export function authMd(source: AuthMdSource): string {
  const sections = STEPS.map(([heading, step]) => `## ${heading}\n\n${step(source).join('\n')}\n`)
  return [
    `# How to connect to ${source.name}`,
    '',
    'Clients use OAuth 2.1: the authorization code flow with PKCE. Operator clients act for staff and use the',
    'admin API. Member clients act for a member and use their own data. All URLs below are of this school.',
    '',
    ...sections,
  ].join('\n')
}

/**
 * Creates the public endpoint `GET /auth.md`, which serves the text of {@link authMd}.
 *
 * @example
 * ```ts
 * import { createAuthMdEndpoint, defineOperations } from 'hallpass/admin'
 * import { REFRESH_POLICIES } from 'hallpass/policy'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const endpoint = createAuthMdEndpoint({
 *   ...site, vendors: [], documents: null, registry: defineOperations([], site), requireState: false,
 *   codeSeconds: 60, accessTokenSeconds: 3600, refreshIdleSeconds: 2_592_000, grantSeconds: 15_552_000,
 *   refreshPolicies: REFRESH_POLICIES,
 * })
 * const response = await endpoint(new Request('https://school.example/auth.md'))
 * response.headers.get('content-type') // => 'text/markdown; charset=utf-8'
 * ```
 * @group Documents for clients
 */
export function createAuthMdEndpoint(source: AuthMdSource): Endpoint {
  const contentType = 'text/markdown; charset=utf-8'
  return createDocumentEndpoint({ contentType, text: authMd(source) })
}

function errors(): readonly string[] {
  return [
    'OAuth endpoints respond with JSON that contains `error`, `error_description` and, if the school sends it,',
    '`error_uri`. The authorization endpoint sends them to the redirect URI, with `state` and `iss`. The admin API',
    'responds with `application/problem+json` that contains `code`, `detail`, `errors[]` and `request_id`. Every',
    '401 and 403 response of a resource has `WWW-Authenticate`.',
    '',
    'A status of `redirect` means: the error is sent to the redirect URI. Where the authorization endpoint cannot',
    'trust that URI, the person sees a page instead. A wrong method, media type or size has its own code in the admin',
    'API, such as `method_not_allowed`. All other endpoints send `invalid_request` with 405, 415 or 413. At `/mcp`,',
    'it is a JSON-RPC error.',
    '',
    ...errorTable(),
  ]
}

function scopeTable({
  scopes,
  registry,
  basePath = ADMIN_PATH,
  name,
}: AuthMdSource): readonly string[] {
  const rows = scopes.names.map((scope) => {
    const { audience, consent } = scopes.get(scope)!
    const own = registry.byScope.get(scope) ?? []
    const operations = own.map(({ id, method, path }) => `\`${id}\` (${method} ${basePath}${path})`)
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

function notHere(): readonly string[] {
  return [
    'The steps above are the only way to get access. In particular, there is',
    '',
    '- no autonomous identity assertion: a signed statement about the identity of an agent is not accepted,',
    '- no service authentication: no client credentials, no service keys, no token without a person,',
    '- no anonymous claim ceremony: nothing can be created first and claimed later.',
    '',
    'The metadata mentions none of these. Do not try them: they fail like any unknown request.',
  ]
}
