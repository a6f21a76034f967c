import { type Decision, refuse } from './decision.js'
import { LOOPBACK_HOSTS, parseLoopbackUri, URI_CHARACTERS } from './loopback-redirect.js'

declare const trusted: unique symbol

/**
 * A redirect URI that was found among the client's registered ones. Only
 * {@link decideRedirectUri} makes one, and only one of these may receive a redirect.
 */
export type TrustedRedirect = string & { readonly [trusted]: true }

const RESPONSE_PARAMETERS = new Set([
  'code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response',
]) // prettier-ignore
const MAX_LENGTH = 2048

/**
 * Whether a string may stand as a redirect URI at all: ASCII of RFC 3986, no fragment, at most 2048
 * characters, no dot segments, and no query parameter that the authorization response uses itself.
 */
export function isRedirectUriText(uri: string): boolean {
  if (uri.length > MAX_LENGTH || !URI_CHARACTERS.test(uri)) return false
  const query = uri.indexOf('?')
  const path = query === -1 ? uri : uri.slice(0, query)
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return false
  if (query === -1) return true
  for (const name of new URLSearchParams(uri.slice(query + 1)).keys()) {
    if (RESPONSE_PARAMETERS.has(name)) return false
  }
  return true
}

/**
 * Decides whether an authorization response may go to a redirect URI: it must equal a registered one
 * character by character. For loopback URIs the port alone may differ, as the client's listener gets
 * a free one each time; `localhost` and `127.0.0.1` are different hosts.
 *
 * @param request - `redirectUri` as received, `null` = absent
 * @returns the URI as presented, now trusted. Refusals are `invalid_request`, and never to be
 *   redirected
 * @see OAuth 2.1 §2.3.1; RFC 8252 §7.3
 */
export function decideRedirectUri({
  redirectUri,
  registered,
  loopbackHosts = LOOPBACK_HOSTS,
}: {
  redirectUri: string | null
  registered: readonly string[]
  loopbackHosts?: readonly string[]
}): Decision<
  { redirectUri: TrustedRedirect },
  'redirect_uri_missing' | 'redirect_uri_not_registered'
> {
  if (redirectUri === null)
    return refuse('invalid_request', 'redirect_uri_missing', 'redirect_uri is required')
  if (registered.includes(redirectUri) && isRedirectUriText(redirectUri))
    return { ok: true, redirectUri: redirectUri as TrustedRedirect }
  const presented = parseLoopbackUri(redirectUri, loopbackHosts)
  const matches =
    presented !== null &&
    registered.some((uri) => {
      const known = parseLoopbackUri(uri, loopbackHosts)
      return known !== null && known.host === presented.host && known.rest === presented.rest
    })
  return matches
    ? { ok: true, redirectUri: redirectUri as TrustedRedirect }
    : refuse(
        'invalid_request',
        'redirect_uri_not_registered',
        'redirect_uri must equal a registered one character by character; for loopback addresses the port may differ',
      )
}

/**
 * Adds response parameters to a trusted redirect URI, keeping the query it has.
 *
 * @param parameters - `null` values are left out
 * @see RFC 6749 §4.1.2; RFC 9207
 */
export function buildRedirect(
  redirectUri: TrustedRedirect,
  parameters: Readonly<Record<string, string | null>>,
): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) added.set(name, value)
  }
  const separator = !redirectUri.includes('?') ? '?' : redirectUri.endsWith('?') ? '' : '&'
  return redirectUri + separator + added.toString()
}
