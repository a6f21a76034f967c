import type { McpCaller } from './caller.js'
import { usableActions } from './decide.js'
import type { RegisteredTool, ToolRegistry } from './tool-registry.js'
import type { ToolDescription } from './tool-description.js'

/** The toolset that contains every tool. */
export const ALL_TOOLS = 'all'

/**
 * Returns the tools that a caller may use now, as `tools/list` describes them: in one page, in the order of
 * the registry. A tool with several actions offers only those that the caller may use.
 *
 * Without a toolset the list has at most `maxListedTools` entries, because some clients accept no more. The
 * last operator tools are then left out, but they can still be called.
 *
 * @param registry - the tools of the endpoint
 * @param options - `caller`: for whom to list; `toolset`: the one that the client selected, or `null`;
 *   `policy`: which tools to list
 * @returns the description of each listed tool
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), tools
 * @example
 * ```ts
 * import * as sdk from '@modelcontextprotocol/server'
 * import { ANONYMOUS, createMcpEndpoint, listTools, serverAdapter } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const { registry } = createMcpEndpoint(site, { tools: [], adapter: serverAdapter(sdk) })
 * const policy = { showProtectedTools: false, toolsets: new Map(), maxListedTools: 40 }
 * const listed = listTools(registry, { caller: ANONYMOUS, toolset: null, policy })
 * listed.map(({ name }) => name) // => ['check_connection']
 * ```
 * @group Tool lists
 */
export function listTools(
  registry: ToolRegistry,
  {
    caller,
    toolset,
    policy,
  }: {
    caller: McpCaller
    toolset: string | null
    policy: {
      /** Whether anonymous callers see the tools that need an access token as well. */
      readonly showProtectedTools: boolean
      /** For each toolset its operator tools. Public and member tools are listed with every toolset. */
      readonly toolsets: ReadonlyMap<string, ReadonlySet<string>>
      /** Maximum number of listed tools if the client selected no toolset. */
      readonly maxListedTools: number
    }
  },
): readonly ToolDescription[] {
  const all = registry.tools.flatMap((tool) => {
    const actions = listedActions(tool, { caller, registry, policy })
    return actions.length === 0 ? [] : [{ tool, actions }]
  })
  const chosen = toolset === null || toolset === ALL_TOOLS ? null : policy.toolsets.get(toolset)
  const within = all.filter(({ tool }) => !isCut(tool) || (chosen?.has(tool.name) ?? true))
  const kept = toolset === null ? shortened(within, policy.maxListedTools) : within
  return kept.map(({ tool, actions }) => tool.describe(actions))
}

/** Which of the tools that a caller may use are listed. */
export type ListPolicy = Parameters<typeof listTools>[1]['policy']

// Public and member tools are few. Only operator tools are numerous enough to be left out.
const isCut = ({ audience }: RegisteredTool): boolean =>
  audience !== 'public' && audience !== 'member'

function listedActions(
  tool: RegisteredTool,
  { caller, registry, policy }: { caller: McpCaller; registry: ToolRegistry; policy: ListPolicy },
): RegisteredTool['actions'] | readonly [] {
  const usable =
    caller.kind === 'anonymous' && policy.showProtectedTools
      ? tool.actions
      : usableActions(tool, caller, registry)
  return usable as RegisteredTool['actions'] | readonly []
}

function shortened<Listed extends { readonly tool: RegisteredTool }>(
  listed: readonly Listed[],
  limit: number,
): readonly Listed[] {
  let surplus = listed.length - limit
  if (surplus <= 0) return listed
  return listed
    .toReversed()
    .filter(({ tool }) => !isCut(tool) || surplus-- <= 0)
    .toReversed()
}

/** Returns how many tools a caller may use, listed or not. */
export const callableTools = (registry: ToolRegistry, caller: McpCaller): number =>
  registry.tools.filter((tool) => usableActions(tool, caller, registry).length > 0).length
