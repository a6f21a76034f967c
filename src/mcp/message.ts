/** A JSON-RPC message that may be handed on. */
export interface McpMessage {
  readonly method: string
  /** Absent in a notification. */
  readonly id: string | number | undefined
  readonly params: Readonly<Record<string, unknown>>
}

/** What is wrong with a body, as JSON-RPC has it. */
export interface MessageFault {
  readonly code: number
  readonly message: string
}

/** JSON-RPC 2.0 §5.1 */
export const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
/** JSON-RPC 2.0 §5.1 */
export const INVALID_PARAMS = -32602

/**
 * Reads a body as one JSON-RPC request or notification. Batches and answers are refused: this server asks
 * its clients nothing.
 *
 * @param body - as JSON
 * @see JSON-RPC 2.0 §4; MCP 2025-11-25, transports
 */
export function readMessage(
  body: unknown,
): { readonly ok: true; readonly message: McpMessage } | ({ readonly ok: false } & MessageFault) {
  const no = (message: string, code = INVALID_REQUEST) => ({ ok: false, code, message }) as const
  if (Array.isArray(body)) return no('batches are not taken: send one message at a time')
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return no('the body must be a JSON-RPC message')
  const { method, id, params = {} } = body
  if (typeof method !== 'string') return no('the message has no method')
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    return no('id must be a string or a whole number')
  if (!isObject(params)) return no('params must be an object', INVALID_PARAMS)
  return { ok: true, message: { method, id: id as string | number | undefined, params } }
}

/** What a `tools/call` asks for. */
export interface ToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Reads the parameters of `tools/call`. */
export function readToolCall({
  params,
}: McpMessage):
  { readonly ok: true; readonly call: ToolCall } | ({ readonly ok: false } & MessageFault) {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string')
    return { ok: false, code: INVALID_PARAMS, message: 'params.name must be the name of a tool' }
  return isObject(args)
    ? { ok: true, call: { name, args } }
    : { ok: false, code: INVALID_PARAMS, message: 'params.arguments must be an object' }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
