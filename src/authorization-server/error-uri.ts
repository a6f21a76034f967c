import type { ErrorUris } from '../http/respond.js'
import { OAUTH_ERRORS, type OAuthErrorCode } from '../policy/refusals.js'

const CODES = Object.keys(OAUTH_ERRORS) as readonly OAuthErrorCode[]

// The characters of a URI by RFC 3986. RFC 6749, section 5.2, would allow more of ASCII.
const WEB_PAGE = /^https?:\/\/(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/

/**
 * Calls `errorUri` once for every error code, so that only URIs that were checked are sent. No code of the
 * host application then runs while an error response is built. An exception of `errorUri` is not caught.
 *
 * @returns `errorUris`: the URI for each code, `null` if none are sent; `faults`: the mistakes in the
 *   option, for one message that lists them all
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
 */
export function readErrorUris(errorUri: ((error: OAuthErrorCode) => string) | undefined): {
  readonly errorUris: ErrorUris | null
  readonly faults: readonly string[]
} {
  if (errorUri === undefined) return { errorUris: null, faults: [] }
  const errorUris = tableOf(errorUri)
  const unfit = CODES.filter((error) => !isWebPage(errorUris[error]))
  return {
    errorUris,
    faults:
      unfit.length === 0
        ? []
        : [`errorUri does not return an absolute http(s) URI in ASCII for ${unfit.join(', ')}`],
  }
}

const tableOf = (errorUri: (error: OAuthErrorCode) => string): ErrorUris =>
  Object.fromEntries(CODES.map((error) => [error, errorUri(error)])) as ErrorUris

const isWebPage = (uri: unknown): boolean =>
  typeof uri === 'string' && WEB_PAGE.test(uri) && URL.canParse(uri)
