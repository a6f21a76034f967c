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
 * - It has pages of its own, such as `/404` and `/_not-found`, without the headers of a school and to be cached for a
 *   year. Their paths are encoded, so that the school responds that nothing is there.
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
      request.url = ofSchool(decodable(pathname)) + search
    } else request.url = ofSchool(decodable(target))
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

/** The paths of the pages that Next.js has itself. The schools use no files of `/_next`. */
const OF_NEXT = /^\/+(?=_|(?:404|500)\/*(?:\?|$))(.)/

/** Encodes the first character of such a path: Next.js compares paths as they are sent. */
const ofSchool = (target: string): string =>
  target.replace(OF_NEXT, (_, first: string) => `/%${first.charCodeAt(0).toString(16)}`)
