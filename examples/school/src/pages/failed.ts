import type { SiteDefinition } from '../sites.js'
import { faultPage, notFoundPage } from '../../../pages/error.js'
import { isForApp, pageResponse } from '../../../pages/response.js'
import { forReader } from '../../../pages/words/languages.js'
import { wantsPage } from './wants-page.js'

const MALFORMED = {
  error: 'invalid_request',
  error_description: 'the path is not percent-encoded UTF-8',
} as const

const FAULT = {
  error: 'server_error',
  error_description: 'an unexpected error occurred',
} as const

const OUTAGE = {
  error: 'temporarily_unavailable',
  error_description: 'the service is temporarily unavailable: try again shortly',
} as const
const RETRY_AFTER_SECONDS = 5

/**
 * Creates the response to a request that a framework could not hand to a route: as an HTML page if the
 * request accepts HTML, else as JSON. It contains nothing of the exception.
 *
 * @param options - `status`: below 500, the path of the request could not be decoded, and the response
 *   is 400; 503 if the database is away; otherwise the response is 500
 */
export function failedFor(
  request: Request,
  { site, origin, status }: { site: SiteDefinition; origin: string; status: number },
): Response {
  const [sent, body, page] =
    status < 500
      ? ([400, MALFORMED, notFoundPage] as const)
      : status === 503
        ? ([503, OUTAGE, faultPage] as const)
        : ([500, FAULT, faultPage] as const)
  const response = wantsPage(request)
    ? pageResponse(page({ site: forReader(site, request) }), {
        origin,
        forApp: isForApp(new URL(request.url).pathname),
        status: sent,
      })
    : Response.json(body, { status: sent, headers: { 'cache-control': 'no-store' } })
  if (sent === 503) response.headers.set('retry-after', String(RETRY_AFTER_SECONDS))
  return response
}
