import { MAX_ERRORS, type ProblemCode, PROBLEMS } from './problem.js'
import type { Schema } from './openapi-schema.js'

type HeaderName =
  | 'X-Request-Id'
  | 'ETag'
  | 'Link'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Retry-After'
  | 'WWW-Authenticate'

/** A reference to a header of the document. */
export const header = (name: HeaderName): Schema => ({
  $ref: `#/components/headers/${name}`,
})

const text = (description: string, example: string): Schema => ({
  description,
  schema: { type: 'string', maxLength: 8192 },
  example,
})

const RESOURCE = 'https://school.example/.well-known/oauth-protected-resource'

/** The headers of answers. */
export const headers = (): Readonly<Record<HeaderName, Schema>> => ({
  'X-Request-Id': text('Stands in the log of the school too.', 'req_2hT0Zk3cXw1VbQ9s'),
  ETag: text('Version of the object, for If-Match and If-None-Match.', '"x7Kq2dLr0aVvYb1nTz8cWe"'),
  Link: text(
    'The next page, with rel="next".',
    '<https://school.example/api/v1/courses?cursor=WzFd>; rel="next"',
  ),
  RateLimit: text('Requests left, and seconds until the window ends.', '"grant";r=99;t=60'),
  'RateLimit-Policy': text('Requests in a window of seconds.', '"grant";q=100;w=60'),
  'Retry-After': text('Seconds to wait.', '30'),
  'WWW-Authenticate': text(
    'How to get a token, or which scopes are missing.',
    `Bearer resource_metadata="${RESOURCE}"`,
  ),
})

/** The headers that every answer of an operation has. */
export const withCommon = (more: Schema = {}): Schema => ({
  'X-Request-Id': header('X-Request-Id'),
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimit-Policy'),
  ...more,
})

export const DRY_RUN: Schema = {
  name: 'dry_run',
  in: 'query',
  required: false,
  description: 'Answer what would be, and keep nothing.',
  schema: { type: 'boolean', default: false },
}
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A random value: sent again within 24 hours it gets the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}
export const IF_NONE_MATCH: Schema = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what is known already: where it is still the same, the answer is 304.',
  schema: { type: 'string', maxLength: 1024 },
}
export const ifMatch = (required: boolean): Schema => ({
  name: 'If-Match',
  in: 'header',
  required,
  description: 'The ETag of what was read.',
  schema: { type: 'string', maxLength: 1024 },
})

/** The shape of every problem. */
export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
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
    error: { type: 'string', maxLength: 100, description: 'Of a token: as RFC 6750 has it.' },
    error_description: { type: 'string', maxLength: 1000 },
  },
  required: ['type', 'title', 'status', 'code', 'request_id'],
  additionalProperties: false,
}

/** The shape of one fault of an input. */
export const FIELD_FAULT_SCHEMA: Schema = {
  type: 'object',
  description: 'One member at fault.',
  properties: {
    pointer: { type: 'string', maxLength: 200, description: 'JSON pointer (RFC 6901).' },
    code: { type: 'string', maxLength: 100 },
    message: { type: 'string', maxLength: 1000 },
  },
  required: ['pointer', 'code', 'message'],
  additionalProperties: false,
}

/** One response for each of these statuses. */
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
      ...(challenge && { 'WWW-Authenticate': header('WWW-Authenticate') }),
      ...(wait && { 'Retry-After': header('Retry-After') }),
    }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}
