import type { SiteDefinition } from '../sites.js'
import { errorPage } from './error.js'
import { pageResponse } from './response.js'
import { wantsPage } from './wants-page.js'

const TOO_MANY = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address: wait for the time in Retry-After',
} as const

/** Creates the 429 response to an address that must wait, for clients other than browsers. */
export const tooMany = (retryAfterSeconds: number): Response =>
  Response.json(TOO_MANY, {
    status: 429,
    headers: {
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-store',
      // Lets a page of another origin read that it must wait, and for how long.
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
    },
  })

/** Creates the same response, as an HTML page if the request accepts HTML. */
export function tooManyFor(
  request: Request,
  {
    site,
    origin,
    retryAfterSeconds,
  }: { site: SiteDefinition; origin: string; retryAfterSeconds: number },
): Response {
  if (!wantsPage(request)) return tooMany(retryAfterSeconds)
  const { error, error_description: description } = TOO_MANY
  const view = { status: 429, error, reason: 'too_many_requests', description }
  return pageResponse(errorPage({ site, view }), { origin, status: 429, retryAfterSeconds })
}
