import type { Outgoing } from '../http/exchange.js'
import type { ToolDescription } from './tool-description.js'

/**
 * One message that has passed the gate, with the functions that answer it for this caller.
 *
 * @group Adapters
 */
export interface McpExchange {
  /**
   * The `POST` request. Its body has been read; its signal aborts when the client disconnects. It is created when it
   * is first read.
   */
  readonly request: Request
  /** Aborted if the client disconnects before the end of the response. Costs less than that of `request`. */
  readonly signal: AbortSignal
  /** The parsed body: one JSON-RPC request or notification, never a batch. */
  readonly body: unknown
  /** The body as a message, checked: a JSON-RPC request or notification of the right form. */
  readonly message: {
    /** Such as `tools/call`. */
    readonly method: string
    /** Absent in a notification. */
    readonly id: string | number | undefined
    /** Empty if the message has none. */
    readonly params: Readonly<Record<string, unknown>>
  }
  /** Returns a header of the request by its lower-case name; `null` if it has none. */
  readonly header: (name: string) => string | null
  /** Returns the tools that are listed for this caller. */
  readonly listTools: () => readonly ToolDescription[]
  /**
   * Runs the `tools/call` of the body and returns its result, or `null` if no tool has this name. Never
   * rejects. With `isError` its text is the JSON of a `ToolError`, with a `request_id`. The tool sees the signal. Default: that of the exchange.
   */
  readonly callTool: (signal?: AbortSignal) => Promise<{
    readonly content: readonly { readonly type: 'text'; readonly text: string }[]
    readonly structuredContent?: Readonly<Record<string, unknown>>
    readonly isError?: true
    readonly _meta?: Readonly<Record<string, unknown>>
  } | null>
}

/**
 * Answers the messages of MCP that have passed the gate, mostly by an MCP SDK, which implements the protocol. The endpoint calls it once, and calls the
 * function that it returns for each message. That function must keep no state between two exchanges,
 * because they belong to different callers.
 *
 * {@link serverAdapter} and {@link sdkAdapter} make adapters of the SDKs.
 * {@link directAdapter} answers the usual messages itself, and leaves the others to one of them.
 *
 * @group Adapters
 */
export type McpAdapter = (
  /** The description of the server that each client receives. */
  info: {
    /** Identifier for programs: the `id` of the site. */
    readonly name: string
    /** Name for people: the `name` of the site. */
    readonly title: string
    /** Version of the tools, for the logs of clients. */
    readonly version: string
    /** Issuer of the site. */
    readonly websiteUrl: string
    /** Instructions for agents on how to use the tools. */
    readonly instructions: string
  },
) => (exchange: McpExchange) => Promise<Response | Outgoing>
