export type { McpAdapter, McpExchange, McpServerInfo } from './mcp/adapter.js'
export { ANONYMOUS, callerOf, type McpCaller } from './mcp/caller.js'
export type { McpEndpointOptions } from './mcp/configuration.js'
export { CHALLENGE_META } from './mcp/connection-tool.js'
export { type AdmittedCall, decideToolCall, type ToolDecision } from './mcp/decide.js'
export { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.js'
export { type ListPolicy, listTools } from './mcp/list.js'
export { operationTools } from './mcp/operation-tools.js'
export { defineTools, type RegisteredTool, type ToolRegistry } from './mcp/tool-registry.js'
export { FREE_TEXT_META, FREE_TEXT_NOTICE, type ToolResult } from './mcp/run.js'
export {
  defineTool,
  type Tool,
  type ToolAction,
  type ToolContext,
  type ToolDefinition,
  type ToolsFor,
  toolsFor,
} from './mcp/tool.js'
export type { ToolAudience } from './mcp/tool-audience.js'
export type { SecurityScheme, ToolDescription } from './mcp/tool-description.js'
export { faultWith, isToolFault, type ToolFault, type ToolFaultCode } from './mcp/tool-fault.js'
export type { JsonSchema } from './mcp/tool-schema.js'
