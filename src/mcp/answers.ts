import { readableBy, type CorsPolicy, type ErrorFormat } from '../http/frame.js'
import {
  type HeaderList,
  type Incoming,
  isOutgoing,
  type Outgoing,
  pathOf,
  responseFrom,
} from '../http/exchange.js'
import { describe, errorBody, PERSONAL } from '../http/respond.js'
import type { AccessRefusal } from '../policy/bearer.js'
import { spelledAs } from '../policy/resource-spelling.js'
import { challengeOf, challengeStatus } from '../protected-resource/gate.js'
import type { Site } from '../site/site.js'
import { ASKING_PATHS, MCP_PATH } from '../site/paths.js'
import type { Guard } from './guard.js'
import { INVALID_PARAMS, type McpMessage, type MessageFault } from './message.js'

const JSON_HEADERS: HeaderList = [...PERSONAL, 'content-type', 'application/json; charset=utf-8']

const VARY: HeaderList = ['vary', 'Origin']
const EXPOSED = 'WWW-Authenticate, Retry-After, X-Request-Id'

/** Creates the CORS policy of `/mcp`: pages of the origins that the guard allows may call it. */
export const corsOf = (guard: Guard): CorsPolicy => ({
  headersFor(incoming) {
    const origin = incoming.header('origin')
    const isIn = origin !== null && guard({ host: incoming.header('host'), origin }) === null
    return isIn ? [...VARY, ...readableBy(EXPOSED, origin)] : VARY
  },
})

/** Formats the errors of `/mcp`: a refusal as a challenge, and that of the guard or any other failure as a JSON-RPC error. */
export const mcpErrors = ({
  resource,
  senderConstraint,
}: Pick<Site, 'resource' | 'senderConstraint'>): ErrorFormat<AccessRefusal> => ({
  refusal(refusal, { incoming }) {
    if (refusal.reason === 'host_not_allowed' || refusal.reason === 'origin_not_allowed')
      return rpcFault(403, { code: SERVER_ERROR, message: describe(refusal) })
    return {
      status: challengeStatus(refusal),
      headers: [
        ...JSON_HEADERS,
        'www-authenticate',
        challengeOf(refusal, {
          resource,
          path: addressIn(incoming.target),
          senderConstraint,
          authorization: incoming.header('authorization'),
        }),
      ],
      body: JSON.stringify(errorBody(refusal.error, describe(refusal))),
    }
  },
  failure: ({ status, description }) =>
    rpcFault(status, { code: status < 500 ? SERVER_ERROR : INTERNAL_ERROR, message: description }),
})

/** Returns which of its addresses a request used; `undefined` if the host application serves the endpoint elsewhere. */
function pathIn(target: string): string | undefined {
  const path = pathOf(target).replace(/\/$/, '')
  return [MCP_PATH, ...ASKING_PATHS].find((one) => one === path)
}

/** Returns this address as the request spelled it: a client may ignore the metadata of another (RFC 9728, section 3.3). */
function addressIn(target: string): string {
  const path = pathIn(target)
  return path === undefined ? MCP_PATH : spelledAs(path, target)
}

/** Whether a message without an access token is refused, because its address always asks for one. */
export const isAsking = ({ method, target }: Pick<Incoming, 'method' | 'target'>): boolean =>
  method === 'POST' && (pathIn(target) ?? MCP_PATH) !== MCP_PATH

/** An error code of the range that JSON-RPC 2.0, section 5.1, reserves for servers. */
export const SERVER_ERROR = -32000
/** The code for internal errors of JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32603

/** Returns the response that carries a JSON-RPC error. */
export const rpcFault = (
  status: number,
  { code, message }: MessageFault,
  id: string | number | null = null,
): Outgoing => ({
  status,
  headers: JSON_HEADERS,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
})

/**
 * Converts the response of an adapter, and replaces its headers for caching and CORS by those of the frame. A fault gets
 * the words of this endpoint, and the `id` of its message.
 */
export async function outgoingOf(
  response: Response | Outgoing,
  message: McpMessage,
): Promise<Outgoing | Response> {
  if (isOutgoing(response)) return { ...response, headers: PERSONAL.concat(response.headers) }
  const { status, body } = response
  const headers = [...PERSONAL]
  response.headers.forEach((value, name) => {
    if (!isOurs(name)) headers.push(name, value)
  })
  // Sending one text is cheaper than streaming one chunk.
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers, body: reworded(await response.text(), message) || null }
  return responseFrom({ status, headers, body: null }, body)
}

// The frame sets the headers for caching and CORS.
const isOurs = (name: string): boolean =>
  PERSONAL.includes(name) || name.startsWith('access-control-')

/** Rewrites the fault of an SDK. Its `data` remains: clients read from it which protocol versions there are. */
function reworded(text: string, { id, method }: McpMessage): string {
  if (!text.includes('"error":{')) return text
  const { error } = JSON.parse(text) as { error?: MessageFault & { data?: unknown } }
  if (error === undefined) return text
  return JSON.stringify({
    jsonrpc: '2.0',
    id: id ?? null,
    error: { ...error, ...wordsOf(error, method) },
  })
}

const METHOD_NOT_FOUND = -32601

function wordsOf({ code, message }: MessageFault, method: string): MessageFault {
  if (code === METHOD_NOT_FOUND) return { code, message: `unknown method ${method}` }
  const path = message.includes('[\n') ? /"path": \[\s*([^\]]*)\]/.exec(message)?.[1] : undefined
  // The SDKs report a member of a wrong type as an internal error, with a dump of their schema library.
  if (path !== undefined) {
    const member = [...path.matchAll(/"([^"]+)"|\d+/g)]
      .map(([text, name]) => name ?? text)
      .join('.')
    return { code: INVALID_PARAMS, message: `${member || 'params'} is missing or malformed` }
  }
  const said = message.replace(/^Bad Request: /, '')
  return { code, message: said.charAt(0).toLowerCase() + said.slice(1) }
}
