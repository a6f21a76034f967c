import type { RateState } from './configuration.js'
import type { StoredAnswer } from './idempotency.js'
import { type Problem, problemBody, PROBLEMS } from './problem.js'

/** An answer of the API. Any of them can be kept. */
export type Answer = StoredAnswer

type Headers = Answer['headers']

/** Media type of RFC 9457 §3. */
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const EXPOSED =
  'WWW-Authenticate, Retry-After, ETag, Link, RateLimit, RateLimit-Policy, X-Request-Id'

/**
 * A problem as an answer.
 *
 * @param options - `members`: beside those of the problem
 */
export function problemAnswer(
  problem: Problem,
  {
    requestId,
    headers = {},
    members = {},
  }: { requestId: string; headers?: Headers; members?: Readonly<Record<string, string>> },
): Answer {
  const { status } = PROBLEMS[problem.code]
  const body = { ...problemBody(problem, requestId), ...members }
  return answerOf({
    status,
    body,
    requestId,
    headers: { ...headers, 'content-type': PROBLEM_TYPE },
  })
}

/** A JSON answer that nobody caches. */
export function jsonAnswer(answer: {
  status: number
  body: unknown
  requestId: string
  headers?: Headers
}): Answer {
  return answerOf({ ...answer, headers: { ...answer.headers, 'content-type': JSON_TYPE } })
}

/** An answer without a body. */
export function emptyAnswer(status: number, requestId: string, headers: Headers = {}): Answer {
  return { status, headers: { ...commonHeaders(requestId), ...headers }, body: null }
}

function answerOf({
  status,
  body,
  requestId,
  headers,
}: {
  status: number
  body: unknown
  requestId: string
  headers: Headers
}): Answer {
  return {
    status,
    headers: { ...commonHeaders(requestId), ...headers },
    body: JSON.stringify(body),
  }
}

const commonHeaders = (requestId: string): Headers => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'cache-control': 'no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

/** The answer to a browser that asks first. */
export const preflight = (allow: string): Answer => ({
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
    'access-control-max-age': '86400',
    allow,
  },
  body: null,
})

/** Says how much of a limit is left (draft-ietf-httpapi-ratelimit-headers). */
export function withRate(answer: Answer, rate: RateState | null): Answer {
  if (rate === null) return answer
  const { limit, remaining, resetSeconds, windowSeconds } = rate
  const headers = {
    ratelimit: `"grant";r=${Math.max(0, Math.floor(remaining))};t=${whole(resetSeconds)}`,
    'ratelimit-policy': `"grant";q=${whole(limit)};w=${whole(windowSeconds)}`,
  }
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** A figure as a header has it: a part of a second is one to wait. */
export const whole = (figure: number): string => String(Math.max(0, Math.ceil(figure)))
