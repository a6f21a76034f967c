import { notApplicable, Stop } from '../finding.js'
import type { Discovery } from './discovery.js'
import type { Answer, Http } from './http.js'
import type { Once } from './keep.js'
import { newSecret } from './random.js'

/** A message to an MCP endpoint, and who sends it. */
export interface McpOptions {
  /** The access token of the sender. Default: none. */
  readonly token?: string
  /** Default: `POST`. With any other, no message is sent. */
  readonly method?: string
  /** A message, or a text as it is. Default: a list of the tools. */
  readonly message?: unknown
  /** Headers in place of the usual ones: `null` leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Parameters of the URL. Default: none. */
  readonly query?: Readonly<Record<string, string>>
}

/** A small client of MCP. It opens a session for each token if the server asks for one. */
export interface Mcp {
  readonly hasMcp: () => Promise<boolean>
  /** The path of the MCP endpoint. Stops as not applicable if there is none. */
  readonly mcpPath: () => Promise<string>
  readonly mcpUrl: () => Promise<URL>
  /** Sends a message to `/mcp`. Default: a list of the tools. */
  readonly mcp: (options?: McpOptions) => Promise<Answer>
  /** The answer to the first message of a token, or of no one. Each sends it once. */
  readonly initialize: (token?: string) => Promise<Answer>
}

const VERSION = '2025-11-25'

/** A request of JSON-RPC. */
export interface Message {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The first message of a client, with an identifier that no other message has. */
export const INITIALIZE: Message = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: {
    protocolVersion: VERSION,
    capabilities: {},
    clientInfo: { name: 'hallpass-audit', version: '1' },
  },
}
const LIST_TOOLS: Message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

export function createMcp({
  mcpUrl: given,
  discovery,
  http,
  once,
}: {
  readonly mcpUrl: URL | null
  readonly discovery: Discovery
  readonly http: Http
  readonly once: Once
}): Mcp {
  /** The version that the server named in the last initialization. */
  let version = VERSION
  /** Whether an initialization has succeeded without a session. */
  let hasNoSessions = false

  /** Returns the address of the endpoint, if there is one: the resource, or the usual path if that is an origin. */
  const url = async (): Promise<URL> => {
    if (given !== null) return new URL(given)
    const named = await discovery.resourceIdentifier()
    const path = named !== null && URL.canParse(named) ? new URL(named).pathname : '/'
    return new URL(path === '/' ? '/mcp' : path, await discovery.resourceOrigin())
  }

  async function post(
    { token, method = 'POST', message = LIST_TOOLS, headers = {}, query = {} }: McpOptions,
    session: string | null,
  ): Promise<Answer> {
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-session-id': session,
      authorization: token === undefined ? null : `Bearer ${token}`,
      ...headers,
    }
    const target = await url()
    for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value)
    return http.send(target, {
      method,
      headers: Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
      ),
      ...(method === 'POST' && {
        body: typeof message === 'string' ? message : JSON.stringify(message),
      }),
    })
  }

  const initialize: Mcp['initialize'] = (token) =>
    once(`mcp initialize ${token ?? ''}`, async () => {
      const answer = await post(
        { ...(token !== undefined && { token }), message: INITIALIZE, headers: { 'mcp-protocol-version': null } },
        null,
      ) // prettier-ignore
      const result = answer.json['result'] as { protocolVersion?: unknown } | undefined
      if (answer.status !== 200 || result === undefined) return answer
      if (typeof result.protocolVersion === 'string') version = result.protocolVersion
      const session = answer.headers.get('mcp-session-id')
      hasNoSessions ||= session === null
      if (session !== null)
        await post({ ...(token !== undefined && { token }), message: INITIALIZED }, session)
      return answer
    })

  // A sender that may not speak is asked for a token. Every other answer of an MCP endpoint is of JSON-RPC.
  const hasMcp: Mcp['hasMcp'] = () =>
    once('an MCP endpoint', async () => {
      const { status, json } = await initialize()
      if (json['jsonrpc'] !== undefined) return true
      if (status !== 401 && status !== 403) return false
      const named = await discovery.resourceIdentifier()
      if (given !== null || (named !== null && (await url()).href === named)) return true
      // A server that refuses every path in the same way says nothing of the usual one.
      const elsewhere = await http.send(new URL(`/${newSecret()}`, await url()), { method: 'POST' })
      return elsewhere.status !== status
    })

  const mcpUrl = async (): Promise<URL> => {
    if (!(await hasMcp())) throw new Stop(notApplicable('the server has no MCP endpoint'))
    return url()
  }

  return {
    initialize,
    hasMcp,
    mcpUrl,
    mcpPath: async () => (await mcpUrl()).pathname,
    async mcp(options = {}) {
      await mcpUrl()
      const session = hasNoSessions
        ? null
        : (await initialize(options.token)).headers.get('mcp-session-id')
      return post(options, session)
    },
  }
}
