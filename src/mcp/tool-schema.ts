import * as z from 'zod'
import { propertiesOf } from '../admin/input.js'
import type { Tool, ToolAction } from './tool.js'

/** A JSON Schema of dialect 2020-12, without `$schema`. */
export type JsonSchema = Readonly<Record<string, unknown>>

const DRY_RUN: JsonSchema = {
  type: 'boolean',
  default: false,
  description: 'true: only report what would change.',
}

/**
 * Returns the schema of a tool's arguments, for the actions that a caller may use. It is always one object
 * without alternatives at its root, because several clients accept nothing else.
 */
export function inputSchemaOf(
  { selector }: Pick<Tool, 'selector'>,
  actions: readonly ToolAction[],
): JsonSchema {
  const schemas = actions.map((action) => withDryRun(schemaOf(action.input, 'input'), action))
  const { properties, required } = merged(schemas)
  return {
    type: 'object',
    properties:
      selector === null
        ? properties
        : { [selector]: choiceOf(actions), ...withUsers(properties, schemas, actions) },
    required: selector === null ? required : [selector, ...required],
    additionalProperties: false,
  }
}

/** Returns the schema of a tool's structured content. */
export function outputSchemaOf(actions: readonly ToolAction[]): JsonSchema {
  const { properties, required } = merged(actions.map(({ output }) => schemaOf(output, 'output')))
  return { type: 'object', properties, required }
}

const withDryRun = (schema: JsonSchema, { dryRun }: ToolAction): JsonSchema =>
  dryRun ? { ...schema, properties: { ...propertiesOf(schema), dry_run: DRY_RUN } } : schema

const choiceOf = (actions: readonly ToolAction[]): JsonSchema => ({
  type: 'string',
  enum: actions.map(({ value }) => value),
})

/** Adds to the description of each argument which actions accept it and which need it, unless all do. */
function withUsers(
  properties: Readonly<Record<string, JsonSchema>>,
  schemas: readonly JsonSchema[],
  actions: readonly ToolAction[],
): Readonly<Record<string, JsonSchema>> {
  const those = (mayStay: (schema: JsonSchema) => boolean): string =>
    actions.flatMap(({ value }, at) => (mayStay(schemas[at]!) ? [value] : [])).join(', ')
  const all = those(() => true)
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const users = those((one) => Object.hasOwn(propertiesOf(one), name))
      const needing = those((one) => requiredOf(one).includes(name))
      const note = noteOf({ users, needing, all })
      const { description = '' } = schema as { description?: string }
      return [
        name,
        note === '' ? schema : { ...schema, description: `${description} ${note}`.trim() },
      ]
    }),
  )
}

function noteOf({ users, needing, all }: Readonly<Record<'users' | 'needing' | 'all', string>>) {
  if (needing === all) return ''
  if (needing === users) return `For ${users}: required.`
  const use = users === all ? '' : `For ${users}.`
  return needing === '' ? use : `${use} Required for ${needing}.`.trim()
}

/** Merges several object schemas into one that accepts the members of each. */
function merged(schemas: readonly JsonSchema[]): {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
} {
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(propertiesOf(schema))))]
  return {
    properties: Object.fromEntries(
      names.map((name) => [name, anyOf(schemas.flatMap((one) => asList(propertiesOf(one)[name])))]),
    ),
    required: names.filter((name) => schemas.every((schema) => requiredOf(schema).includes(name))),
  }
}

const asList = (schema: JsonSchema | undefined): readonly JsonSchema[] =>
  schema === undefined ? [] : [schema]

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = different(schemas)
  if (others.length === 0) return first!
  // A default of one action does not apply to the others.
  const bare = different(schemas.map(withoutDefault))
  return bare.length === 1 ? bare[0]! : { anyOf: bare }
}

function withoutDefault(schema: JsonSchema): JsonSchema {
  const { default: _, ...rest } = schema
  return rest
}

const different = (schemas: readonly JsonSchema[]): readonly JsonSchema[] => [
  ...new Map(schemas.map((one) => [JSON.stringify(one), one])).values(),
]

const requiredOf = ({ required = [] }: JsonSchema): readonly string[] =>
  required as readonly string[]

// Each schema is needed twice: to validate a tool and to describe it. Generating them takes most of the time
// at start-up.
const written = {
  input: new WeakMap<z.ZodObject, JsonSchema>(),
  output: new WeakMap<z.ZodObject, JsonSchema>(),
}

/**
 * Returns the JSON Schema of an object, without `$schema` and without references.
 *
 * @throws Error if JSON Schema cannot express it, for instance because it is recursive
 */
export function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const known = written[io].get(schema)
  if (known !== undefined) return known
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, ...ANYTHING })
  const made = inlined(root, $defs) as JsonSchema
  written[io].set(schema, made)
  return made
}

const MOMENTS: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time'])

const ANYTHING = {
  unrepresentable: 'any',
  cycles: 'throw',
  // The pattern repeats the format at length, and a tool list has hundreds of them.
  override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (MOMENTS.has(jsonSchema.format)) delete jsonSchema.pattern
  },
} as const

/** Whether JSON Schema cannot express this schema. */
export function isUnwritable(schema: z.ZodObject, io: 'input' | 'output'): boolean {
  try {
    schemaOf(schema, io)
    return false
  } catch {
    return true
  }
}

const REF = '#/$defs/'

/** Replaces each reference by its definition, because few clients follow references. */
function inlined(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => inlined(one, definitions))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as { readonly $ref?: unknown }
  if (typeof $ref === 'string' && $ref.startsWith(REF)) {
    const target = definitions[$ref.slice(REF.length)] ?? {}
    return inlined({ ...target, ...rest }, definitions)
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, inlined(value, definitions)]),
  )
}
