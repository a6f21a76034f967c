import type { ViewerField } from '../account/viewer-field.js'
import {
  accessTokenScheme,
  errorResponses,
  headerRefs,
  headersNamed,
  IF_NONE_MATCH,
  oauthError,
  oauthErrorMembers,
  type OpenapiPart,
  responseOf,
  type Schema,
  schemaRef,
} from './parts.js'
import type { AccountApi } from '../account-api/endpoint.js'

/**
 * Describes the Account API for `openapiOf` of hallpass/admin: `POST /account/graphql` with the responses of
 * GraphQL and of OAuth, and `GET /account/schema.graphql`.
 *
 * @param endpoints - the endpoints that you serve, from {@link createAccountApi}. Only these are described.
 *   `fields`: your own, which the description lists with their scopes.
 * @see [GraphQL over HTTP](https://graphql.github.io/graphql-over-http/draft/)
 * @example
 * ```ts
 * import { describeAccountApi } from 'hallpass/account-api'
 *
 * const endpoints = { graphql: () => new Response('yours') }
 * Object.keys(describeAccountApi(endpoints).paths) // => ['/account/graphql']
 * ```
 * @group Endpoint
 */
export function describeAccountApi(
  endpoints: Readonly<Partial<Record<'graphql' | 'schema', unknown>>> &
    Partial<Pick<AccountApi, 'fields'>>,
): OpenapiPart {
  return {
    tags: [{ name: 'account', description: 'The data of the member, by GraphQL.' }],
    paths: {
      ...(endpoints.graphql !== undefined && {
        '/account/graphql': { post: execute(endpoints.fields ?? []) },
      }),
      ...(endpoints.schema !== undefined && { '/account/schema.graphql': { get: schema() } }),
    },
    components: {
      schemas: { ...schemas(), ...oauthError() },
      headers: headersNamed('X-Request-Id', 'ETag', 'Retry-After', 'WWW-Authenticate'),
      securitySchemes: accessTokenScheme(),
    },
  }
}

const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'
const RESULT = { data: { viewer: { id: 'mem_mei', email: 'mei-ling.chou@example.com' } } }
const result = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('GraphqlResult'),
  [GRAPHQL_TYPE]: schemaRef('GraphqlResult'),
})
const refusal = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('AccountRefusal'),
})
const resultOrRefusal = (): Readonly<Record<string, Schema>> => ({
  ...result(),
  [JSON_TYPE]: { anyOf: [schemaRef('GraphqlResult'), schemaRef('AccountRefusal')] },
})

/** Returns the line of a field of one's own. */
const lineOf = ({ name, description, scopes }: ViewerField): string => {
  const needs = scopes.map((scope) => `\`${scope}\``).join(', ')
  const text = [needs && `needs ${needs}`, description].filter(Boolean).join('. ')
  return `\n- \`viewer.${name}\`${text && `: ${text}`}`
}

const execute = (fields: readonly ViewerField[]): Schema => ({
  operationId: 'account.graphql',
  summary: 'Run a GraphQL operation',
  description: [
    'Run a GraphQL operation as the member. The token needs `account:read`, and `account:write` for a mutation.',
    ...(fields.length === 0 ? [] : [`\n\nFields of this school:\n${fields.map(lineOf).join('')}`]),
  ].join(''),
  tags: ['account'],
  security: [{ accessToken: [] }],
  requestBody: {
    required: true,
    content: { [JSON_TYPE]: { schema: schemaRef('GraphqlRequest') } },
  },
  responses: {
    200: responseOf('The result. It may have errors.', result(), {}, RESULT),
    ...errorResponses([400], resultOrRefusal(), [400]),
    ...errorResponses([401, 403, 406, 413, 415, 429, 500, 503], refusal(), [401, 403]),
  },
})

function schema(): Schema {
  const headers = headerRefs('ETag', 'X-Request-Id')
  return {
    operationId: 'account.schema',
    summary: 'Get the schema of the Account API',
    description: 'Get the schema of the Account API in the GraphQL schema language.',
    tags: ['account'],
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The schema.',
        headers,
        content: {
          'text/plain': {
            schema: { type: 'string', maxLength: 1_000_000 },
            example: 'type Query {\n  viewer: Viewer!\n}\n',
          },
        },
      },
      304: { description: 'Not modified: the schema still has this ETag.', headers },
      ...errorResponses([429, 500, 503], refusal()),
    },
  }
}

function schemas(): Readonly<Record<string, Schema>> {
  const any = { anyOf: [{ type: 'object' }, { type: 'null' }] }
  const errors = { type: 'array', maxItems: 1000, items: schemaRef('GraphqlError') }
  return {
    GraphqlRequest: {
      type: 'object',
      description: 'An operation, as in GraphQL over HTTP.',
      properties: {
        query: { type: 'string', maxLength: 100_000, examples: ['{ viewer { id email } }'] },
        operationName: { anyOf: [{ type: 'string', maxLength: 200 }, { type: 'null' }] },
        variables: any,
        extensions: {
          ...any,
          description: 'With `{ "cost": true }` the result has the cost of the operation.',
        },
      },
      required: ['query'],
    },
    GraphqlResult: {
      type: 'object',
      description: 'The result of an operation, or its errors.',
      properties: { data: any, errors, extensions: { type: 'object' } },
      additionalProperties: false,
    },
    GraphqlError: {
      type: 'object',
      description: 'An error of GraphQL. `extensions.code` names its kind.',
      properties: {
        message: { type: 'string', maxLength: 10_000 },
        locations: { type: 'array', maxItems: 1000, items: { type: 'object' } },
        path: { type: 'array', maxItems: 100, items: {} },
        extensions: { type: 'object' },
      },
      required: ['message'],
      additionalProperties: false,
    },
    AccountRefusal: {
      type: 'object',
      description: 'A refusal, as an error of OAuth and an error of GraphQL.',
      properties: { ...oauthErrorMembers(), errors },
      required: ['error', 'error_description', 'errors'],
      additionalProperties: false,
    },
  }
}
