import type { Endpoint } from '../http/exchange.js'
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
  ['What does not exist here', notHere],
]

/** The walkthrough for whoever writes a client, in Markdown: every step with the real addresses. */
export function authMd(source: AuthMdSource): string {
  const sections = STEPS.map(([heading, step]) => `## ${heading}\n\n${step(source).join('\n')}\n`)
  return [
    `# How to get into ${source.name}`,
    '',
    'Access is OAuth 2.1: authorization code with PKCE. Every address below is of this school.',
    '',
    ...sections,
  ].join('\n')
}

/** `GET /auth.md`, for everybody. */
export function createAuthMdEndpoint(source: AuthMdSource): Endpoint {
  const contentType = 'text/markdown; charset=utf-8'
  return createDocumentEndpoint({ contentType, text: authMd(source) })
}

function errors(): readonly string[] {
  return [
    'OAuth endpoints answer JSON with `error`, `error_description` and, where the school sends it,',
    '`error_uri`. The authorization endpoint sends them to the redirect URI, with `state` and `iss`. The admin API answers',
    '`application/problem+json` with `code`, `detail`, `errors[]` and `request_id`. Every 401 and 403 of a',
    'resource has `WWW-Authenticate`.',
    '',
    ...errorTable(),
  ]
}

function scopeTable({
  scopes,
  registry,
  basePath = '/api/v1',
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
  return [
    '| scope | for | lets an application | operations |',
    '| --- | --- | --- | --- |',
    ...rows,
  ]
}

const AUDIENCES = {
  any: 'everybody',
  operator: 'staff applications',
  member: 'member applications',
}

function notHere(): readonly string[] {
  return [
    'An application gets in by the steps above and by no other way. In particular there is',
    '',
    '- no autonomous identity assertion: a signed statement of who an agent is opens nothing,',
    '- no service authentication: no client credentials, no keys of a service, no token without a person,',
    '- no anonymous claim ceremony: nothing can be created first and claimed later.',
    '',
    'The metadata has no block for any of these. Do not try them: they fail like any unknown request.',
  ]
}
