import * as z from 'zod'
import { type Schema, SCHEMAS } from './parts.js'

/** The schemas that an OpenAPI description defines once, under a name. */
export interface SchemaPool {
  /** Returns a schema for OpenAPI. A schema with an id becomes a component and is referenced. */
  readonly refer: (schema: z.ZodType, io: 'input' | 'output') => Schema
  /** Returns the schema itself, even if it has an id. */
  readonly inline: (schema: z.ZodType, io: 'input' | 'output') => Schema
  /** Returns the components by name. */
  readonly components: () => Readonly<Record<string, Schema>>
}

/**
 * Creates a pool that collects the schemas with `.meta({ id })`.
 *
 * @throws TypeError from the functions of the pool, if two different schemas have the same id
 */
export function createSchemaPool(): SchemaPool {
  const components = new Map<string, Schema>()
  function add(id: string, schema: Schema): void {
    const known = components.get(id)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new TypeError(`openapiOf: schema id "${id}" is used by two different schemas`)
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
      return $ref === undefined ? referred : components.get($ref.slice(SCHEMAS.length))!
    },
    components: () => Object.fromEntries(components),
  }
}

interface Written {
  /** Pairs of id and schema. */
  readonly definitions: readonly (readonly [string, Schema])[]
  readonly root: Schema
}

// Generating JSON schemas is most of the work at start-up. An operation needs each of its schemas several
// times, and the sites of a process share the schemas of their modules.
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

// Only references to definitions have this form, so replacing it in the text is safe.
function relocated(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${SCHEMAS}`)
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

/** Adds the width of an integer, which generators of clients need. */
function withFormat(schema: Integer): Schema {
  const { minimum = -Infinity, maximum = Infinity } = schema
  return { ...schema, format: minimum >= -INT32 && maximum < INT32 ? 'int32' : 'int64' }
}
