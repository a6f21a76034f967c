import { headerRefs, type Schema } from './parts.js'
import { MAX_ERRORS, type ProblemCode, PROBLEMS } from '../admin/problem.js'

/** Adds the headers that every response of an operation has. */
export const withCommon = (more: Schema = {}): Schema => ({
  ...headerRefs('X-Request-Id', 'RateLimit', 'RateLimit-Policy'),
  ...more,
})

export const DRY_RUN: Schema = {
  name: 'dry_run',
  in: 'query',
  required: false,
  description: 'Return the result that the request would have, without storing it.',
  schema: { type: 'boolean', default: false },
}
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A random value. The same request with the same value receives the first response for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}
export const ifMatch = (required: boolean): Schema => ({
  name: 'If-Match',
  in: 'header',
  required,
  description:
    'The ETag of the version that was read. If the object has changed, the response is 412.',
  schema: { type: 'string', maxLength: 1024 },
})

/** The schema of a problem. */
export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  description: 'A problem (RFC 9457).',
  properties: {
    type: { type: 'string', pattern: '^/problems/[a-z-]+$', maxLength: 100 },
    title: { type: 'string', maxLength: 200 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    detail: { type: 'string', maxLength: 1000 },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    errors: {
      type: 'array',
      maxItems: MAX_ERRORS,
      items: { $ref: '#/components/schemas/FieldFault' },
    },
    request_id: { type: 'string', maxLength: 100 },
    error: {
      type: 'string',
      maxLength: 100,
      description: 'The error code of RFC 6750, for a problem with the access token.',
    },
    error_description: { type: 'string', maxLength: 1000 },
  },
  required: ['type', 'title', 'status', 'code', 'request_id'],
  additionalProperties: false,
}

/** The schema of an invalid member of the input. */
export const FIELD_FAULT_SCHEMA: Schema = {
  type: 'object',
  description: 'An invalid member of the input.',
  properties: {
    pointer: {
      type: 'string',
      maxLength: 200,
      description: 'JSON pointer (RFC 6901) to the member.',
    },
    code: { type: 'string', maxLength: 100 },
    message: { type: 'string', maxLength: 1000 },
  },
  required: ['pointer', 'code', 'message'],
  additionalProperties: false,
}

/** Returns the response for each of these statuses. */
export function problemResponses(statuses: ReadonlySet<number>): Readonly<Record<string, Schema>> {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  return Object.fromEntries(
    [...statuses].map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status)
      return [status, problemResponse(status, own)]
    }),
  )
}

function problemResponse(status: number, codes: readonly ProblemCode[]): Schema {
  const challenge = status === 401 || status === 403
  const wait = status === 429 || status === 503 || status === 409
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: withCommon({
      ...(challenge && headerRefs('WWW-Authenticate')),
      ...(wait && headerRefs('Retry-After')),
    }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}
