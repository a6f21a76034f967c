import type { SiteDefinition } from '../sites.js'
import { errorPage } from './error.js'
import { pageResponse } from './response.js'

const TOO_MANY = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address: wait a little',
} as const

/** The answer to an address that has to wait, for whatever is no browser. */
export const tooMany = (retryAfterSeconds: number): Response =>
  Response.json(TOO_MANY, {
    status: 429,
    headers: {
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-store',
      // A page of another origin that is told to wait has to be able to read so.
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
    },
  })

/** The same, as a page where a browser asks for something to look at. */
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

const wantsPage = (request: Request): boolean =>
  request.headers.get('accept')?.includes('text/html') ?? false
