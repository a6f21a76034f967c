import { closed, headerRefs, listOf, type Schema, schemaRef, text } from './parts.js'
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
  schema: text(255, { minLength: 1, pattern: '^[!-~]+$' }),
}
export const ifMatch = (required: boolean): Schema => ({
  name: 'If-Match',
  in: 'header',
  required,
  description:
    'The ETag of the version that was read. If the object has changed, the response is 412.',
  schema: text(1024),
})

/** Returns the schema of a problem. */
export const problemSchema = (): Schema =>
  closed(
    'A problem (RFC 9457).',
    {
      type: text(100, { pattern: '^/problems/[a-z-]+$' }),
      title: text(200),
      status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
      detail: text(1000),
      code: { type: 'string', enum: Object.keys(PROBLEMS) },
      errors: listOf(schemaRef('FieldFault'), MAX_ERRORS),
      request_id: text(100),
      error: text(100, {
        description: 'The error code of RFC 6750, for a problem with the access token.',
      }),
      error_description: text(1000),
    },
    ['type', 'title', 'status', 'code', 'request_id'],
  )

/** Returns the schema of an invalid member of the input. */
export const fieldFaultSchema = (): Schema =>
  closed('An invalid member of the input.', {
    pointer: text(200, { description: 'JSON pointer (RFC 6901) to the member.' }),
    code: text(100),
    message: text(1000),
  })

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
    content: { 'application/problem+json': { schema: schemaRef('Problem') } },
  }
}
