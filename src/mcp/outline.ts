import type { JsonSchema } from './tool-schema.js'

const BOUNDS: ReadonlySet<string> = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'additionalProperties',
])

/**
 * Returns an output schema without its value constraints (`pattern`, `maxLength`, `additionalProperties`, …).
 * Models pay for every keyword in a tool list, and a client that caches a strict schema would reject members
 * that are added later.
 */
export function outlineOf(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(nullableOf(schema))
      // A property may have the name of a constraint. Its value is then a schema.
      .filter(([name, value]) => !BOUNDS.has(name) || typeof value === 'object')
      .map(([name, value]) => [name, outlineIn(value)]),
  )
}

function outlineIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outlineIn)
  return typeof value === 'object' && value !== null ? outlineOf(value as JsonSchema) : value
}

/** Rewrites a schema that is either of one type or `null` as a single schema with two types. */
function nullableOf(schema: JsonSchema): JsonSchema {
  const { anyOf: alternatives, ...rest } = schema
  const [one, other, ...more] = (Array.isArray(alternatives) ? alternatives : []) as JsonSchema[]
  const isPair = other?.['type'] === 'null' && more.length === 0
  return isPair && typeof one!['type'] === 'string' && !Object.hasOwn(one!, 'enum')
    ? { ...one, ...rest, type: [one!['type'], 'null'] }
    : schema
}
