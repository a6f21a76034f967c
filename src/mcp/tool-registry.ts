import { checkOptions, list, made, type RequiredRule, type Rules } from '../options/check.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { SITE_RULES } from '../site/rules.js'
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

/** The tools that a registry is made of, and the tables that they have to fit. */
interface ToolSet {
  readonly tools: readonly Tool[]
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/** What tools have to be, each by itself. */
export const toolsRule: RequiredRule<readonly Tool[]> = list(
  made<Tool>('a tool of defineTool', {
    name: 'string',
    title: 'string',
    description: 'string',
    actions: 'object',
  }),
)
const RULES: Rules<ToolSet> = {
  tools: toolsRule,
  scopes: SITE_RULES.scopes,
  roles: SITE_RULES.roles,
}

/**
 * Checks a set of tools and makes it a registry.
 *
 * @param tables - those of the site, or the site itself
 * @throws OptionsError - naming every mistake at once: what is missing or of a wrong kind; then tools that
 *   contradict the scope table, the role table, themselves or each other
 */
export function defineTools(
  tools: readonly Tool[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): ToolRegistry {
  const { scopes, roles } = tables
  checkOptions('tools', { tools, scopes, roles }, RULES, (set) => toolFaultsOf(set.tools, set))
  const registered = tools.map((tool) => register(tool, scopes))
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
