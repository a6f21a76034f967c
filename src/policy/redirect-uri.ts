import { type Decision, refuse } from './decision.js'
import { LOOPBACK_HOSTS, parseLoopbackUri, URI_CHARACTERS } from './loopback-redirect.js'

declare const trusted: unique symbol

/**
 * A redirect URI that is registered for the client. Only {@link decideRedirectUri} creates one, and
 * only such a URI may receive an authorization response.
 *
 * @group PKCE and redirect URIs
 */
export type TrustedRedirect = string & { readonly [trusted]: true }

const RESPONSE_PARAMETERS = new Set([
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
  'response',
])
const MAX_LENGTH = 2048

/**
 * Whether a string can be used as a redirect URI at all. It must have at most 2048 characters, only
 * those of RFC 3986, no fragment and no dot segments. Its query must not contain a parameter of the
 * authorization response, such as `code` or `state`.
 *
 * @param uri - the URI as received
 * @returns `true` if it can be registered. This does not make it trusted: see
 *   {@link decideRedirectUri}.
 * @see [RFC 6749, section 3.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.1.2)
 *
 * @example
 * ```ts
 * import { isRedirectUriText } from 'hallpass/policy'
 *
 * isRedirectUriText('https://notes.example/callback?tenant=7') // => true
 * isRedirectUriText('https://notes.example/callback#done') // => false
 * isRedirectUriText('https://notes.example/callback?code=1') // => false
 * ```
 *
 * @group PKCE and redirect URIs
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
 * Decides whether a redirect URI may receive the authorization response. It must be equal to a
 * registered one, character by character. Only the port of a loopback URI may differ, because a
 * native app listens on whichever port is free. `localhost` and `127.0.0.1` are different hosts.
 *
 * @param request - `redirectUri`: as received, `null` if absent; `registered`: the redirect URIs of
 *   the client; `loopbackHosts`: host names that mean "this computer". Default:
 *   {@link LOOPBACK_HOSTS}
 * @returns the URI as received, now a {@link TrustedRedirect}. A refusal has the error
 *   `invalid_request` and must be shown on a page, not redirected.
 * @see [OAuth 2.1, section 2.3.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-2.3.1)
 * @see [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)
 *
 * @example
 * ```ts
 * import { decideRedirectUri } from 'hallpass/policy'
 *
 * const registered = ['http://127.0.0.1/callback', 'https://notes.example/callback']
 * decideRedirectUri({ redirectUri: 'http://127.0.0.1:52100/callback', registered }).ok // => true
 *
 * const other = decideRedirectUri({ redirectUri: 'https://notes.example/callback/', registered })
 * other.ok ? null : other.reason // => 'redirect_uri_not_registered'
 * ```
 *
 * @group PKCE and redirect URIs
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
 * Returns a trusted redirect URI with the parameters of the response added to its query. An
 * existing query is kept unchanged.
 *
 * @param redirectUri - from {@link decideRedirectUri}
 * @param parameters - name to value. A parameter whose value is `null` is left out.
 * @returns the value of the `Location` header
 * @see [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)
 * @see [RFC 9207, section 2](https://www.rfc-editor.org/rfc/rfc9207#section-2)
 *
 * @example
 * ```ts
 * import { buildRedirect, decideRedirectUri } from 'hallpass/policy'
 *
 * const redirectUri = 'https://notes.example/callback?tenant=7'
 * const decided = decideRedirectUri({ redirectUri, registered: [redirectUri] })
 * if (!decided.ok) throw new Error(decided.reason)
 * const location = buildRedirect(decided.redirectUri, { code: 'SplxlOBe', state: null })
 * location // => 'https://notes.example/callback?tenant=7&code=SplxlOBe'
 * ```
 *
 * @group PKCE and redirect URIs
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
