import {
  callback, custom, flag, host, isObject, list, oneOf, optional, pattern, type Rules, text, unlike, whole,
} from '../options/check.js' // prettier-ignore
import { checkOwnOptions, type Site } from '../site/site.js'
import type { McpAdapter } from './adapter.js'
import { connectionTool } from './connection-tool.js'
import { createGuard, type Guard } from './guard.js'
import { ALL_TOOLS, callableTools, type ListPolicy } from './list.js'
import { defineTools, type ToolRegistry, toolsRule } from './tool-registry.js'
import { FREE_TEXT_NOTICE } from './run.js'
import type { Tool } from './tool.js'

/** Options of {@link createMcpEndpoint} beside its site. */
export interface McpEndpointOptions<Scope extends string = string> {
  /** All but `check_connection`, in the order in which they are listed. */
  readonly tools: readonly Tool<NoInfer<Scope>>[]
  /** What speaks the protocol: `sdkAdapter` of hallpass/mcp-sdk-v1, or `serverAdapter` of hallpass/mcp-sdk-v2. */
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
}

/** A site with the checked options of its `/mcp`, every default in place. */
export interface McpConfiguration extends Site {
  readonly registry: ToolRegistry
  readonly list: ListPolicy
  /** Speaks the protocol with one caller after the other. */
  readonly speak: ReturnType<McpAdapter>
  readonly challengeAnonymous: boolean
  readonly guard: Guard
}

const ORIGIN = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^/\s]+)$/

const RULES: Rules<McpEndpointOptions> = {
  tools: toolsRule,
  adapter: callback('sdkAdapter of hallpass/mcp-sdk-v1'),
  version: optional(text('"1.0.0"')),
  instructions: optional(text('"Ask before you cancel anything."')),
  anonymous: optional(oneOf('serve', 'challenge')),
  showProtectedTools: optional(flag),
  toolsets: optional(
    custom('a table such as { courses: ["list_courses"] }', (value, name) =>
      isObject(value)
        ? Object.entries(value).flatMap(([toolset, members]) =>
            TOOL_NAMES.mistakes(members, `${name}.${toolset}`),
          )
        : unlike(name, 'a table such as { courses: ["list_courses"] }', value),
    ),
  ),
  maxListedTools: optional(whole(1)),
  allowedOrigins: optional(list(pattern('an origin such as https://app.example, or *', ORIGIN))),
  allowedHosts: optional(list(host)),
}

const DEFAULT_MAX_LISTED = 40

/**
 * Checks the options of `/mcp` and puts every default in place.
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing or of a wrong
 *   kind, toolsets of unknown tools; then as `defineTools` does
 */
export function configureMcp(site: Site, options: McpEndpointOptions): McpConfiguration {
  const own = checkOwnOptions('mcp', site, options, RULES, toolsetMistakes)
  const { adapter, toolsets = {}, version = '1.0.0', instructions } = own
  const connection = connectionTool({
    site,
    toolsets: [...Object.keys(toolsets), ALL_TOOLS],
    countFor: (caller) => callableTools(registry, caller),
  })
  const registry = defineTools([connection, ...own.tools], site)
  return {
    ...site,
    registry,
    list: {
      showProtectedTools: own.showProtectedTools ?? false,
      toolsets: new Map(Object.entries(toolsets).map(([name, tools]) => [name, new Set(tools)])),
      maxListedTools: own.maxListedTools ?? DEFAULT_MAX_LISTED,
    },
    speak: adapter({
      name: site.id,
      title: site.name,
      version,
      websiteUrl: site.issuer,
      instructions: [INSTRUCTIONS, ...(instructions === undefined ? [] : [instructions])].join(
        '\n\n',
      ),
    }),
    challengeAnonymous: own.anonymous === 'challenge',
    guard: createGuard({ ...own, issuer: site.issuer }),
  }
}

function toolsetMistakes({ tools, toolsets = {} }: McpEndpointOptions): readonly string[] {
  const names = new Set(tools.map(({ name }) => name))
  return Object.entries(toolsets).flatMap(([toolset, members]) => [
    ...(/^[a-z][a-z0-9_-]{0,39}$/.test(toolset) && toolset !== ALL_TOOLS
      ? []
      : [`toolsets: "${toolset}" cannot be a toolset`]),
    ...members
      .filter((name) => !names.has(name))
      .map((name) => `toolsets.${toolset} has the unknown tool "${name}"`),
  ])
}

const TOOL_NAMES = list(text('"list_courses"'))

const INSTRUCTIONS = `check_connection says who is calling and what that allows; where a tool is refused with 401 or 403, sign in for the scopes it names. Do not repeat a call that failed with FORBIDDEN_ROLE. ${FREE_TEXT_NOTICE}`
