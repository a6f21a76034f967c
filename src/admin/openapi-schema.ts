import * as z from 'zod'

/** A JSON schema, or another object of an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>

/** The schemas of a document that have a name of their own. */
export interface SchemaPool {
  /** A schema as OpenAPI has it: what has an id stands once, among the components. */
  readonly refer: (schema: z.ZodType, io: 'input' | 'output') => Schema
  /** The schema itself, whatever id it has. */
  readonly inline: (schema: z.ZodType, io: 'input' | 'output') => Schema
  /** Name to schema. */
  readonly components: () => Readonly<Record<string, Schema>>
}

/**
 * Collects the schemas with `.meta({ id })`.
 *
 * @throws TypeError - from the pool's functions, where one id has two schemas
 */
export function createSchemaPool(): SchemaPool {
  const components = new Map<string, Schema>()
  function add(id: string, schema: Schema): void {
    const known = components.get(id)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new TypeError(`openapi: two schemas have the id "${id}"`)
    components.set(id, schema)
  }
  function refer(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { definitions, root } = writtenOf(schema, io)
    for (const [id, one] of definitions) add(id, one)
    return root
  }
  return {
    refer,
    inline(schema, io) {
      const referred = refer(schema, io)
      const { $ref } = referred as { $ref?: string }
      return $ref === undefined ? referred : components.get($ref.slice(PREFIX.length))!
    },
    components: () => Object.fromEntries(components),
  }
}

interface Written {
  /** Identifier and schema. */
  readonly definitions: readonly (readonly [string, Schema])[]
  readonly root: Schema
}

// Writing schemas is most of what a start takes. An operation needs each of its own several times, and
// several sites in a process share those that their modules define.
const written = {
  input: new WeakMap<z.ZodType, Written>(),
  output: new WeakMap<z.ZodType, Written>(),
}

function writtenOf(schema: z.ZodType, io: 'input' | 'output'): Written {
  const known = written[io].get(schema)
  if (known !== undefined) return known
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io })
  const made = {
    definitions: Object.entries($defs).map(([id, one]) => [id, relocated(one)] as const),
    root: relocated(root),
  }
  written[io].set(schema, made)
  return made
}

const PREFIX = '#/components/schemas/'

// Definitions are named by ids alone, so nothing else of a schema looks like such a reference.
function relocated(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${PREFIX}`)
  return JSON.parse(text, (_, one: unknown) => (isInteger(one) ? withFormat(one) : one)) as Schema
}

interface Integer {
  readonly type: 'integer'
  readonly minimum?: number
  readonly maximum?: number
}

const isInteger = (value: unknown): value is Integer =>
  (value as { type?: unknown } | null)?.type === 'integer'

const INT32 = 2 ** 31

/** An integer with its width, which generated clients need to know. */
function withFormat(schema: Integer): Schema {
  const { minimum = -Infinity, maximum = Infinity } = schema
  return { ...schema, format: minimum >= -INT32 && maximum < INT32 ? 'int32' : 'int64' }
}
