import type { Html } from './html.js'

const CALLS_ANY_SERVER = "connect-src 'self' https: http://127.0.0.1:* http://localhost:*"

/**
 * Creates the response for a page, with the security headers that every page needs.
 *
 * @param options - `forApp`: whether an authorization request leads to the page. Its form may then end in an app, whose
 *   own redirects browsers compare with `form-action` too, and the window that opened the page stays in touch with it.
 *   `script`: whether this site's scripts may run on the page and call this site; `without calls` lets them run
 *   only, and `any server` lets them call every server.
 *   `cookie`: a `Set-Cookie` value.
 */
export function pageResponse(
  page: Html,
  {
    origin,
    status = 200,
    forApp = false,
    script = false,
    cookie = null,
    retryAfterSeconds = null,
  }: {
    origin: string
    status?: number
    forApp?: boolean
    script?: boolean | 'without calls' | 'any server'
    cookie?: string | null
    retryAfterSeconds?: number | null
  },
): Response {
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...(script === false ? [] : ["script-src 'self'"]),
      ...(script === true ? ["connect-src 'self'"] : []),
      ...(script === 'any server' ? [CALLS_ANY_SERVER, "require-trusted-types-for 'script'"] : []),
      "style-src 'self'",
      "img-src 'self' data:",
      ...(forApp ? [] : ["form-action 'self'"]),
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': forApp ? 'unsafe-none' : 'same-origin',
    'cache-control': 'no-store',
  })
  if (origin.startsWith('https://'))
    headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
  if (cookie !== null) headers.append('set-cookie', cookie)
  if (retryAfterSeconds !== null) headers.set('retry-after', String(retryAfterSeconds))
  return new Response(page.toString(), { status, headers })
}

/** Whether an authorization request of an app leads to this path. */
export const isForApp = (path: string): boolean =>
  /^\/oauth\/(?:authorize$|interaction\/)/.test(path)

/** Redirects the browser to a path of this site. */
export function redirectTo(path: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ location: path, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
