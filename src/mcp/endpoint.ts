import { sha256Base64url } from '../encoding/hash.js'
import { JSON_BODY, readText } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint } from '../http/exchange.js'
import { type Answer, createEndpoint, notAllowed } from '../http/frame.js'
import type { AccessRefusal } from '../policy/bearer.js'
import type { Refusal } from '../policy/decision.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import { explainMissing } from '../protected-resource/step-up.js'
import type { McpExchange } from './adapter.js'
import { ANONYMOUS, callerOf, type McpCaller } from './caller.js'
import { configureMcp, type McpConfiguration, type McpEndpointOptions } from './configuration.js'
import { decideToolCall, type ToolDecision } from './decide.js'
import { ALL_TOOLS, listTools } from './list.js'
import {
  idOf,
  INVALID_PARAMS,
  type McpMessage,
  PARSE_ERROR,
  readMessage,
  readToolCall,
  type ToolCall,
} from './message.js'
import { ASKING_PATHS, MCP_PATH } from '../site/paths.js'
import type { Site } from '../site/site.js'
import type { ToolRegistry } from './tool-registry.js'
import { faulty, runCall, type ToolOutcome } from './run.js'
import { corsOf, isAsking, mcpErrors, outgoingOf, rpcFault } from './answers.js'
import type { ToolContext } from './tool.js'
import { toolError } from './tool-error.js'

/**
 * Creates the `/mcp` endpoint of a site, which offers each caller the tools that the caller may use.
 *
 * A request without an access token is anonymous and can use the public tools. At `/mcp/signed-in` and, for member
 * clients, `/mcp/member` it gets 401, for clients that sign in only when they are asked. A request with an invalid,
 * expired or revoked token gets 401, whatever it asks for. A call to a tool that needs more gets the
 * challenge that makes the client sign in: 401 without a token, 403 with a token that lacks scopes.
 *
 * @param site - the result of `defineSite`
 * @param options - the tools, the adapter of an MCP SDK, and what to list
 * @returns the endpoint and the registry of its tools
 * @throws OptionsError that lists every mistake in the options, or in the tools as `defineTools` does
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), authorization
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { createMcpEndpoint, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const { endpoint } = createMcpEndpoint(site, {
 *   tools: [], // `check_connection` only
 *   adapter: serverAdapter(sdk),
 *   anonymous: 'challenge',
 * })
 * const response = await endpoint(new Request('https://school.example/mcp', { method: 'POST' }))
 * response.status // => 401
 * ```
 * @group Endpoint
 */
export function createMcpEndpoint<Scope extends string>(
  site: Site<Scope>,
  options: McpEndpointOptions<Scope>,
): {
  /** Handles a request, `Request` to `Response`. Mount it at each path of `routes` for all methods. */
  readonly endpoint: Endpoint
  /** The endpoint at each of its paths, for `routesOf`. */
  readonly routes: Readonly<Record<string, Endpoint>>
  /** The tools of the endpoint, `check_connection` included. */
  readonly registry: ToolRegistry
} {
  const configuration = configureMcp(site, options)
  const endpoint = createEndpoint(
    site,
    {
      name: 'mcp',
      methods: 'routed',
      cors: corsOf(configuration.guard),
      errors: mcpErrors(site),
    },
    (context) => admit(configuration, context),
  )
  const routes = [MCP_PATH, ...ASKING_PATHS].map((path) => [path, endpoint] as const)
  return { registry: configuration.registry, endpoint, routes: Object.fromEntries(routes) }
}

async function admit(
  configuration: McpConfiguration,
  context: Context,
): Promise<Answer<AccessRefusal>> {
  const { incoming } = context
  const [host, origin] = [incoming.header('host'), incoming.header('origin')]
  const refused = configuration.guard({ host, origin })
  if (refused !== null) return turnAway(configuration, context, refused)
  if (incoming.method === 'OPTIONS') return ONLY_POST
  const authorization = incoming.header('authorization')
  // A request is anonymous only without the header: an invalid token is always refused.
  if (authorization === null && !configuration.challengeAnonymous && !isAsking(incoming))
    return serve(configuration, context, ANONYMOUS)
  const decided = await authorizeBearer(configuration, {
    authorization,
    required: [],
    request: incoming,
  })
  if (!decided.ok) return challenge(configuration, context, { refusal: decided, tool: null })
  context.clientId = decided.access.client.clientId
  return serve(configuration, context, callerOf(decided.access))
}

const ONLY_POST = notAllowed(['POST'])

function turnAway(
  configuration: McpConfiguration,
  { requestId }: Context,
  refusal: Refusal,
): Refusal {
  const nobody = { tool: null, caller: ANONYMOUS, args: null }
  tell(configuration, { type: 'mcp.denied', ...nobody, requestId, outcome: refusal.reason })
  return refusal
}

async function serve(
  configuration: McpConfiguration,
  context: Context,
  caller: McpCaller,
): Promise<Answer<AccessRefusal>> {
  const { incoming } = context
  if (incoming.method !== 'POST') return ONLY_POST
  const text = await readText(incoming, JSON_BODY)
  if (!text.ok) return text
  const sent = parsed(text.text)
  const read = sent === undefined ? NOT_JSON : readMessage(sent)
  if (!read.ok) return rpcFault(400, read, idOf(sent))
  const { message, body } = read
  const toolset = toolsetOf(configuration, incoming.target)
  if (toolset instanceof Error)
    return rpcFault(400, { code: INVALID_PARAMS, message: toolset.message }, message.id)
  return handOn(configuration, context, { caller, toolset, body, message })
}

const NOT_JSON = { ok: false, code: PARSE_ERROR, message: 'the body is not JSON' } as const

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the toolset that the URL names, `null` if it names none, or an error if there is no such toolset. */
function toolsetOf(
  { list: { toolsets } }: McpConfiguration,
  target: string,
): string | null | Error {
  const mark = target.indexOf('?')
  const name =
    mark === -1 ? null : new URLSearchParams(target.slice(mark + 1)).get('toolset') || null
  return name === null || name === ALL_TOOLS || toolsets.has(name)
    ? name
    : new Error(`toolset must be one of ${[...toolsets.keys(), ALL_TOOLS].join(', ')}`)
}

async function handOn(
  configuration: McpConfiguration,
  context: Context,
  asked: { caller: McpCaller; toolset: string | null; body: unknown; message: McpMessage },
): Promise<Answer<AccessRefusal>> {
  const { caller, toolset, body, message } = asked
  const { registry, list: policy } = configuration
  const call = message.method === 'tools/call' ? readToolCall(message) : null
  if (call !== null && !call.ok) return rpcFault(400, call, message.id)
  const decision = call === null ? null : decide(configuration, call.call, caller)
  if (decision !== null && 'refusal' in decision)
    return challenge(configuration, context, {
      refusal:
        caller.kind === 'anonymous'
          ? decision.refusal
          : explainMissing(configuration, decision.refusal, caller.access),
      tool: call!.call,
      caller,
    })
  const { incoming } = context
  let request: Request | null = null
  const exchange: McpExchange = {
    get request() {
      return (request ??= incoming.request())
    },
    get signal() {
      return incoming.signal
    },
    header: (name) => incoming.header(name),
    body,
    message,
    listTools: () => listTools(registry, { caller, toolset, policy }),
    async callTool(signal) {
      if (decision === null) return null
      const { requestId } = context
      const outcome = await perform(configuration, decision, {
        caller,
        requestId,
        now: configuration.now(),
        get signal() {
          return signal ?? incoming.signal
        },
      })
      const { name, args } = call!.call
      tell(configuration, {
        type: 'mcp.tool_called',
        tool: name,
        caller,
        requestId,
        args,
        outcome: outcome.fault?.code ?? 'done',
      })
      return outcome.result
    },
  }
  return outgoingOf(await configuration.speak(exchange), message)
}

function decide(
  { registry }: McpConfiguration,
  { name, args }: ToolCall,
  caller: McpCaller,
): ToolDecision | null {
  const tool = registry.get(name)
  return tool === undefined ? null : decideToolCall({ tool, args, caller, registry })
}

async function perform(
  { notifyFault }: McpConfiguration,
  decision: Exclude<ToolDecision, { refusal: AccessRefusal }>,
  context: Omit<ToolContext, 'dryRun'>,
): Promise<ToolOutcome> {
  const { requestId } = context
  if (!decision.ok) return faulty(decision.fault, requestId)
  try {
    return await runCall(decision.call, context)
  } catch (fault) {
    notifyFault('mcp', fault, requestId)
    return faulty(toolError('UPSTREAM', 'the tool failed because of an internal error'), requestId)
  }
}

function challenge(
  configuration: McpConfiguration,
  { requestId }: Context,
  {
    refusal,
    tool,
    caller = ANONYMOUS,
  }: { refusal: AccessRefusal; tool: ToolCall | null; caller?: McpCaller },
): AccessRefusal {
  const { name = null, args = null } = tool ?? {}
  tell(configuration, {
    type: 'mcp.denied',
    tool: name,
    caller,
    requestId,
    args,
    outcome: refusal.reason,
  })
  return refusal
}

function tell(
  { onEvent, now }: McpConfiguration,
  {
    type,
    tool,
    caller,
    requestId,
    args,
    outcome,
  }: {
    type: 'mcp.tool_called' | 'mcp.denied'
    tool: string | null
    caller: McpCaller
    requestId: string
    args: ToolCall['args'] | null
    outcome: string
  },
): void {
  const known = caller.kind === 'anonymous' ? null : caller.access
  onEvent({
    type,
    at: now(),
    tool,
    requestId,
    outcome,
    clientId: known?.client.clientId ?? null,
    subject: known?.person.subject ?? null,
    // Most listeners never read it.
    get argumentsDigest() {
      return args === null ? null : sha256Base64url(JSON.stringify(args))
    },
  })
}
