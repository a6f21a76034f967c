/**
 * The host names that mean "this computer", as they are written in a URI.
 *
 * @see [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)
 *
 * @group PKCE and redirect URIs
 */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

// The characters that RFC 3986 allows in a URI, without '#', backslash and the quotes that end an
// attribute in HTML. A browser would read any other character differently from this code.
export const URI_CHARACTERS: RegExp = /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/
const PORT = /^[1-9][0-9]{0,4}$/

/**
 * Parses a loopback redirect URI without a URL parser. URL parsers turn `127.1` and `2130706433`
 * into `127.0.0.1`, and read `http://127.0.0.1:80@evil.example/` as a URI of another host.
 *
 * @param uri - the URI as received
 * @param hosts - the accepted host names. Default: {@link LOOPBACK_HOSTS}
 * @returns the parts of the URI. `null` if it is not `http://`, an accepted host, an optional port,
 *   and a path
 * @see [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)
 *
 * @example
 * ```ts
 * import { parseLoopbackUri } from 'hallpass/policy'
 *
 * const parts = parseLoopbackUri('http://127.0.0.1:52100/callback?v=1')
 * parts // => { host: '127.0.0.1', port: '52100', rest: '/callback?v=1' }
 * parseLoopbackUri('http://127.1/callback') // => null
 * parseLoopbackUri('http://127.0.0.1:80@evil.example/') // => null
 * ```
 *
 * @group PKCE and redirect URIs
 */
export function parseLoopbackUri(
  uri: string,
  hosts: readonly string[] = LOOPBACK_HOSTS,
): {
  /** The host as written: `127.0.0.1`, `[::1]` or `localhost`. */
  readonly host: string
  /** The digits of the port as written. `null` if the URI has no port. */
  readonly port: string | null
  /** Path and query as written. Begins with `/`. */
  readonly rest: string
} | null {
  if (!uri.startsWith('http://') || !URI_CHARACTERS.test(uri)) return null
  const slash = uri.indexOf('/', 7)
  if (slash === -1) return null
  const authority = uri.slice(7, slash)
  const host = hosts.find((name) => authority === name || authority.startsWith(`${name}:`))
  if (host === undefined) return null
  const rest = uri.slice(slash)
  if (authority === host) return { host, port: null, rest }
  const port = authority.slice(host.length + 1)
  return PORT.test(port) && Number(port) <= 65535 ? { host, port, rest } : null
}
