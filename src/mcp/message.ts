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
 * this server sends its clients no requests. `params` that is `null`, and each member of it that is, is absent: clients
 * in several languages write absent members so.
 *
 * @param sent - the parsed JSON
 * @returns the message, and the body without what is absent, for an SDK
 * @see [JSON-RPC 2.0, section 4](https://www.jsonrpc.org/specification#request_object)
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25), transports
 */
export function readMessage(
  sent: unknown,
):
  | { readonly ok: true; readonly message: McpMessage; readonly body: unknown }
  | ({ readonly ok: false } & MessageFault) {
  const no = (message: string, code = INVALID_REQUEST) => ({ ok: false, code, message }) as const
  if (Array.isArray(sent)) return no('batches are not supported: send one message at a time')
  if (!isObject(sent) || sent['jsonrpc'] !== '2.0') return no('the body must be a JSON-RPC message')
  const { method, id, params: given } = sent
  if (typeof method !== 'string') return no('the message has no method')
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    return no('id must be a string or an integer')
  if (given != null && !isObject(given)) return no('params must be an object', INVALID_PARAMS)
  const params = withoutNull(given ?? {})
  const isSame = params === given || given === undefined
  const body = isSame ? sent : { ...sent, params }
  return { ok: true, body, message: { method, id: id as string | number | undefined, params } }
}

/** Returns the `id` of a body that is refused, so that its sender recognizes the answer. */
export function idOf(sent: unknown): string | number | null {
  const id = isObject(sent) ? sent['id'] : null
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
}

const withoutNull = (params: Members): Members =>
  Object.values(params).includes(null)
    ? Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null))
    : params

type Members = Readonly<Record<string, unknown>>

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
