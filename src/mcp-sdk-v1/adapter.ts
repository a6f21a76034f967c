import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpAdapter, McpExchange, McpServerInfo } from '../mcp/adapter.js'
import { serveOnce } from '../mcp/exchange.js'

/**
 * Speaks MCP by `@modelcontextprotocol/sdk` 1.x: protocol versions up to 2025-11-25. Each exchange has a
 * server and a transport of its own, so that no answer can reach another caller.
 */
export const sdkAdapter: McpAdapter = (info) => (exchange) =>
  serveOnce(
    exchange,
    serverFor(info, exchange),
    new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }),
  )

function serverFor({ instructions, ...info }: McpServerInfo, exchange: McpExchange): Server {
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: exchange.listTools() as unknown as Tool[],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const result = await exchange.callTool(signal)
    if (result === null) throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}`)
    return result
  })
  return server
}
