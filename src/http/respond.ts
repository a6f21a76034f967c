import type { Refusal } from '../policy/decision.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import type { HeaderList, Outgoing } from './exchange.js'
import type { ErrorFormat, Failure } from './frame.js'

/** Headers of a response that contains or depends on a secret (RFC 6749 §5.1). */
const NO_STORE: HeaderList = ['cache-control', 'no-store', 'pragma', 'no-cache']

/** Headers of a response that depends on the caller, so that no cache returns it to another. */
export const PERSONAL: HeaderList = [
  'cache-control',
  'no-store',
  'vary',
  'Authorization',
  'x-content-type-options',
  'nosniff',
]

const JSON_HEADERS: HeaderList = [
  ...NO_STORE,
  'content-type',
  'application/json; charset=utf-8',
  'x-content-type-options',
  'nosniff',
]

/** Builds a JSON response that is not cached. */
export function json(status: number, body: unknown, headers?: HeaderList): Outgoing {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : JSON_HEADERS.concat(headers),
    body: JSON.stringify(body),
  }
}

/** One text for each error whose details would help an attacker who guesses. */
const GENERIC: Readonly<Partial<Record<Refusal['error'], string>>> = {
  invalid_grant:
    'the grant is invalid, expired, revoked or was issued for another request: sign in again',
  invalid_token:
    'the access token is missing, malformed, expired, revoked or was issued for another resource',
}

/** Returns the `error_description` of a refusal. The client never receives the reason. */
export function describe(refusal: Refusal): string {
  return (
    GENERIC[refusal.error] ??
    refusal.description ??
    (refusal.error === 'invalid_client'
      ? 'the client is unknown or its authentication failed'
      : refusal.error.replaceAll('_', ' '))
  )
}

/** The URI of the page about each error, sent as `error_uri`. */
export type ErrorUris = Readonly<Record<OAuthErrorCode, string>>

/**
 * Builds the body of an OAuth error response.
 *
 * @param uris - the pages about errors; `null` if there are none
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
 */
export function errorBody(
  error: OAuthErrorCode,
  description: string,
  uris: ErrorUris | null = null,
): Readonly<Record<string, unknown>> {
  const body = { error, error_description: description }
  return uris === null ? body : { ...body, error_uri: uris[error] }
}

/** Builds the body of a failure as an OAuth error. */
export const failureBody = (
  { status, description }: Failure,
  uris: ErrorUris | null = null,
): Readonly<Record<string, unknown>> => errorBody(codeOf(status), description, uris)

/** The error responses of an endpoint that never refuses, such as a document. */
export const ONLY_FAILURES: ErrorFormat<never> = {
  refusal: (refusal) => refusal,
  failure: (failure) => json(failure.status, failureBody(failure)),
}

function codeOf(status: Failure['status']): OAuthErrorCode {
  if (status === 500) return 'server_error'
  return status === 503 ? 'temporarily_unavailable' : 'invalid_request'
}
