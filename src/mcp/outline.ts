import type { JsonSchema } from './tool-schema.js'

const BOUNDS: ReadonlySet<string> = new Set([
  'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum',
  'additionalProperties',
]) // prettier-ignore

/**
 * What a schema says of the shape of an answer, in few words: lists of many tools are dear to read. Without
 * what bounds values and names, which is for whoever sends them, and would have a client that kept the schema
 * refuse a member that answers have since.
 */
export function outlineOf(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(nullableOf(schema))
      // A property may have such a name, and a schema for its value.
      .filter(([name, value]) => !BOUNDS.has(name) || typeof value === 'object')
      .map(([name, value]) => [name, outlineIn(value)]),
  )
}

function outlineIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outlineIn)
  return typeof value === 'object' && value !== null ? outlineOf(value as JsonSchema) : value
}

/** One of two alternatives, the other of which is null, as one that may be null. */
function nullableOf(schema: JsonSchema): JsonSchema {
  const { anyOf: alternatives, ...rest } = schema
  const [one, other, ...more] = (Array.isArray(alternatives) ? alternatives : []) as JsonSchema[]
  const isPair = other?.['type'] === 'null' && more.length === 0
  return isPair && typeof one!['type'] === 'string' && !Object.hasOwn(one!, 'enum')
    ? { ...one, ...rest, type: [one!['type'], 'null'] }
    : schema
}
