import type { HeaderList } from '../http/exchange.js'
import { readableBy, type CorsPolicy } from '../http/frame.js'
import { PERSONAL } from '../http/respond.js'
import type { RateState } from './configuration.js'
import type { StoredAnswer } from './idempotency.js'
import { type Problem, problemBody, PROBLEMS } from './problem.js'

/** An answer of the API. Any of them can be kept. */
export type Answer = StoredAnswer

/** Media type of RFC 9457 §3. */
const PROBLEM: HeaderList = [...PERSONAL, 'content-type', 'application/problem+json; charset=utf-8']
const JSON_OBJECT: HeaderList = [...PERSONAL, 'content-type', 'application/json; charset=utf-8']

const READABLE = readableBy(
  'WWW-Authenticate, Retry-After, ETag, Link, RateLimit, RateLimit-Policy, X-Request-Id',
)

/** What pages of any origin may send to the API, and read. */
export const ADMIN_CORS: CorsPolicy = {
  headersFor: () => READABLE,
  allowHeaders: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
}

/**
 * A problem as an answer.
 *
 * @param options - `members`: beside those of the problem
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

/** A JSON answer that nobody caches. */
export const jsonAnswer = (status: number, body: unknown, headers: HeaderList = []): Answer => ({
  status,
  headers: [...JSON_OBJECT, ...headers],
  body: JSON.stringify(body),
})

/** An answer without a body. */
export const emptyAnswer = (status: number, headers: HeaderList = []): Answer => ({
  status,
  headers: [...PERSONAL, ...headers],
  body: null,
})

/** Says how much of a limit is left (draft-ietf-httpapi-ratelimit-headers). */
export function withRate(answer: Answer, rate: RateState | null): Answer {
  if (rate === null) return answer
  const { limit, remaining, resetSeconds, windowSeconds } = rate
  const headers = [
    'ratelimit', `"grant";r=${Math.max(0, Math.floor(remaining))};t=${whole(resetSeconds)}`,
    'ratelimit-policy', `"grant";q=${whole(limit)};w=${whole(windowSeconds)}`,
  ] // prettier-ignore
  return { ...answer, headers: [...answer.headers, ...headers] }
}

/** A figure as a header has it: a part of a second is one to wait. */
export const whole = (figure: number): string => String(Math.max(0, Math.ceil(figure)))
