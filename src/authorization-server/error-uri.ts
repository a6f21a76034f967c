import type { ErrorUris } from '../http/respond.js'
import { OAUTH_ERRORS, type OAuthErrorCode } from '../policy/refusals.js'

const CODES = Object.keys(OAUTH_ERRORS) as readonly OAuthErrorCode[]

// What RFC 3986 lets a URI hold. RFC 6749 §5.2 would let more of ASCII pass.
const WEB_PAGE = /^https?:\/\/(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/

/**
 * Asks for the page of every error once, so that what is sent later is what was checked now.
 *
 * @returns `errorUris`: `null` = none is sent; `faults`: what is wrong with the option, for a message
 *   that names every fault at once
 * @see RFC 6749 §4.1.2.1, §5.2
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
