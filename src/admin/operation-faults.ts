import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { inputSchemaOf, type JsonSchema, propertiesOf, typesOf } from './input.js'
import type { Operation, SharedTool } from './operation.js'

const ID = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/
const TOOL = /^[a-z][a-z0-9_]{0,39}$/
const PATH = /^(?:\/(?:[a-z0-9-]+|\{[a-z_]+\}))+$/

/** What is wrong with an operation, each fault with its id. */
export function faultsOf(
  operation: Operation,
  { scopes, roles: table }: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const { id, scope, effect, roles = [], method, summary, tool, precondition } = operation
  const row = scopes.get(scope)
  const rules: readonly (readonly [boolean, string])[] = [
    [ID.test(id), 'is no identifier such as courses.list'],
    [summary.trim() !== '', 'has no summary'],
    [row !== undefined, `needs the unknown scope "${scope}"`],
    [!row || row.audience === 'operator', `needs "${scope}", which is not for operators`],
    [!row || mayStandBehind(effect, scope, scopes), `is a ${effect} behind "${scope}"`],
    [effect === 'write' || method === 'GET', `reads by ${method}`],
    [effect === 'read' || method !== 'GET', 'writes by GET'],
    [effect === 'write' || precondition === undefined, 'reads under a precondition'],
    [
      tool == null || TOOL.test(nameOfTool(tool)),
      `has the tool name "${nameOfTool(tool ?? '')}", which is no name of at most 40 characters`,
    ],
    [
      typeof tool !== 'object' ||
        tool === null ||
        !Object.hasOwn(operation.input.shape, tool.argument),
      `has an input that is named as its tool's argument`,
    ],
    [
      tool == null ||
        precondition === undefined ||
        !Object.hasOwn(operation.input.shape, 'version'),
      'has an input "version", which is what its tool takes for If-Match',
    ],
    ...roles.map(
      (role) => [Object.hasOwn(table, role), `names the unknown role "${role}"`] as const,
    ),
  ]
  const faults = rules.filter(([holds]) => !holds).map(([, fault]) => fault)
  return [...faults, ...pathFaults(operation), ...inputFaults(operation)].map(
    (fault) => `${id} ${fault}`,
  )
}

// Where the table has no `x:read`, a read has nothing narrower to ask for than `x:write`.
const mayStandBehind = (effect: 'read' | 'write', scope: string, scopes: ScopeRegistry): boolean =>
  scopes.get(scope)?.access === effect ||
  (effect === 'read' && scope.endsWith(':write') && !scopes.get(scope.replace(/write$/, 'read')))

function pathFaults({ path, input }: Operation): readonly string[] {
  if (!PATH.test(path)) return [`has the path "${path}"`]
  const names = parametersOf(path)
  return [
    ...repeated(names).map((name) => `has "${name}" in its path twice`),
    ...names
      .filter((name) => !Object.hasOwn(input.shape, name))
      .map((name) => `has no input "${name}" for its path`),
  ]
}

function inputFaults({ input, method, effect, path }: Operation): readonly string[] {
  const schema = inputSchemaOf(input)
  const properties = Object.entries(propertiesOf(schema))
  const isText = method === 'GET' || method === 'DELETE'
  const inPath = parametersOf(path)
  return [
    ...openObjects(schema, '').map((at) => `takes unknown members${at}: use z.strictObject`),
    ...(effect === 'write' && Object.hasOwn(input.shape, 'dry_run')
      ? ['has an input "dry_run", which every write has by itself']
      : []),
    ...properties
      .filter(([name, one]) => (isText || inPath.includes(name)) && isObjectLike(one, schema))
      .map(([name]) => `reads the object "${name}" from a text`),
  ]
}

const isObjectLike = (one: JsonSchema, root: JsonSchema): boolean => {
  const { items } = one as { items?: JsonSchema }
  return (items === undefined ? typesOf(one, root) : typesOf(items, root)).includes('object')
}

/** Where a schema has an object that lets members through that it does not name. */
function openObjects(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, additionalProperties } = schema as JsonSchema
  const isOpen = properties !== undefined && additionalProperties === undefined
  return [
    ...(isOpen ? [at === '' ? '' : ` at ${at}`] : []),
    ...Object.entries(schema).flatMap(([name, one]) => openObjects(one, `${at}/${name}`)),
  ]
}

/** What stands twice among operations and may stand once. */
export function repeatedIn(operations: readonly Operation[]): readonly string[] {
  const paths = [...new Set(operations.map(({ path }) => path))]
  const shapes = paths.map(shapeOf)
  return [
    ...repeated(operations.map(({ id }) => id)).map((id) => `id "${id}" stands twice`),
    ...repeated(operations.map(({ method, path }) => `${method} ${shapeOf(path)}`)).map(
      (route) => `route "${route}" stands twice`,
    ),
    ...toolFaults(operations),
    ...repeated(shapes).map(
      (shape) =>
        `path "${shape}" has parameters of different names: ${paths.filter((path) => shapeOf(path) === shape).join(', ')}`,
    ),
  ]
}

/** Operations of one tool are told apart by one argument. */
function toolFaults(operations: readonly Operation[]): readonly string[] {
  const tools = operations.flatMap(({ tool }) => tool ?? [])
  const shared = tools.filter((tool) => typeof tool === 'object')
  const alone = tools.filter((tool) => typeof tool === 'string')
  return [
    ...repeated([...alone, ...new Set(shared.map(nameOfTool))]).map(
      (tool) => `tool "${tool}" stands twice`,
    ),
    ...repeated(shared.map(({ name, value }) => `${name} ${value}`)).map(
      (value) => `tool "${value}" stands twice`,
    ),
    ...repeated(
      [...new Set(shared.map(({ name, argument }) => `${name}\0${argument}`))].map(
        (both) => both.split('\0', 1)[0]!,
      ),
    ).map((tool) => `tool "${tool}" has several arguments to choose by`),
  ]
}

const nameOfTool = (tool: string | SharedTool): string =>
  typeof tool === 'string' ? tool : tool.name

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))]
}

/** Names of the parameters of a path, in their order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!)

const shapeOf = (path: string): string => path.replaceAll(/\{[a-z_]+\}/g, '{}')
