import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { isRedirectUriText } from './redirect-uri.js'

/** The URI schemes without a dot that well-known apps use: `cursor`, `vscode` and `vscode-insiders`. */
export const APP_SCHEMES: readonly string[] = ['cursor', 'vscode', 'vscode-insiders']

/** URI schemes that a browser opens or runs itself. None of them can be an app's own scheme. */
export const BROWSER_SCHEMES: readonly string[] = [
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'ftp',
  'http',
  'https',
  'javascript',
  'vbscript',
  'view-source',
  'ws',
  'wss',
]

/**
 * Which redirect URIs a client that the host application creates may have in addition to https.
 */
export interface RedirectPolicy {
  /** Host names that mean "this computer". Default: `127.0.0.1`, `[::1]` and `localhost`. */
  readonly loopbackHosts?: readonly string[] | undefined
  /**
   * Accepted schemes without a dot, each an app's own. `null` accepts every one. Default:
   * {@link APP_SCHEMES}.
   */
  readonly appSchemes?: readonly string[] | null | undefined
}

// A host name with an optional port. User information is not allowed, because it can look like a host.
const HTTPS_URI =
  /^https:\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[1-9][0-9]{0,4})?(?:[/?][\x21-\x7e]*)?$/
// The slash distinguishes a scheme from a host name without https://, such as app.example:8443/callback.
const APP_URI = /^([a-z][a-z0-9+.-]*):\/(?!\/[^/?]*@)[\x21-\x7e]*$/

/**
 * Returns why a client that the host application creates may not have a redirect URI. `null` if it
 * may. Accepted are https, loopback addresses, and an app's own scheme, which contains a dot or is
 * one of `appSchemes`.
 *
 * @see [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252#section-7.1)
 */
export function redirectUriFault(
  uri: string,
  { loopbackHosts = LOOPBACK_HOSTS, appSchemes = APP_SCHEMES }: RedirectPolicy,
): 'redirect_uri_malformed' | 'redirect_uri_not_allowed' | null {
  if (!isRedirectUriText(uri) || !URL.canParse(uri)) return 'redirect_uri_malformed'
  if (isHttpsUri(uri) || parseLoopbackUri(uri, loopbackHosts) !== null) return null
  const scheme = APP_URI.exec(uri)?.[1]
  if (scheme === undefined || BROWSER_SCHEMES.includes(scheme)) return 'redirect_uri_not_allowed'
  const isOwn = scheme.includes('.') || appSchemes === null || appSchemes.includes(scheme)
  return isOwn ? null : 'redirect_uri_not_allowed'
}

function isHttpsUri(uri: string): boolean {
  const host = HTTPS_URI.exec(uri)?.[1]
  // Browsers read 2130706433 and 127.1 as IP addresses. The host that they open must be the one in the URI.
  return host !== undefined && new URL(uri).hostname === host
}
