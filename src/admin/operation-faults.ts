import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { inputSchemaOf, type JsonSchema, propertiesOf, typesOf } from './input.js'
import type { Operation, SharedTool } from './operation.js'

const ID = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/
const TOOL = /^[a-z][a-z0-9_]{0,39}$/
const PATH = /^(?:\/(?:[a-z0-9-]+|\{[a-z_]+\}))+$/

/** Returns the mistakes in the definition of an operation, each with its id. */
export function faultsOf(
  operation: Operation,
  { scopes, roles: table }: { scopes: ScopeRegistry; roles: RoleTable },
): readonly string[] {
  const { id, scope, effect, roles = [], method, summary, tool, precondition } = operation
  const row = scopes.get(scope)
  const rules: readonly (readonly [boolean, string])[] = [
    [ID.test(id), 'must have an id such as courses.list'],
    [summary.trim() !== '', 'has no summary'],
    [row !== undefined, `requires the unknown scope "${scope}"`],
    [!row || row.audience === 'operator', `requires "${scope}", which is not an operator scope`],
    [
      !row || mayStandBehind(effect, scope, scopes),
      `has effect "${effect}" but requires "${scope}"`,
    ],
    [
      effect === 'write' || method === 'GET',
      `has effect "read", so its method must be GET, not ${method}`,
    ],
    [effect !== 'write' || method !== 'GET', 'has effect "write", so its method cannot be GET'],
    [
      effect === 'write' || precondition === undefined,
      'has effect "read", so it cannot have a precondition',
    ],
    [
      tool == null || TOOL.test(nameOfTool(tool)),
      `must have a snake_case tool name of 1 to 40 characters, such as list_courses, not "${nameOfTool(tool ?? '')}"`,
    ],
    [
      typeof tool !== 'object' ||
        tool === null ||
        !Object.hasOwn(operation.input.shape, tool.argument),
      `has an input with the same name as the argument of its tool`,
    ],
    [
      tool == null ||
        precondition === undefined ||
        !Object.hasOwn(operation.input.shape, 'version'),
      'has an input "version", which its tool already uses for If-Match',
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

// Without a scope `x:read`, the narrowest scope that a read can require is `x:write`.
const mayStandBehind = (effect: 'read' | 'write', scope: string, scopes: ScopeRegistry): boolean =>
  scopes.get(scope)?.access === effect ||
  (effect === 'read' && scope.endsWith(':write') && !scopes.get(scope.replace(/write$/, 'read')))

function pathFaults({ path, input }: Operation): readonly string[] {
  if (!PATH.test(path)) return [`must have a path such as /courses/{id}, not "${path}"`]
  const names = parametersOf(path)
  return [
    ...repeated(names).map((name) => `has "${name}" in its path twice`),
    ...names
      .filter((name) => !Object.hasOwn(input.shape, name))
      .map((name) => `has no input "${name}" for the parameter in its path`),
  ]
}

function inputFaults({ input, method, effect, path }: Operation): readonly string[] {
  const schema = inputSchemaOf(input)
  const properties = Object.entries(propertiesOf(schema))
  const isText = method === 'GET' || method === 'DELETE'
  const inPath = parametersOf(path)
  return [
    ...openObjects(schema, '').map((at) => `accepts unknown members${at}: use z.strictObject`),
    ...(effect === 'write' && Object.hasOwn(input.shape, 'dry_run')
      ? ['has an input "dry_run", a parameter that every write already has']
      : []),
    ...properties
      .filter(([name, one]) => (isText || inPath.includes(name)) && isObjectLike(one, schema))
      .map(([name]) => `has an object as input "${name}", which a path or query cannot hold`),
  ]
}

const isObjectLike = (one: JsonSchema, root: JsonSchema): boolean => {
  const { items } = one as { items?: JsonSchema }
  return (items === undefined ? typesOf(one, root) : typesOf(items, root)).includes('object')
}

/** Returns the places where a schema has an object that accepts members it does not define. */
function openObjects(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, additionalProperties } = schema as JsonSchema
  const isOpen = properties !== undefined && additionalProperties === undefined
  return [
    ...(isOpen ? [at === '' ? '' : ` at ${at}`] : []),
    ...Object.entries(schema).flatMap(([name, one]) => openObjects(one, `${at}/${name}`)),
  ]
}

/** Returns the mistakes between operations: values that must be unique but are repeated. */
export function repeatedIn(operations: readonly Operation[]): readonly string[] {
  const paths = [...new Set(operations.map(({ path }) => path))]
  const shapes = paths.map(shapeOf)
  return [
    ...repeated(operations.map(({ id }) => id)).map((id) => `id "${id}" is defined twice`),
    ...repeated(operations.map(({ method, path }) => `${method} ${shapeOf(path)}`)).map(
      (route) => `route "${route}" is defined twice`,
    ),
    ...toolFaults(operations),
    ...repeated(shapes).map(
      (shape) =>
        `path "${shape}" has parameters of different names: ${paths.filter((path) => shapeOf(path) === shape).join(', ')}`,
    ),
  ]
}

/** Returns the mistakes in the tools: the operations of a shared tool must differ in one argument. */
function toolFaults(operations: readonly Operation[]): readonly string[] {
  const tools = operations.flatMap(({ tool }) => tool ?? [])
  const shared = tools.filter((tool) => typeof tool === 'object')
  const alone = tools.filter((tool) => typeof tool === 'string')
  return [
    ...repeated([...alone, ...new Set(shared.map(nameOfTool))]).map(
      (tool) => `tool "${tool}" is defined twice`,
    ),
    ...repeated(shared.map(({ name, value }) => `${name} ${value}`)).map(
      (value) => `tool "${value}" is defined twice`,
    ),
    ...repeated(
      [...new Set(shared.map(({ name, argument }) => `${name}\0${argument}`))].map(
        (both) => both.split('\0', 1)[0]!,
      ),
    ).map((tool) => `tool "${tool}" must have the same argument in all its operations`),
  ]
}

const nameOfTool = (tool: string | SharedTool): string =>
  typeof tool === 'string' ? tool : tool.name

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))]
}

/** Returns the names of the parameters of a path, in their order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!)

const shapeOf = (path: string): string => path.replaceAll(/\{[a-z_]+\}/g, '{}')
