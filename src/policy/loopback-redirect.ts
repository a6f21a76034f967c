/** Host names that mean "this computer", as written in a URI (RFC 8252 §7.3, §8.3). */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** A loopback redirect URI taken apart on the raw string. */
export interface LoopbackUri {
  /** As written: `127.0.0.1`, `[::1]` or `localhost`. */
  readonly host: string
  /** Digits as written; `null` = none. */
  readonly port: string | null
  /** Path and query as written; begins with `/`. */
  readonly rest: string
}

// Printable ASCII without space, quotes that break out of markup, backslash or '#': what RFC 3986
// lets a URI hold. Everything else would mean one thing here and another in a browser.
export const URI_CHARACTERS: RegExp = /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/
const PORT = /^[1-9][0-9]{0,4}$/

/**
 * Takes a loopback redirect URI apart without parsing it as a URL: URL parsers read `127.1`,
 * `2130706433` and `http://127.0.0.1:80@evil.example/` as something else than they look like.
 *
 * @returns `null` where it is not `http://` + loopback host + optional port + path
 * @see RFC 8252 §7.3
 */
export function parseLoopbackUri(
  uri: string,
  hosts: readonly string[] = LOOPBACK_HOSTS,
): LoopbackUri | null {
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
