import type { Refusal } from '../policy/decision.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import type { HeaderList, Outgoing } from './exchange.js'
import type { Failure } from './frame.js'

/** For answers that hold or depend on a secret (RFC 6749 §5.1). */
export const NO_STORE: HeaderList = ['cache-control', 'no-store', 'pragma', 'no-cache']

/** For answers that depend on the caller, so that nobody keeps them for another. */
export const PERSONAL: HeaderList = [
  'cache-control', 'no-store',
  'vary', 'Authorization',
  'x-content-type-options', 'nosniff',
] // prettier-ignore

const JSON_HEADERS: HeaderList = [
  ...NO_STORE,
  'content-type',
  'application/json; charset=utf-8',
  'x-content-type-options',
  'nosniff',
]

/** A JSON answer that is not cached. */
export function json(status: number, body: unknown, headers?: HeaderList): Outgoing {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...headers],
    body: JSON.stringify(body),
  }
}

/** One text for each error that must not say more, lest it help somebody who guesses. */
const GENERIC: Readonly<Partial<Record<Refusal['error'], string>>> = {
  invalid_grant:
    'the grant is invalid, expired, revoked or was issued for another request: sign in again',
  invalid_client: 'the client is unknown or its authentication failed',
  invalid_token:
    'the access token is missing, malformed, expired, revoked or was issued for another resource',
}

/** What a client reads of a refusal. The reason stays inside. */
export function describe(refusal: Refusal): string {
  return GENERIC[refusal.error] ?? refusal.description ?? refusal.error.replaceAll('_', ' ')
}

/** The page about each error that a client may read. */
export type ErrorUris = Readonly<Record<OAuthErrorCode, string>>

/**
 * The body of an error.
 *
 * @param uris - `null` = no pages
 * @see RFC 6749 §5.2
 */
export function errorBody(
  error: OAuthErrorCode,
  description: string,
  uris: ErrorUris | null = null,
): Readonly<Record<string, unknown>> {
  const body = { error, error_description: description }
  return uris === null ? body : { ...body, error_uri: uris[error] }
}

/** The body of a failure, where errors are OAuth's. */
export const failureBody = (
  { status, description }: Failure,
  uris: ErrorUris | null = null,
): Readonly<Record<string, unknown>> => errorBody(codeOf(status), description, uris)

function codeOf(status: Failure['status']): OAuthErrorCode {
  if (status === 500) return 'server_error'
  return status === 503 ? 'temporarily_unavailable' : 'invalid_request'
}
