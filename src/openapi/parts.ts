import { PATHS } from '../site/paths.js'
import { OAUTH_ERRORS } from '../policy/refusals.js'

/** A JSON schema, or another object of an OpenAPI description. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * Some endpoints as a part of an OpenAPI description. Created by {@link describeAuthorizationServer},
 * {@link describeAccountApi} and {@link describeMcpEndpoint}, or written by you for endpoints of your own.
 *
 * @see [OpenAPI 3.1.1, Paths Object](https://spec.openapis.org/oas/v3.1.1.html#paths-object)
 * @group Documents for clients
 */
export interface OpenapiPart {
  /** The tags of the operations, each with a description. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The Path Item Objects by path, such as `/api/oauth/token`, on the origin of the site. */
  readonly paths: Readonly<Record<string, object>>
  /** The components by kind and name: `{ schemas: { TokenResponse: { type: 'object' } } }`. */
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** The beginning of a reference to a schema of the description. */
export const SCHEMAS = '#/components/schemas/'

/** Returns a reference to a schema of the description. */
export const schemaRef = (name: string): Schema => ({ $ref: SCHEMAS + name })

/** Returns the schema of a text. */
export const text = (maxLength: number, more: Schema = {}): Schema => ({
  type: 'string',
  maxLength,
  ...more,
})

/** Returns the schema of a list. */
export const listOf = (items: Schema, maxItems: number = 100): Schema => ({
  type: 'array',
  items,
  maxItems,
})

/** Returns the schema of an object. Default of `required`: every member. */
export const object = (
  description: string,
  properties: Schema,
  required: readonly string[] = Object.keys(properties),
): Schema => ({ type: 'object', description, properties, required })

/** Returns the schema of an object with these members and no others. */
export const closed = (...members: Parameters<typeof object>): Schema => ({
  ...object(...members),
  additionalProperties: false,
})

export const JSON_TYPE = 'application/json'

type HeaderName =
  | 'X-Request-Id'
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Retry-After'
  | 'WWW-Authenticate'

/** Returns references to headers of the description. */
export const headerRefs = (...names: readonly HeaderName[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const textHeader = (description: string, example: string): Schema => ({
  description,
  schema: text(8192),
  example,
})

const RESOURCE = `https://school.example${PATHS.protectedResourceMetadata}`

/** Returns the definitions of these response headers. */
export function headersNamed(...names: readonly HeaderName[]): Readonly<Record<string, Schema>> {
  const all: Readonly<Record<HeaderName, Schema>> = {
    'X-Request-Id': textHeader(
      'Identifies the request. The school logs it too.',
      'req_2hT0Zk3cXw1VbQ9s',
    ),
    ETag: textHeader(
      'Version of the object, for If-Match and If-None-Match.',
      '"x7Kq2dLr0aVvYb1nTz8cWe"',
    ),
    Link: textHeader(
      'The URL of the next page, with rel="next".',
      '<https://school.example/api/v1/courses?cursor=WzFd>; rel="next"',
    ),
    Location: textHeader(
      'Where the browser continues.',
      'http://127.0.0.1:3000/callback?code=…&state=…&iss=https%3A%2F%2Fschool.example',
    ),
    RateLimit: textHeader(
      'Number of requests left in the window, and seconds until it ends.',
      '"grant";r=99;t=60',
    ),
    'RateLimit-Policy': textHeader(
      'Number of requests allowed in a window, and its length in seconds.',
      '"grant";q=100;w=60',
    ),
    'Retry-After': textHeader('Seconds to wait before the next request.', '30'),
    'WWW-Authenticate': textHeader(
      'How to get a token, or which scopes are missing.',
      `Bearer resource_metadata="${RESOURCE}"`,
    ),
  }
  return Object.fromEntries(names.map((name) => [name, all[name]]))
}

/** The parameter with which a client asks whether its copy is still the current version. */
export const IF_NONE_MATCH: Schema = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the known version. If the object still has it, the response is 304.',
  schema: text(1024),
}

/**
 * Describes a response with a request identifier.
 *
 * @param bodies - the schema of each media type
 * @param example - a body, of each media type; default: none
 */
export const responseOf = (
  description: string,
  bodies: Readonly<Record<string, Schema>> = {},
  headers: Schema = {},
  example?: unknown,
): Schema => ({
  description,
  headers: { ...headerRefs('X-Request-Id'), ...headers },
  ...(Object.keys(bodies).length > 0 && {
    content: Object.fromEntries(
      Object.entries(bodies).map(([mediaType, schema]) => [
        mediaType,
        { schema, ...(example !== undefined && { example }) },
      ]),
    ),
  }),
})

/** Returns a required body of JSON, with what a client sends. */
export const jsonBody = (schema: string, example: Schema): Schema => ({
  required: true,
  content: { [JSON_TYPE]: { schema: schemaRef(schema), example } },
})

/** The meaning of each status, which is the same at every endpoint. */
const MEANINGS = {
  400: 'The request is malformed or refused.',
  401: 'The authentication is missing or has failed.',
  403: 'The request is not allowed.',
  404: 'There is nothing of this name.',
  406: 'No media type of `Accept` is supported.',
  413: 'The body is too large.',
  414: 'The path and the query are too long.',
  415: 'The media type of the body is not supported.',
  429: 'Too many requests: try again after the time in `Retry-After`.',
  500: 'An unexpected error occurred.',
  503: 'The service is temporarily unavailable: try again after the time in `Retry-After`.',
} as const

/** The status of a response that reports an error. */
export type ErrorStatus = keyof typeof MEANINGS

/**
 * Describes the responses with these statuses, which all have the same bodies. Those that ask the client to
 * wait have `Retry-After`.
 *
 * @param challenged - the statuses whose responses have `WWW-Authenticate`
 */
export const errorResponses = (
  statuses: readonly ErrorStatus[],
  bodies: Readonly<Record<string, Schema>>,
  challenged: readonly ErrorStatus[] = [],
): Schema =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      responseOf(MEANINGS[status], bodies, {
        ...(challenged.includes(status) && headerRefs('WWW-Authenticate')),
        ...((status === 429 || status === 503) && headerRefs('Retry-After')),
      }),
    ]),
  )

/** The members of the schema of an OAuth error, without its pages about errors. */
export const oauthErrorMembers = (): Schema => ({
  error: { type: 'string', enum: Object.keys(OAUTH_ERRORS) },
  error_description: text(1000),
})

/** Returns the schema of an OAuth error, in a component of the name `OAuthError`. */
export const oauthError = (): Readonly<Record<string, Schema>> => ({
  OAuthError: closed(
    'An error of OAuth (RFC 6749, section 5.2).',
    {
      ...oauthErrorMembers(),
      error_uri: { ...URI_SCHEMA, description: 'The page about this error.' },
    },
    ['error', 'error_description'],
  ),
})

/** The schema of an absolute URI. */
export const URI_SCHEMA: Schema = { type: 'string', format: 'uri', maxLength: 2048 }

/** Returns the scheme of an access token in the `Authorization` header. */
export const accessTokenScheme = (): Readonly<Record<string, Schema>> => ({
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token from the token endpoint.',
  },
})
