import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { McpAdapter, McpExchange } from '../mcp/adapter.js'
import { serveOnce } from '../mcp/exchange.js'

/**
 * Adapts `@modelcontextprotocol/sdk` 1.x, which implements protocol versions up to 2025-11-25. Each
 * exchange has a server and a transport of its own, so that no response can reach another caller.
 *
 * Pass it to `createMcpEndpoint`.
 *
 * @param info - the description of the server that clients receive
 * @returns a function that responds to one exchange
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25)
 * @example
 * ```ts
 * import { createMcpEndpoint } from 'hallpass/mcp'
 * import { sdkAdapter } from 'hallpass/mcp-sdk-v1'
 * import { testSite } from 'hallpass/testing'
 *
 * const { endpoint } = createMcpEndpoint(testSite().site, { tools: [], adapter: sdkAdapter })
 * const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
 * const response = await endpoint(
 *   new Request('https://school.example/mcp', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body,
 *   }),
 * )
 * await response.json() // => { jsonrpc: '2.0', id: 1, result: {} }
 * ```
 * @group Adapters
 */
export const sdkAdapter: McpAdapter = (info) => {
  // A server without one creates its own, which takes almost half of the time of an exchange.
  const jsonSchemaValidator = new AjvJsonSchemaValidator()
  return (exchange) =>
    serveOnce(exchange, serverFor(info, { exchange, jsonSchemaValidator }), {
      transport: new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }),
      versions: SUPPORTED_PROTOCOL_VERSIONS,
    })
}

function serverFor(
  { instructions, ...info }: Parameters<McpAdapter>[0],
  {
    exchange,
    jsonSchemaValidator,
  }: { exchange: McpExchange; jsonSchemaValidator: AjvJsonSchemaValidator },
): Server {
  const server = new Server(info, {
    capabilities: { tools: {} },
    instructions,
    jsonSchemaValidator,
  })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: exchange.listTools() as unknown as Tool[],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const result = await exchange.callTool(signal)
    if (result === null) throw new McpError(ErrorCode.InvalidParams, `unknown tool ${params.name}`)
    return result
  })
  return server
}
