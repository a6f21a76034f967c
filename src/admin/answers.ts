import type { HeaderList } from '../http/exchange.js'
import { readableBy, type CorsPolicy } from '../http/frame.js'
import { PERSONAL } from '../http/respond.js'
import type { RateState } from './configuration.js'
import type { StoredResponse } from './idempotency.js'
import { type Problem, problemBody, PROBLEMS } from './problem.js'

/** A response of the API. Every response can be stored for an idempotency key. */
export type Answer = StoredResponse

/** The headers of a problem, with the media type of RFC 9457, section 3. */
const PROBLEM: HeaderList = [...PERSONAL, 'content-type', 'application/problem+json; charset=utf-8']
const JSON_OBJECT: HeaderList = [...PERSONAL, 'content-type', 'application/json; charset=utf-8']

const READABLE = readableBy(
  'WWW-Authenticate, Retry-After, ETag, Link, RateLimit, RateLimit-Policy, X-Request-Id',
)

/** CORS: pages of any origin may call the API and read these response headers. */
export const ADMIN_CORS: CorsPolicy = { headersFor: () => READABLE }

/**
 * Returns the response for a problem.
 *
 * @param options - `members`: members to add to those of the problem
 */
export function problemAnswer(
  problem: Problem,
  {
    requestId,
    headers = [],
    members = {},
  }: { requestId: string; headers?: HeaderList; members?: Readonly<Record<string, string>> },
): Answer {
  const { status } = PROBLEMS[problem.code]
  const body = { ...problemBody(problem, requestId), ...members }
  return { status, headers: [...PROBLEM, ...headers], body: JSON.stringify(body) }
}

/** Returns a JSON response that must not be cached. */
export const jsonAnswer = (status: number, body: unknown, headers: HeaderList = []): Answer => ({
  status,
  headers: [...JSON_OBJECT, ...headers],
  body: JSON.stringify(body),
})

/** Returns a response without a body. */
export const emptyAnswer = (status: number, headers: HeaderList = []): Answer => ({
  status,
  headers: [...PERSONAL, ...headers],
  body: null,
})

/** Adds the headers that report the state of the rate limit (draft-ietf-httpapi-ratelimit-headers). */
export function withRate(answer: Answer, rate: RateState | null): Answer {
  if (rate === null) return answer
  const { limit, remaining, resetSeconds, windowSeconds } = rate
  const headers = [
    'ratelimit',
    `"grant";r=${Math.max(0, Math.floor(remaining))};t=${whole(resetSeconds)}`,
    'ratelimit-policy',
    `"grant";q=${whole(limit)};w=${whole(windowSeconds)}`,
  ]
  return { ...answer, headers: [...answer.headers, ...headers] }
}

/** Formats a number for a header as an integer, rounded up so that no client retries too early. */
export const whole = (figure: number): string => String(Math.max(0, Math.ceil(figure)))
