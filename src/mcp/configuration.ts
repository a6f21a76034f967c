import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { shielded } from '../http/shielded.js'
import type { AccessRefusal } from '../policy/bearer.js'
import type { AccessSource } from '../resource/gate.js'
import {
  accessSourceOf,
  type ProtectedResourceOptions,
  RESOURCE_OPTION_NAMES,
} from '../resource/protected-resource.js'
import { siteFaults, unknownOptions } from '../resource/option-faults.js'
import type { McpAdapter, McpServerInfo } from './adapter.js'
import { connectionTool } from './connection-tool.js'
import { createGuard, type Guard } from './guard.js'
import { ALL_TOOLS, callableTools, type ListPolicy } from './list.js'
import { defineTools, type ToolRegistry } from './registry.js'
import { FREE_TEXT_NOTICE } from './run.js'
import type { Tool } from './tool.js'

/** What happened at `/mcp`, for an audit log. */
export interface McpEvent {
  readonly type: 'mcp.tool_called' | 'mcp.denied'
  /** Epoch seconds. */
  readonly at: number
  readonly tool: string | null
  /** `null` = the caller came without a token, or with one that does not count. */
  readonly clientId: string | null
  readonly subject: string | null
  readonly requestId: string
  /** SHA-256 of the arguments as JSON, 43 base64url characters; `null` = there were none to look at. */
  readonly argumentsDigest: string | null
  /** `done`, the code of the fault, or the reason of the refusal. */
  readonly outcome: string
}

/** Options of {@link createMcpEndpoint}. */
export interface McpEndpointOptions<Scope extends string = string> extends Omit<
  ProtectedResourceOptions<Scope>,
  'onFault'
> {
  readonly site: { readonly id: string; readonly name: string }
  /** All but `check_connection`, in the order in which they are listed. */
  readonly tools: readonly Tool<NoInfer<Scope>>[]
  /** What speaks the protocol: `sdkAdapter` of hallpass/mcp-sdk, or `serverAdapter` of hallpass/mcp-server. */
  readonly adapter: McpAdapter
  /** Version of the tools, for clients' logs. Default `1.0.0`. */
  readonly version?: string
  /** What agents should know beside how to treat texts and refusals. */
  readonly instructions?: string
  /** Whether a request without a token is served with the public tools, or sent to sign in. */
  readonly anonymous?: 'serve' | 'challenge'
  /** Whether anonymous callers see the tools that signing in would open. Default: no. */
  readonly showProtectedTools?: boolean
  /** Name to operators' tools: to these `?toolset=name` in the URL of the endpoint narrows theirs. */
  readonly toolsets?: Readonly<Record<string, readonly string[]>>
  /** As many tools as are listed where the URL names no toolset. Default 40. */
  readonly maxListedTools?: number
  /** Origins of web pages that may call, beside the site's own and this computer's; `*` = any. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Values of `Host` that are answered. Default: on a loopback issuer its own and the other names of this
   * computer, elsewhere any.
   */
  readonly allowedHosts?: readonly string[]
  /** Hears of every call and of every refusal. */
  readonly onEvent?: (event: McpEvent) => void
  /** Hears of whatever was thrown; the caller was told nothing but the same request id. */
  readonly onFault?: (fault: unknown, requestId: string | null) => void
  /** As many cryptographically random bytes as asked for. Default: the platform's generator. */
  readonly randomBytes?: RandomBytes
}

/** Checked options with every default in place. */
export interface McpConfiguration {
  readonly issuer: string
  readonly access: AccessSource
  readonly registry: ToolRegistry
  readonly list: ListPolicy
  readonly info: McpServerInfo
  readonly adapter: McpAdapter
  readonly challengeAnonymous: boolean
  readonly guard: Guard
  readonly onEvent: (event: McpEvent) => void
  readonly onRefusal: (refusal: AccessRefusal) => void
  readonly onFault: (fault: unknown, requestId: string | null) => void
  readonly randomBytes: RandomBytes
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof McpEndpointOptions>([
  ...RESOURCE_OPTION_NAMES, 'site', 'tools', 'adapter', 'version', 'instructions', 'anonymous',
  'showProtectedTools', 'toolsets', 'maxListedTools', 'allowedOrigins', 'allowedHosts', 'onEvent',
  'randomBytes',
]) // prettier-ignore

const DEFAULT_MAX_LISTED = 40

/**
 * Checks the options of `/mcp` and puts every default in place.
 *
 * @throws TypeError - naming every fault at once: unknown options, toolsets of unknown tools; and for
 *   tools that contradict themselves
 */
export function configureMcp(options: McpEndpointOptions): McpConfiguration {
  const { issuer, site, adapter, scopes, roles } = options
  const { toolsets = {}, maxListedTools = DEFAULT_MAX_LISTED, anonymous = 'serve' } = options
  const faults = faultsOf(options)
  if (faults.length > 0) throw new TypeError(`mcp: ${faults.join('; ')}`)
  const names = [...Object.keys(toolsets), ALL_TOOLS]
  const connection = connectionTool({
    issuer,
    site,
    toolsets: names,
    countFor: (caller) => callableTools(registry, caller),
  })
  const registry = defineTools([connection, ...options.tools], { scopes, roles })
  const onFault = shielded(options.onFault, () => {})
  const tellFault = (fault: unknown): void => onFault(fault, null)
  return {
    issuer,
    access: accessSourceOf(options),
    registry,
    list: {
      showProtectedTools: options.showProtectedTools ?? false,
      toolsets: new Map(Object.entries(toolsets).map(([name, tools]) => [name, new Set(tools)])),
      maxListedTools,
    },
    info: infoOf(options),
    adapter,
    challengeAnonymous: anonymous === 'challenge',
    guard: createGuard(options),
    onEvent: shielded(options.onEvent, tellFault),
    onRefusal: shielded(options.onRefusal, tellFault),
    onFault,
    randomBytes: options.randomBytes ?? randomBytes,
  }
}

function faultsOf({
  tools,
  toolsets = {},
  maxListedTools = DEFAULT_MAX_LISTED,
  anonymous = 'serve',
  ...options
}: McpEndpointOptions): readonly string[] {
  const names = new Set(tools.map(({ name }) => name))
  return [
    ...unknownOptions(options, OPTION_NAMES),
    ...siteFaults(options),
    ...Object.entries(toolsets).flatMap(([toolset, members]) => [
      ...(/^[a-z][a-z0-9_-]{0,39}$/.test(toolset) && toolset !== ALL_TOOLS
        ? []
        : [`"${toolset}" cannot be a toolset`]),
      ...members
        .filter((name) => !names.has(name))
        .map((name) => `toolset "${toolset}" has the unknown tool "${name}"`),
    ]),
    ...(Number.isSafeInteger(maxListedTools) && maxListedTools > 0
      ? []
      : ['maxListedTools must be a whole number above 0']),
    ...(anonymous === 'serve' || anonymous === 'challenge'
      ? []
      : ['anonymous must be serve or challenge']),
  ]
}

const infoOf = ({ site, issuer, version = '1.0.0', instructions }: McpEndpointOptions) => ({
  name: site.id,
  title: site.name,
  version,
  websiteUrl: issuer,
  instructions: [INSTRUCTIONS, ...(instructions === undefined ? [] : [instructions])].join('\n\n'),
})

const INSTRUCTIONS = `check_connection says who is calling and what that allows; where a tool is refused with 401 or 403, sign in for the scopes it names. Do not repeat a call that failed with FORBIDDEN_ROLE. ${FREE_TEXT_NOTICE}`
