import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Tool, ToolAction } from './tool.js'
import type { ToolAudience } from './tool-audience.js'
import { isUnwritable, schemaOf } from './tool-schema.js'

const NAME = /^[a-z][a-z0-9_]{0,39}$/
const CHOICE = /^[a-z][a-z0-9_]{0,39}$/
const DRY_RUN = 'dry_run'

type Rule = readonly [holds: boolean, fault: string]

/** What is wrong with a set of tools, each fault with the tool's name. */
export function toolFaultsOf(
  tools: readonly Tool[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const names = tools.map(({ name }) => name)
  return [
    ...tools.flatMap((tool) => faultsOf(tool, tables)),
    ...twice(names).map((name) => `${name} stands twice`),
  ]
}

function faultsOf(
  tool: Tool,
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const { name, title, description, selector, actions } = tool
  const values = actions.map(({ value }) => value)
  const audiences = audiencesOf(actions, tables.scopes)
  const rules: readonly Rule[] = [
    [NAME.test(name), 'is no name of at most 40 characters such as list_courses'],
    [title.trim() !== '', 'has no title'],
    [description.trim() !== '', 'has no description'],
    [audiences.length <= 1, `is for several audiences: ${audiences.join(', ')}`],
    [selector !== null || actions.length === 1, 'has several actions and nothing to choose by'],
    [
      selector === null || (CHOICE.test(selector) && selector !== DRY_RUN),
      `cannot be chosen from by "${selector}"`,
    ],
    [
      selector === null || values.every((value) => CHOICE.test(value)),
      'has an action that cannot be chosen',
    ],
    ...twice(values).map((value): Rule => [false, `has the action "${value}" twice`]),
    ...actions.flatMap((action) => actionRules(tool, action, tables)),
  ]
  return rules.filter(([holds]) => !holds).map(([, fault]) => `${name} ${fault}`)
}

function audiencesOf(
  actions: readonly ToolAction[],
  registry: ScopeRegistry,
): readonly ToolAudience[] {
  const audiences = actions.flatMap(({ scopes }): readonly ToolAudience[] =>
    scopes.length === 0
      ? ['public']
      : scopes.map((scope) => registry.get(scope)?.audience ?? 'any'),
  )
  return [...new Set(audiences)].filter((audience) => audience !== 'any')
}

function actionRules(
  { selector }: Tool,
  action: ToolAction,
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): readonly Rule[] {
  const { scopes, roles, effect, destructive, dryRun, input } = action
  const own = [DRY_RUN, ...(selector === null ? [] : [selector])]
  const mayWrite = scopes.some((scope) => tables.scopes.get(scope)?.access === 'write')
  return [
    ...scopes
      .filter((scope) => tables.scopes.get(scope) === undefined)
      .map((scope): Rule => [false, `needs the unknown scope "${scope}"`]),
    ...(roles ?? [])
      .filter((role) => !Object.hasOwn(tables.roles, role))
      .map((role): Rule => [false, `names the unknown role "${role}"`]),
    [effect === 'read' || scopes.length > 0, 'writes, and everybody may use it'],
    [effect === 'read' || scopes.length === 0 || mayWrite, 'writes, and needs no scope to write'],
    [roles === null || scopes.length > 0, 'names roles, and everybody may use it'],
    [effect === 'write' || !destructive, 'reads, and takes something away'],
    [effect === 'write' || !dryRun, 'reads, and has a dry run'],
    ...own
      .filter((name) => Object.hasOwn(input.shape, name))
      .map((name): Rule => [false, `has an input "${name}", which means something else`]),
    ...shapeRules(action),
  ]
}

const shapeRules = ({ input, output }: ToolAction): readonly Rule[] =>
  isUnwritable(input, 'input') || isUnwritable(output, 'output')
    ? [[false, 'has a schema that cannot be written down, such as one within itself']]
    : [
        [
          schemaOf(input, 'input')['additionalProperties'] === false,
          'takes unknown members: use z.strictObject',
        ],
        [
          !hasMirrored(schemaOf(input, 'input')),
          `has an input with ${MIRRORED}, and headers are not compared with inputs here`,
        ],
      ]

const MIRRORED = 'x-mcp-header'

/**
 * Whether a schema has clients repeat a value in a header, where something in between may read it. A
 * server that says so must refuse calls in which the two differ.
 *
 * @see MCP 2026-07-28, tools
 */
function hasMirrored(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(
    // A property may have such a name, and a schema for its value.
    ([name, value]) => (name === MIRRORED && typeof value !== 'object') || hasMirrored(value),
  )
}

function twice(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))]
}
