import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { isRedirectUriText } from './redirect-uri.js'

/** Schemes without a dot that well-known applications really use. */
export const APP_SCHEMES: readonly string[] = ['cursor', 'vscode', 'vscode-insiders']

/** Schemes that a browser opens or runs by itself: none of them can be an application's own. */
export const BROWSER_SCHEMES: readonly string[] = [
  'about', 'blob', 'data', 'file', 'filesystem', 'ftp', 'http', 'https', 'javascript', 'vbscript',
  'view-source', 'ws', 'wss',
] // prettier-ignore

/** Which redirect URIs a client of the host's own making may have beside https. */
export interface RedirectPolicy {
  /** Names that mean "this computer". Default: `127.0.0.1`, `[::1]` and `localhost`. */
  readonly loopbackHosts?: readonly string[] | undefined
  /** Schemes without a dot that are an application's own. `null`: every one. Default: {@link APP_SCHEMES}. */
  readonly appSchemes?: readonly string[] | null | undefined
}

// A host name, with a port where there is one. No user info, so nothing can pass for another host.
const HTTPS_URI =
  /^https:\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[1-9][0-9]{0,4})?(?:[/?][\x21-\x7e]*)?$/
// The slash tells a scheme from a host name whose https:// was forgotten: app.example:8443/callback.
const APP_URI = /^([a-z][a-z0-9+.-]*):\/(?!\/[^/?]*@)[\x21-\x7e]*$/

/**
 * What keeps a redirect URI from a client that the host makes; `null` = nothing. It is https, loopback,
 * or of a scheme of the application's own (RFC 8252 §7.1: with a dot in it, or one of `appSchemes`).
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
  // Browsers read 2130706433 and 127.1 as addresses: the host they open must be the one that stands here.
  return host !== undefined && new URL(uri).hostname === host
}
