import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { freeTextOf } from './free-text.js'
import type { Tool, ToolAction } from './tool.js'
import { audienceOfActions, type ToolAudience } from './tool-audience.js'
import { toolFaultsOf } from './tool-faults.js'
import { describeTool, type ToolDescription } from './tool-description.js'
import { outputSchemaOf } from './tool-schema.js'

/** A checked tool. */
export interface RegisteredTool extends Tool {
  readonly audience: ToolAudience
  /** Where its answers hold text that people wrote, as JSON pointers with `*` for each item. */
  readonly freeText: readonly string[]
  /** As a client lists it, for a caller who may use these of its actions. */
  readonly describe: (actions: readonly ToolAction[]) => ToolDescription
}

/** A checked set of tools. Made by {@link defineTools}. */
export interface ToolRegistry {
  /** In the order in which they are listed. */
  readonly tools: readonly RegisteredTool[]
  /** Safe for any name that a request chose. */
  readonly get: (name: string) => RegisteredTool | undefined
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/**
 * Checks a set of tools and makes it a registry.
 *
 * @throws TypeError - for tools that contradict the scope table, the role table, themselves or each
 *   other; every fault is named at once
 */
export function defineTools(
  tools: readonly Tool[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): ToolRegistry {
  const faults = toolFaultsOf(tools, tables)
  if (faults.length > 0) throw new TypeError(`tools: ${faults.join('; ')}`)
  const registered = tools.map((tool) => register(tool, tables.scopes))
  const byName = new Map(registered.map((tool) => [tool.name, tool]))
  return { ...tables, tools: registered, get: (name) => byName.get(name) }
}

function register(tool: Tool, scopes: ScopeRegistry): RegisteredTool {
  // Schemas are dear to make, and every caller of the same standing reads the same.
  const known = new Map<string, ToolDescription>()
  return {
    ...tool,
    audience: audienceOfActions(tool.actions, scopes),
    freeText: freeTextOf(outputSchemaOf(tool.actions)),
    describe(actions) {
      const key = actions.map(({ value }) => value).join(' ')
      const description = known.get(key) ?? describeTool(tool, actions)
      known.set(key, description)
      return description
    },
  }
}
