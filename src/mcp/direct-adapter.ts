import type { Outgoing } from '../http/exchange.js'
import type { McpAdapter, McpExchange } from './adapter.js'

/** The protocol versions before 2026-07-28. The first is what a client gets that asks for an unknown one. */
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const
const MODERN = '2026-07-28'

/** Prefix of the members of `_meta` with which a request of 2026-07-28 describes itself. */
const META = 'io.modelcontextprotocol/'

/**
 * Answers the usual messages without an SDK: `initialize`, `ping`, `tools/list`, `tools/call`, `server/discover` and
 * notifications, in protocol versions up to 2026-07-28. It answers as `serverAdapter` does,
 * and takes a fifth of the time.
 *
 * A message that is unusual in any way is left to `others`: another method, unknown parameters, headers that disagree
 * with the body.
 *
 * Pass the result to `createMcpEndpoint`.
 *
 * @param others - the adapter for all other messages: that of `serverAdapter`, or of `sdkAdapter`, which refuses
 *   2026-07-28
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25)
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28)
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { createMcpEndpoint, directAdapter, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * const { endpoint } = createMcpEndpoint(testSite().site, {
 *   tools: [],
 *   adapter: directAdapter(serverAdapter(sdk)),
 * })
 * const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
 * const response = await endpoint(
 *   new Request('https://school.example/mcp', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body,
 *   }),
 * )
 * await response.json() // => { result: {}, jsonrpc: '2.0', id: 1 }
 * ```
 * @group Adapters
 */
export function directAdapter(others: McpAdapter): McpAdapter {
  return (info) => {
    const answerOthers = others(info)
    const legacy = legacyAnswers(info)
    const modern = modernAnswers(info)
    return async (exchange) => {
      const answers = isLegacy(exchange) ? legacy : isModern(exchange) ? modern : null
      const { id, method } = exchange.message
      if (answers === null) return answerOthers(exchange)
      if (id === undefined)
        return method.startsWith('notifications/') ? ACCEPTED : answerOthers(exchange)
      const answer = Object.hasOwn(answers, method) ? answers[method]!(exchange) : null
      if (answer === null) return answerOthers(exchange)
      const outcome = answer instanceof Promise ? await answer : answer
      return reply(
        'code' in outcome
          ? { jsonrpc: '2.0', id, error: outcome }
          : { result: outcome, jsonrpc: '2.0', id },
      )
    }
  }
}

type Members = Readonly<Record<string, unknown>>
type Fault = { readonly code: number; readonly message: string }
/** Answers one method; `null` if this request is left to the other adapter. */
type Answer = (exchange: McpExchange) => Members | Promise<Members> | null

const ACCEPTED: Outgoing = { status: 202, headers: [], body: null }
const JSON_TYPE = ['content-type', 'application/json']

const reply = (body: Members): Outgoing => ({
  status: 200,
  headers: JSON_TYPE,
  body: JSON.stringify(body),
})

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'

/** Whether there are no parameters but these, of these kinds; each may be absent. */
function areOnly(
  params: Members,
  known: Readonly<Record<string, (value: unknown) => boolean>>,
): boolean {
  for (const name in params)
    if (!Object.hasOwn(known, name) || !known[name]!(params[name])) return false
  return true
}

/** Whether `_meta` is of no interest to a server of an older version. */
const isPlainMeta = (meta: unknown): boolean =>
  isObject(meta) && !Object.keys(meta).some((name) => name.startsWith(META))

function isLegacy({ header, message: { params } }: McpExchange): boolean {
  const version = header('mcp-protocol-version')
  return (
    (version === null || (LEGACY as readonly string[]).includes(version)) &&
    (params['_meta'] === undefined || isPlainMeta(params['_meta']))
  )
}

function isModern({ header, message: { method, params } }: McpExchange): boolean {
  const meta = params['_meta']
  return (
    header('mcp-protocol-version') === MODERN &&
    header('mcp-method') === method &&
    isObject(meta) &&
    meta[`${META}protocolVersion`] === MODERN &&
    isNamed(meta[`${META}clientInfo`]) &&
    isObject(meta[`${META}clientCapabilities`])
  )
}

const isNamed = (info: unknown): boolean =>
  isObject(info) && isText(info['name']) && isText(info['version'])

const LIST = { cursor: isText, _meta: isObject }
const CALL = { name: isText, arguments: isObject, _meta: isObject }
const NOTHING = { _meta: isObject }

async function call({ message: { params }, callTool }: McpExchange): Promise<Members | Fault> {
  const result = await callTool()
  return (
    (result as Members | null) ?? {
      code: -32602,
      message: `unknown tool ${String(params['name'])}`,
    }
  )
}

/** The answers of the versions before 2026-07-28. */
function legacyAnswers({
  instructions,
  ...serverInfo
}: Parameters<McpAdapter>[0]): Readonly<Record<string, Answer>> {
  const initialized = LEGACY.map((protocolVersion) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo,
    instructions,
  }))
  return {
    initialize({ message: { params } }) {
      const { protocolVersion, capabilities, clientInfo } = params
      if (!isText(protocolVersion) || !isObject(capabilities) || !isNamed(clientInfo)) return null
      if (!Object.values(capabilities).every(isObject)) return null
      return initialized.find((one) => one.protocolVersion === protocolVersion) ?? initialized[0]!
    },
    ping: ({ message: { params } }) => (areOnly(params, NOTHING) ? {} : null),
    'tools/list': ({ message: { params }, listTools }) =>
      areOnly(params, LIST) ? { tools: listTools() } : null,
    'tools/call': (exchange) => (areOnly(exchange.message.params, CALL) ? call(exchange) : null),
  }
}

/** The answers of version 2026-07-28, in which each says who answers. */
function modernAnswers({
  instructions,
  ...serverInfo
}: Parameters<McpAdapter>[0]): Readonly<Record<string, Answer>> {
  const own = { [`${META}serverInfo`]: serverInfo }
  const KEPT_BY_NO_ONE = { ttlMs: 0, cacheScope: 'private' }
  const complete = (result: Members): Members => ({
    ...result,
    resultType: 'complete',
    _meta: { ...(result['_meta'] as Members | undefined), ...own },
  })
  return {
    'server/discover': ({ message: { params } }) =>
      areOnly(params, NOTHING)
        ? complete({
            supportedVersions: [MODERN],
            capabilities: { tools: {} },
            instructions,
            ...KEPT_BY_NO_ONE,
          })
        : null,
    'tools/list': ({ message: { params }, listTools }) =>
      areOnly(params, LIST) ? complete({ tools: listTools(), ...KEPT_BY_NO_ONE }) : null,
    'tools/call'(exchange) {
      const { header, message } = exchange
      const isSame = header('mcp-name') === message.params['name']
      return isSame && areOnly(message.params, CALL)
        ? call(exchange).then((outcome) => ('code' in outcome ? outcome : complete(outcome)))
        : null
    },
  }
}
