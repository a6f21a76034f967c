/**
 * The `/mcp` endpoint of a site: tools for AI agents over the Model Context Protocol. Each caller gets the
 * tools that its access token and the role of its person allow, and a challenge that makes the client sign in
 * for others.
 *
 * Start with {@link defineTool}, {@link createMcpEndpoint} and {@link operationTools}. {@link accountTools} are thirteen
 * tools with which an agent reads and changes a member's own data; they run the Account API, and fields of your own
 * become tools as well. {@link serverAdapter} and {@link sdkAdapter} take the SDK that you have, which this package does not import.
 *
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { createMcpEndpoint, defineTool, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const schoolInfo = defineTool({
 *   name: 'get_school_info',
 *   title: 'School information',
 *   description: 'Returns the name of the school.',
 *   input: z.strictObject({}),
 *   output: z.object({ name: z.string() }),
 *   run: async () => ({ name: 'Test School' }),
 * })
 * const mcp = createMcpEndpoint(testSite().site, { tools: [schoolInfo], adapter: serverAdapter(sdk) })
 * mcp.registry.tools.map(({ name }) => name) // => ['check_connection', 'get_school_info']
 * ```
 * @module
 */
export type { McpAdapter, McpExchange } from './mcp/adapter.js'
export { directAdapter } from './mcp/direct-adapter.js'
export { ANONYMOUS, callerOf, type McpCaller } from './mcp/caller.js'
export type { McpEndpointOptions } from './mcp/configuration.js'
export { type AdmittedCall, decideToolCall } from './mcp/decide.js'
export { createMcpEndpoint } from './mcp/endpoint.js'
export { listTools } from './mcp/list.js'
export { operationTools } from './mcp/operation-tools.js'
export { defineTools, type RegisteredTool, type ToolRegistry } from './mcp/tool-registry.js'
export { defineTool, type Tool, type ToolAction, type ToolContext, toolsFor } from './mcp/tool.js'
export type { ToolDescription } from './mcp/tool-description.js'
export { sdkAdapter } from './mcp/sdk-adapter.js'
export { serverAdapter } from './mcp/server-adapter.js'
export { toolError, isToolError, type ToolError } from './mcp/tool-error.js'
export type { AccountExecutor } from './mcp/member-tools/executor.js'
export { accountTools } from './mcp/member-tools/member-tools.js'
