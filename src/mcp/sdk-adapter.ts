import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type * as Types from '@modelcontextprotocol/sdk/types.js'
import type { AjvJsonSchemaValidator as Validator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { McpAdapter } from './adapter.js'
import { checkSdk, serveOnce } from './exchange.js'
import { INVALID_PARAMS } from './message.js'

const PARTS = [
  'Server',
  'WebStandardStreamableHTTPServerTransport',
  'AjvJsonSchemaValidator',
  'CallToolRequestSchema',
  'ListToolsRequestSchema',
  'McpError',
  'SUPPORTED_PROTOCOL_VERSIONS',
] as const

/** @inline */
type SdkPart = (typeof PARTS)[number]

/** The parts, with the types of the SDK, which no declaration of the package names. */
type Sdk = typeof Types & {
  readonly Server: typeof Server
  readonly WebStandardStreamableHTTPServerTransport: typeof Transport
  readonly AjvJsonSchemaValidator: typeof Validator
}

/**
 * Adapts `@modelcontextprotocol/sdk` 1.x, which implements protocol versions up to 2025-11-25. Each
 * exchange has a server and a transport of its own, so that no response can reach another caller.
 *
 * Pass it to `createMcpEndpoint`.
 *
 * @param sdk - the parts of the SDK that it uses, from its four modules
 * @throws OptionsError that names the parts that are missing
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25)
 * @example
 * ```ts
 * import { Server } from '@modelcontextprotocol/sdk/server/index.js'
 * import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
 * import * as types from '@modelcontextprotocol/sdk/types.js'
 * import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
 * import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * const sdk = { ...types, Server, WebStandardStreamableHTTPServerTransport, AjvJsonSchemaValidator }
 * const { endpoint } = createMcpEndpoint(testSite().site, { tools: [], adapter: sdkAdapter(sdk) })
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
export function sdkAdapter(sdk: Readonly<Record<SdkPart, unknown>>): McpAdapter {
  checkSdk('sdkAdapter', { sdk, parts: PARTS, from: '@modelcontextprotocol/sdk 1.x' })
  const parts = sdk as unknown as Sdk
  // A server without one creates its own, which takes almost half of the time of an exchange.
  const jsonSchemaValidator = new parts.AjvJsonSchemaValidator()
  return ({ instructions, ...info }) =>
    (exchange) => {
      const capabilities = { tools: {} }
      const server = new parts.Server(info, { capabilities, instructions, jsonSchemaValidator })
      server.setRequestHandler(parts.ListToolsRequestSchema, () => ({
        tools: exchange.listTools() as unknown as Types.Tool[],
      }))
      server.setRequestHandler(parts.CallToolRequestSchema, async ({ params }, { signal }) => {
        const result = await exchange.callTool(signal)
        if (result !== null) return result
        throw new parts.McpError(INVALID_PARAMS, `unknown tool ${params.name}`)
      })
      const { WebStandardStreamableHTTPServerTransport: Transport } = parts
      const transport = new Transport({ enableJsonResponse: true })
      return serveOnce(exchange, server, { transport, versions: parts.SUPPORTED_PROTOCOL_VERSIONS })
    }
}
