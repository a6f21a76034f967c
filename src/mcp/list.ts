import type { McpCaller } from './caller.js'
import { usableActions } from './decide.js'
import type { RegisteredTool, ToolRegistry } from './tool-registry.js'
import type { ToolDescription } from './tool-description.js'

/** What decides which of the tools that a caller may use are listed. */
export interface ListPolicy {
  /** Whether anonymous callers see the tools that signing in would open. */
  readonly showProtectedTools: boolean
  /** Name of a set to the operators' tools in it; all others are listed with every set. */
  readonly toolsets: ReadonlyMap<string, ReadonlySet<string>>
  /** As many as are listed where nobody chose a toolset. */
  readonly maxListedTools: number
}

/** The toolset that has everything. */
export const ALL_TOOLS = 'all'

/**
 * The tools that a caller may use now, as `tools/list` has them: always one page, in the registry's
 * order. Where there are more than clients cope with and no toolset was chosen, the last of the operators'
 * are left out; they can be called all the same.
 *
 * @param toolset - `null` = the client chose none
 */
export function listTools(
  registry: ToolRegistry,
  { caller, toolset, policy }: { caller: McpCaller; toolset: string | null; policy: ListPolicy },
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

// There are few tools for everybody and few for a member; it is the operators' that are too many.
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

/** How many tools a caller may use, listed or not. */
export const callableTools = (registry: ToolRegistry, caller: McpCaller): number =>
  registry.tools.filter((tool) => usableActions(tool, caller, registry).length > 0).length
