import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { McpAdapter, McpExchange } from '../mcp/adapter.js'
import { acceptingAll, serveOnce } from '../mcp/exchange.js'

/**
 * Adapts `@modelcontextprotocol/server` 2.x, which implements protocol version 2026-07-28 and, on the
 * same endpoint, older versions. Each exchange has a server of its own, so that no response can reach another
 * caller.
 *
 * Pass it to `createMcpEndpoint`.
 *
 * @param info - the description of the server that clients receive
 * @returns a function that responds to one exchange
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28)
 * @example
 * ```ts
 * import { createMcpEndpoint } from 'hallpass/mcp'
 * import { serverAdapter } from 'hallpass/mcp-sdk-v2'
 * import { testSite } from 'hallpass/testing'
 *
 * const { endpoint } = createMcpEndpoint(testSite().site, { tools: [], adapter: serverAdapter })
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
export const serverAdapter: McpAdapter = (info) => {
  const { fetch } = createMcpHandler(({ authInfo }) => serverFor(info, exchangeOf(authInfo)), {
    legacy: 'reject',
  })
  return async (exchange) => {
    const { request, body } = exchange
    if (!(await isLegacyRequest(request, body)))
      return fetch(acceptingAll(request), { parsedBody: body, authInfo: carrying(exchange) })
    // The handler would stream its only response to an older client. One JSON object is cheaper.
    return serveOnce(exchange, serverFor(info, exchange), {
      transport: new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }),
      versions: SUPPORTED_PROTOCOL_VERSIONS,
    })
  }
}

function serverFor(
  { instructions, ...info }: Parameters<McpAdapter>[0],
  exchange: McpExchange,
): Server {
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({
    tools: exchange.listTools() as unknown as Tool[],
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const result = await exchange.callTool(signal)
    if (result === null)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${params.name}`)
    return result as CallToolResult
  })
  return server
}

// The handler passes only its `authInfo` to the server, so it carries the exchange. The gate has already
// authenticated the caller.
const carrying = (exchange: McpExchange): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { exchange },
})

const exchangeOf = (authInfo: AuthInfo | undefined): McpExchange =>
  authInfo!.extra!['exchange'] as McpExchange
