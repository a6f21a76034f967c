import type { ToolResult } from './run.js'
import type { ToolDescription } from './tool-description.js'

/** What a server says of itself to every client. */
export interface McpServerInfo {
  /** For programs. */
  readonly name: string
  /** For people. */
  readonly title: string
  readonly version: string
  readonly websiteUrl: string
  /** For agents: how to use the tools. */
  readonly instructions: string
}

/** One message that has passed the gate, and all that may come of it. */
export interface McpExchange {
  /** `POST`, its body read already. Aborted when the client has gone. */
  readonly request: Request
  /** The body as JSON: one request or notification, never a batch. */
  readonly body: unknown
  /** The tools of this caller. */
  readonly listTools: () => readonly ToolDescription[]
  /** Does the call that the body asks for; `null` = there is no tool of that name. Never rejects. */
  readonly callTool: (signal: AbortSignal) => Promise<ToolResult | null>
}

/**
 * Speaks the protocol: made once for an endpoint, then handed one exchange after the other. It must keep
 * nothing of one exchange for the next.
 */
export type McpAdapter = (info: McpServerInfo) => (exchange: McpExchange) => Promise<Response>
