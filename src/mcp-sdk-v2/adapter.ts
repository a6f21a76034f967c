import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { McpAdapter, McpExchange, McpServerInfo } from '../mcp/adapter.js'
import { acceptingAll, serveOnce } from '../mcp/exchange.js'

/**
 * Speaks MCP by `@modelcontextprotocol/server` 2.x: protocol version 2026-07-28 and, from the same
 * endpoint, those before it. Each exchange has a server of its own, so that no answer can reach another
 * caller.
 */
export const serverAdapter: McpAdapter = (info) => {
  const { fetch } = createMcpHandler(({ authInfo }) => serverFor(info, exchangeOf(authInfo)), {
    legacy: 'reject',
  })
  return async (exchange) => {
    const { request, body } = exchange
    if (!(await isLegacyRequest(request, body)))
      return fetch(acceptingAll(request), { parsedBody: body, authInfo: carrying(exchange) })
    // The handler would stream its one answer to an older client. An object is cheaper for both sides.
    return serveOnce(
      exchange,
      serverFor(info, exchange),
      new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }),
    )
  }
}

function serverFor({ instructions, ...info }: McpServerInfo, exchange: McpExchange): Server {
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({
    tools: exchange.listTools() as unknown as Tool[],
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const result = await exchange.callTool(signal)
    if (result === null)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${params.name}`)
    return result as CallToolResult
  })
  return server
}

// The handler hands on what it calls authentication, and nothing else. The gate has done that already.
const carrying = (exchange: McpExchange): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { exchange },
})

const exchangeOf = (authInfo: AuthInfo | undefined): McpExchange =>
  authInfo!.extra!['exchange'] as McpExchange
