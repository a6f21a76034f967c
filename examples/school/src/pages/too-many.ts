import { PROBLEMS } from 'hallpass/admin'
import type { Refusals } from '../platform/limited.js'
import { newRequestId, requestIdNow } from '../platform/requests.js'
import type { SiteDefinition } from '../sites.js'
import { errorPage } from '../../../pages/error.js'
import { isForApp, pageResponse } from '../../../pages/response.js'
import { forReader } from '../../../pages/words/languages.js'
import { wantsPage } from './wants-page.js'

const TOO_MANY = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address: wait for the time in Retry-After',
} as const

/** Creates a 429 response, for clients other than browsers. */
function wait(
  retryAfterSeconds: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, {
    status: 429,
    headers: {
      ...headers,
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-store',
      // Lets a page of another origin read that it must wait, and for how long.
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
    },
  })
}

/** Creates the 429 response to an address that must wait, for clients other than browsers. */
export const tooMany = (retryAfterSeconds: number): Response => wait(retryAfterSeconds, TOO_MANY)

interface Options {
  readonly site: SiteDefinition
  readonly origin: string
}

function tooManyPage(
  request: Request,
  retryAfterSeconds: number,
  { site, origin }: Options,
): Response {
  const { error, error_description: description } = TOO_MANY
  const view = { status: 429, error, reason: 'too_many_requests', description }
  return pageResponse(errorPage({ site: forReader(site, request), view }), {
    origin,
    forApp: isForApp(new URL(request.url).pathname),
    status: 429,
    retryAfterSeconds,
  })
}

/**
 * Creates the 429 response to an address that must wait, in the format of the endpoint: see `/openapi.json`.
 * Anywhere else it is an HTML page if the request accepts HTML.
 */
export function tooManyFor(
  request: Request,
  { retryAfterSeconds, ...options }: Options & { readonly retryAfterSeconds: number },
): Response {
  const refusals = createRefusals(options)
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/api/v1/')) return tooManyProblem(retryAfterSeconds)
  if (/^\/mcp(?:\/|$)/.test(pathname)) return refusals.mcp(request, retryAfterSeconds)
  if (/^\/account\/(?:graphql|schema\.graphql)$/.test(pathname))
    return refusals.graphql(request, retryAfterSeconds)
  const isForClients = /^\/(?:api|\.well-known)\//.test(pathname)
  return !isForClients && wantsPage(request)
    ? refusals.page(request, retryAfterSeconds)
    : refusals.json(request, retryAfterSeconds)
}

function tooManyProblem(retryAfterSeconds: number): Response {
  const { status, title } = PROBLEMS.rate_limited
  const requestId = requestIdNow() ?? newRequestId()
  const problem = {
    type: '/problems/rate-limited',
    title,
    status,
    detail: message,
    code: 'rate_limited',
    request_id: requestId,
  }
  return wait(retryAfterSeconds, problem, {
    'content-type': 'application/problem+json; charset=utf-8',
    'x-request-id': requestId,
  })
}

const message = TOO_MANY.error_description

/** Creates the 429 responses of each endpoint, in its own format. */
export const createRefusals = (options: Options): Refusals => ({
  json: (_request, seconds) => tooMany(seconds),
  page: (request, seconds) => tooManyPage(request, seconds, options),
  graphql: (_request, seconds) =>
    wait(seconds, {
      ...TOO_MANY,
      errors: [{ message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds: seconds } }],
    }),
  // An error code of the range that JSON-RPC 2.0, section 5.1, reserves for servers.
  mcp: (_request, seconds) =>
    wait(seconds, { jsonrpc: '2.0', id: null, error: { code: -32000, message } }),
})
