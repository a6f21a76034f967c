import type { McpExchange } from './adapter.js'

export type McpMessage = McpExchange['message']

/** The code and the message of a JSON-RPC error. */
export interface MessageFault {
  readonly code: number
  readonly message: string
}

/** The code for a body that is not JSON, from JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
/** The code for invalid parameters, from JSON-RPC 2.0, section 5.1. */
export const INVALID_PARAMS = -32602

/**
 * Reads a body as one JSON-RPC request or notification. Batches are refused, and so are responses, because
 * this server sends its clients no requests.
 *
 * @param body - the parsed JSON
 * @see [JSON-RPC 2.0, section 4](https://www.jsonrpc.org/specification#request_object)
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25), transports
 */
export function readMessage(
  body: unknown,
): { readonly ok: true; readonly message: McpMessage } | ({ readonly ok: false } & MessageFault) {
  const no = (message: string, code = INVALID_REQUEST) => ({ ok: false, code, message }) as const
  if (Array.isArray(body)) return no('batches are not supported: send one message at a time')
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return no('the body must be a JSON-RPC message')
  const { method, id, params = {} } = body
  if (typeof method !== 'string') return no('the message has no method')
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    return no('id must be a string or an integer')
  if (!isObject(params)) return no('params must be an object', INVALID_PARAMS)
  return { ok: true, message: { method, id: id as string | number | undefined, params } }
}

/** The tool and the arguments of a `tools/call` request. */
export interface ToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Reads the parameters of a `tools/call` request. */
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
