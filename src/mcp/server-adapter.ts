import type * as Sdk from '@modelcontextprotocol/server'
import type { McpAdapter, McpExchange } from './adapter.js'
import { acceptingAll, checkSdk, serveOnce } from './exchange.js'
import { INVALID_PARAMS } from './message.js'

const PARTS = [
  'createMcpHandler',
  'isLegacyRequest',
  'ProtocolError',
  'Server',
  'SUPPORTED_PROTOCOL_VERSIONS',
  'WebStandardStreamableHTTPServerTransport',
] as const

/** @inline */
type SdkPart = (typeof PARTS)[number]

/**
 * Adapts `@modelcontextprotocol/server` 2.x, which implements protocol version 2026-07-28 and, on the
 * same endpoint, older versions. Each exchange has a server of its own, so that no response can reach another
 * caller.
 *
 * Pass it to `createMcpEndpoint`.
 *
 * @param sdk - the module `@modelcontextprotocol/server`
 * @throws OptionsError that names the parts that are missing
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28)
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { createMcpEndpoint, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * const { endpoint } = createMcpEndpoint(testSite().site, { tools: [], adapter: serverAdapter(sdk) })
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
export function serverAdapter(sdk: Readonly<Record<SdkPart, unknown>>): McpAdapter {
  checkSdk('serverAdapter', { sdk, parts: PARTS, from: '@modelcontextprotocol/server 2.x' })
  const parts = sdk as Pick<typeof Sdk, SdkPart>
  return ({ instructions, ...info }) => {
    function serverFor(exchange: McpExchange): Sdk.Server {
      const server = new parts.Server(info, { capabilities: { tools: {} }, instructions })
      server.setRequestHandler('tools/list', () => ({
        tools: exchange.listTools() as unknown as Sdk.Tool[],
      }))
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
        const result = await exchange.callTool(signal)
        if (result !== null) return result as Sdk.CallToolResult
        throw new parts.ProtocolError(INVALID_PARAMS, `unknown tool ${params.name}`)
      })
      return server
    }
    const { fetch } = parts.createMcpHandler(({ authInfo }) => serverFor(exchangeOf(authInfo)), {
      legacy: 'reject',
    })
    const { SUPPORTED_PROTOCOL_VERSIONS: versions } = parts
    return async (exchange) => {
      const { request, body } = exchange
      if (!(await parts.isLegacyRequest(request, body)))
        return fetch(acceptingAll(request), { parsedBody: body, authInfo: carrying(exchange) })
      // The handler would stream its only response to an older client. One JSON object is cheaper.
      const { WebStandardStreamableHTTPServerTransport: Transport } = parts
      const transport = new Transport({ enableJsonResponse: true })
      return serveOnce(exchange, serverFor(exchange), { transport, versions })
    }
  }
}

// The handler passes only its `authInfo` to the server, so it carries the exchange. The gate has already
// authenticated the caller.
const carrying = (exchange: McpExchange): Sdk.AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { exchange },
})

const exchangeOf = (authInfo: Sdk.AuthInfo | undefined): McpExchange =>
  authInfo!.extra!['exchange'] as McpExchange
