import {
  accessTokenScheme,
  closed,
  errorResponses,
  headersNamed,
  JSON_TYPE,
  jsonBody,
  oauthError,
  object,
  type OpenapiPart,
  responseOf,
  type Schema,
  schemaRef,
  text,
} from './parts.js'
import type { McpEndpointOptions } from '../mcp/configuration.js'
import { ASKING_PATHS, MCP_PATH } from '../site/paths.js'

/**
 * Describes the `/mcp` endpoint for {@link openapiOf}: one JSON-RPC message by POST. The tools
 * are not in it, because each caller has others: `tools/list` returns them.
 *
 * @param options - `anonymous`, as in the options of `createMcpEndpoint`. Default: `'serve'`.
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), transports
 * @example
 * ```ts
 * import { describeMcpEndpoint } from 'hallpass/openapi'
 *
 * const { paths } = describeMcpEndpoint({ anonymous: 'challenge' })
 * Object.keys(paths) // => ['/mcp', '/mcp/signed-in', '/mcp/member']
 * ```
 * @group Endpoint
 */
export function describeMcpEndpoint({
  anonymous = 'serve',
}: Pick<McpEndpointOptions, 'anonymous'> = {}): OpenapiPart {
  return {
    tags: [{ name: 'mcp', description: 'Tools for agents.' }],
    paths: {
      [MCP_PATH]: { post: send('', anonymous) },
      ...Object.fromEntries(
        ASKING_PATHS.map((path) => [
          path,
          { post: send(path.slice(MCP_PATH.length), 'challenge') },
        ]),
      ),
    },
    components: {
      schemas: { ...schemas(), ...oauthError() },
      headers: headersNamed('X-Request-Id', 'Retry-After', 'WWW-Authenticate'),
      securitySchemes: accessTokenScheme(),
    },
  }
}

const response = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('McpResponse'),
})
const challenge = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: schemaRef('OAuthError'),
})
const responseOrChallenge = (): Readonly<Record<string, Schema>> => ({
  [JSON_TYPE]: { anyOf: [schemaRef('McpResponse'), schemaRef('OAuthError')] },
})

const RESULT = { jsonrpc: '2.0', id: 1, result: { tools: [] } }

const send = (suffix: string, anonymous: 'serve' | 'challenge'): Schema => ({
  operationId: `mcp.send${suffix.replace(/\W/g, '_')}`,
  summary: 'Send a message of MCP',
  description:
    anonymous === 'serve'
      ? 'Send a message of MCP. Without a token, the public tools can be used.'
      : 'Send a message of MCP.',
  tags: ['mcp'],
  security: [...(anonymous === 'serve' ? [{}] : []), { accessToken: [] }],
  parameters: [
    {
      name: 'toolset',
      in: 'query',
      required: false,
      description: 'The name of a subset of the tools, or `all`.',
      schema: text(40),
    },
    {
      name: 'MCP-Protocol-Version',
      in: 'header',
      required: false,
      description: 'The revision of MCP that was negotiated.',
      schema: text(40, { examples: ['2025-11-25'] }),
    },
  ],
  requestBody: jsonBody('McpMessage', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  responses: {
    200: {
      ...responseOf('The response to a request.'),
      content: {
        [JSON_TYPE]: { schema: schemaRef('McpResponse'), example: RESULT },
        'text/event-stream': {
          schema: text(10_000_000),
          example: `event: message\ndata: ${JSON.stringify(RESULT)}\n\n`,
        },
      },
    },
    202: responseOf('A notification was accepted.'),
    ...errorResponses([400, 403], responseOrChallenge(), [400, 403]),
    ...errorResponses([401], challenge(), [401]),
    ...errorResponses([404, 413, 415, 429, 500, 503], response()),
  },
})

function schemas(): Readonly<Record<string, Schema>> {
  const version = { type: 'string', enum: ['2.0'] }
  const id = {
    anyOf: [
      text(1000),
      {
        type: 'integer',
        format: 'int64',
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
    ],
  }
  return {
    McpMessage: object(
      'A request or, without `id`, a notification (JSON-RPC 2.0, section 4).',
      {
        jsonrpc: version,
        id,
        method: text(200),
        params: { type: 'object' },
      },
      ['jsonrpc', 'method'],
    ),
    McpResponse: closed(
      'A result or an error (JSON-RPC 2.0, section 5).',
      {
        jsonrpc: version,
        id: { anyOf: [...id.anyOf, { type: 'null' }] },
        result: { type: 'object' },
        error: {
          type: 'object',
          properties: {
            code: { type: 'integer', format: 'int32', minimum: -32_768, maximum: 32_767 },
            message: text(10_000),
            data: {},
          },
          required: ['code', 'message'],
          additionalProperties: false,
        },
      },
      ['jsonrpc', 'id'],
    ),
  }
}
