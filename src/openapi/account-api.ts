import {
  accessTokenScheme,
  closed,
  errorResponses,
  headerRefs,
  headersNamed,
  IF_NONE_MATCH,
  JSON_TYPE,
  jsonBody,
  listOf,
  oauthError,
  object,
  oauthErrorMembers,
  type OpenapiPart,
  responseOf,
  type Schema,
  schemaRef,
  text,
} from './parts.js'
import { ACCOUNT_PATH, ACCOUNT_SCHEMA_PATH } from '../site/paths.js'

/**
 * Describes the Account API for {@link openapiOf}: `POST /account/graphql` with the responses of
 * GraphQL and of OAuth, and `GET /account/schema.graphql`.
 *
 * @param endpoints - the endpoints that you serve, from `createAccountApi`. Only these are described.
 *   `fields`: your own, which the description lists with their scopes.
 * @see [GraphQL over HTTP](https://graphql.github.io/graphql-over-http/draft/)
 * @example
 * ```ts
 * import { describeAccountApi } from 'hallpass/openapi'
 *
 * const endpoints = { graphql: () => new Response('yours') }
 * Object.keys(describeAccountApi(endpoints).paths) // => ['/account/graphql']
 * ```
 * @group Endpoint
 */
export function describeAccountApi(
  endpoints: Readonly<Partial<Record<'graphql' | 'schema', unknown>>> & {
    readonly fields?: readonly OwnField[]
  },
): OpenapiPart {
  return {
    tags: [{ name: 'account', description: 'The data of the member, by GraphQL.' }],
    paths: {
      ...(endpoints.graphql !== undefined && {
        [ACCOUNT_PATH]: { post: execute(endpoints.fields ?? []) },
      }),
      ...(endpoints.schema !== undefined && { [ACCOUNT_SCHEMA_PATH]: { get: schema() } }),
    },
    components: {
      schemas: { ...schemas(), ...oauthError() },
      headers: headersNamed('X-Request-Id', 'ETag', 'Retry-After', 'WWW-Authenticate'),
      securitySchemes: accessTokenScheme(),
    },
  }
}

/**
 * A field of your own, as the account API has it.
 *
 * @inline
 */
interface OwnField {
  readonly name: string
  readonly description: string | null
  readonly scopes: readonly string[]
}

const GRAPHQL_TYPE = 'application/graphql-response+json'
const RESULT = { data: { viewer: { id: 'mem_mei', email: 'mei-ling.chou@example.com' } } }
const result = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('GraphqlResult'),
  [GRAPHQL_TYPE]: schemaRef('GraphqlResult'),
})
const refusal = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('AccountRefusal'),
  [GRAPHQL_TYPE]: schemaRef('GraphqlResult'),
})
const resultOrRefusal = (): Readonly<Record<string, Schema>> => ({
  ...result(),
  [JSON_TYPE]: { anyOf: [schemaRef('GraphqlResult'), schemaRef('AccountRefusal')] },
})

/** Returns the line of a field of one's own. */
const lineOf = ({ name, description, scopes }: OwnField): string => {
  const needs = scopes.map((scope) => `\`${scope}\``).join(', ')
  const about = [needs && `needs ${needs}`, description].filter(Boolean).join('. ')
  return `\n- \`viewer.${name}\`${about && `: ${about}`}`
}

const execute = (fields: readonly OwnField[]): Schema => ({
  operationId: 'account.graphql',
  summary: 'Run a GraphQL operation',
  description: [
    'Run a GraphQL operation as the member. The token needs `account:read`, and `account:write` for a mutation.',
    ...(fields.length === 0 ? [] : [`\n\nFields of this school:\n${fields.map(lineOf).join('')}`]),
  ].join(''),
  tags: ['account'],
  security: [{ accessToken: [] }],
  requestBody: jsonBody('GraphqlRequest', { query: '{ viewer { id email } }' }),
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
            schema: text(1_000_000),
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
  const errors = listOf(schemaRef('GraphqlError'), 1000)
  return {
    GraphqlRequest: object(
      'An operation, as in GraphQL over HTTP.',
      {
        query: text(100_000),
        operationName: { anyOf: [text(200), { type: 'null' }] },
        variables: any,
        extensions: {
          ...any,
          description: 'With `{ "cost": true }` the result has the cost of the operation.',
        },
      },
      ['query'],
    ),
    GraphqlResult: closed(
      'The result of an operation, or its errors.',
      { data: any, errors, extensions: { type: 'object' } },
      [],
    ),
    GraphqlError: closed(
      'An error of GraphQL. `extensions.code` names its kind.',
      {
        message: text(10_000),
        locations: listOf({ type: 'object' }, 1000),
        path: listOf({}),
        extensions: { type: 'object' },
      },
      ['message'],
    ),
    AccountRefusal: closed('A refusal, as an error of OAuth and an error of GraphQL.', {
      ...oauthErrorMembers(),
      errors,
    }),
  }
}
