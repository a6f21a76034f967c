import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * Corrects requests that Next.js misreads, before it sees them:
 *
 * - It redirects a target in absolute form, such as `GET http://school.example/docs`, to that address,
 *   whichever it is. Such a target becomes a path and a `Host` (RFC 9112, section 3.2.2).
 * - It responds with 500 to a path that it cannot decode. The percent signs of such a path become text, so
 *   that nothing is found there.
 * - It responds with 500 to `TRACE`, which no `Request` can have, and with 400 to an unknown method.
 * - It uses the first of several `Authorization` headers. They become one with all of them, which opens
 *   nothing.
 */
export function correctRequests(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    const { headers, headersDistinct, url: target = '/', method } = request
    const { authorization = [] } = headersDistinct
    if (authorization.length > 1) headers.authorization = authorization.join(', ')
    if (method === 'TRACE') request.method = 'UNKNOWN'
    if (/^https?:/i.test(target) && URL.canParse(target)) {
      const { host, pathname, search } = new URL(target)
      headers.host = host
      request.url = decodable(pathname) + search
    } else request.url = decodable(target)
  })
}

function decodable(target: string): string {
  const [path = '', ...query] = target.split('?')
  try {
    decodeURIComponent(path)
    return target
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}
