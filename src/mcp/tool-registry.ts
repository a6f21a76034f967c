import { checkOptions, list, made, type RequiredRule, type Rules } from '../options/check.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { SITE_RULES } from '../site/rules.js'
import { freeTextOf } from './free-text.js'
import type { Tool, ToolAction } from './tool.js'
import { audienceOfActions } from './tool-audience.js'
import { toolFaultsOf } from './tool-faults.js'
import { describeTool, type ToolDescription } from './tool-description.js'
import { outputSchemaOf } from './tool-schema.js'

/**
 * A validated tool of a {@link ToolRegistry}.
 *
 * @group Tool registry
 */
export interface RegisteredTool extends Tool {
  /**
   * The callers that the tool is for: `'public'`: all; `'member'` or `'operator'`: only these; `'any'`: members and
   * operators, but not anonymous callers. It follows from the scopes of the tool.
   */
  readonly audience: 'public' | 'member' | 'operator' | 'any'
  /** JSON pointers to the text in its output that people wrote, with `*` for each item of a list. */
  readonly freeText: readonly string[]
  /** Describes the tool for `tools/list`, to a caller who may use these of its actions. */
  readonly describe: (actions: readonly ToolAction[]) => ToolDescription
}

/**
 * A validated set of tools, with the tables that they were compared with. Created by {@link defineTools}.
 *
 * @group Tool registry
 */
export interface ToolRegistry {
  /** The tools, in the order in which they are listed. */
  readonly tools: readonly RegisteredTool[]
  /** Returns the tool of this name. Safe for names from a request, such as `constructor`. */
  readonly get: (name: string) => RegisteredTool | undefined
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/** The tools of a registry, and the tables that they are compared with. */
interface ToolSet {
  readonly tools: readonly Tool[]
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/** The rule for the option `tools`. */
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
 * Validates a set of tools and creates a registry of them. {@link createMcpEndpoint} does so itself; call it
 * directly to test your tools without an endpoint.
 *
 * @param tools - the results of {@link defineTool} and {@link operationTools}, in the order of the list
 * @param tables - the scopes and the roles of the site; the site itself has both
 * @returns the registry
 * @throws OptionsError that lists every mistake: values of a wrong type. If there are none, it lists the tools
 *   with unknown scopes or roles, with a name that is used twice, or with contradicting options.
 * @example
 * ```ts
 * import { defineTool, defineTools } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const options = { title: 'List courses', description: 'Lists the courses of the school.' }
 * const schemas = { input: z.strictObject({}), output: z.object({ data: z.array(z.string()) }) }
 * const run = async () => ({ data: ['Algebra'] })
 * const tool = defineTool({ name: 'list_courses', ...options, ...schemas, run })
 *
 * const registry = defineTools([tool], testSite().site)
 * registry.get('list_courses')?.audience // => 'public'
 * defineTools([tool, tool], testSite().site) // throws OptionsError
 * ```
 * @group Tool registry
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
  // Generating a JSON Schema is expensive, so callers who may use the same actions share one description.
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
