import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Tool, ToolAction } from './tool.js'
import type { ToolAudience } from './tool-audience.js'
import { isUnwritable, schemaOf } from './tool-schema.js'

const NAME = /^[a-z][a-z0-9_]{0,39}$/
const CHOICE = /^[a-z][a-z0-9_]{0,39}$/
const DRY_RUN = 'dry_run'

type Rule = readonly [holds: boolean, fault: string]

/** Returns what is wrong with a set of tools. Each text begins with the name of the tool. */
export function toolFaultsOf(
  tools: readonly Tool[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const names = tools.map(({ name }) => name)
  return [
    ...tools.flatMap((tool) => faultsOf(tool, tables)),
    ...twice(names).map((name) => `${name} is defined twice${cureOf(name, tools)}`),
  ]
}

/** Returns what to do about a name that a tool of the library has as well. */
function cureOf(name: string, tools: readonly Tool[]): string {
  const source = tools.find((tool) => tool.name === name && tool.source !== undefined)?.source
  if (source === undefined) return ': give one of the tools another name'
  const cure = `: the other one is from ${source}. Give your own another name`
  return source.endsWith(')')
    ? `${cure}, or leave that one out with .filter(({ name }) => name !== '${name}')`
    : cure
}

function faultsOf(
  tool: Tool,
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const { name, title, description, selector, actions } = tool
  const values = actions.map(({ value }) => value)
  const audiences = audiencesOf(actions, tables.scopes)
  const rules: readonly Rule[] = [
    [NAME.test(name), 'must have a snake_case name of 1 to 40 characters, such as list_courses'],
    [title.trim() !== '', 'has no title'],
    [description.trim() !== '', 'has no description'],
    [audiences.length <= 1, `is for several audiences: ${audiences.join(', ')}`],
    [selector !== null || actions.length === 1, 'has several actions but no selector'],
    [
      selector === null || (CHOICE.test(selector) && selector !== DRY_RUN),
      `has the selector "${selector}", which must be a snake_case name other than dry_run`,
    ],
    [
      selector === null || values.every((value) => CHOICE.test(value)),
      'has an action whose value is not a snake_case name',
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
    [effect === 'read' || scopes.length > 0, 'writes, but needs no scope'],
    [
      effect === 'read' || scopes.length === 0 || mayWrite,
      'writes, but needs no scope with write access',
    ],
    [roles === null || scopes.length > 0, 'names roles, but needs no scope'],
    [effect === 'write' || !destructive, 'is destructive, but its effect is read'],
    [effect === 'write' || !dryRun, 'has a dry run, but its effect is read'],
    ...own
      .filter((name) => Object.hasOwn(input.shape, name))
      .map((name): Rule => [false, `has an input "${name}", which is a reserved name`]),
    ...shapeRules(action),
  ]
}

const shapeRules = ({ input, output }: ToolAction): readonly Rule[] =>
  isUnwritable(input, 'input') || isUnwritable(output, 'output')
    ? [[false, 'has a schema that JSON Schema cannot express, such as a recursive one']]
    : [
        [
          schemaOf(input, 'input')['additionalProperties'] === false,
          'accepts unknown members: use z.strictObject',
        ],
        [
          !hasMirrored(schemaOf(input, 'input')),
          `has an input with ${MIRRORED}, which is not supported: headers are not compared with inputs`,
        ],
      ]

const MIRRORED = 'x-mcp-header'

/**
 * Whether a schema makes clients repeat a value in a header, for intermediaries. A server with such a schema
 * must refuse calls in which header and value differ.
 *
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), tools
 */
function hasMirrored(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(
    // A property may have this name. Its value is then a schema.
    ([name, value]) => (name === MIRRORED && typeof value !== 'object') || hasMirrored(value),
  )
}

function twice(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))]
}
