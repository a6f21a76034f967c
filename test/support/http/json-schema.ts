import fc from 'fast-check'
import { anyCharacter } from './characters.js'

/** A JSON Schema as OpenAPI 3.1 has it: what zod makes, and no more. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Values that a schema takes. Known texts stand in where a pattern is met, so that a generated id is
 * sometimes one that is there.
 */
export function valuesOf(
  schema: JsonSchema,
  {
    known,
    definitions,
  }: { known: readonly string[]; definitions: Readonly<Record<string, JsonSchema>> },
): fc.Arbitrary<unknown> {
  const of = (one: JsonSchema): fc.Arbitrary<unknown> => valuesOf(one, { known, definitions })
  const {
    $ref,
    type,
    anyOf,
    enum: choices,
    const: constant,
  } = schema as {
    $ref?: string
    type?: string
    anyOf?: readonly JsonSchema[]
    enum?: readonly unknown[]
    const?: unknown
  }
  if ($ref !== undefined) return of(definitions[$ref.split('/').at(-1)!]!)
  if (constant !== undefined) return fc.constant(constant)
  if (choices !== undefined) return fc.constantFrom(...choices)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(of))
  switch (type) {
    case 'object':
      return objectsOf(schema, of)
    case 'array': {
      const {
        items = {},
        minItems = 0,
        maxItems = 5,
      } = schema as {
        items?: JsonSchema
        minItems?: number
        maxItems?: number
      }
      return fc.array(of(items), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 4)),
      })
    }
    case 'string':
      return textsOf(schema, known)
    case 'integer':
    case 'number': {
      const {
        minimum = -1e6,
        maximum = 1e6,
        exclusiveMinimum,
      } = schema as {
        minimum?: number
        maximum?: number
        exclusiveMinimum?: number
      }
      const min = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1
      return fc.integer({
        min: Math.ceil(Math.max(min, -1e9)),
        max: Math.floor(Math.min(maximum, 1e9)),
      })
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

function objectsOf(
  schema: JsonSchema,
  of: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
  }
  const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, of(one)]))
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) })
}

function textsOf(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<string> {
  const {
    pattern,
    format,
    minLength = 0,
    maxLength = 200,
  } = schema as {
    pattern?: string
    format?: string
    minLength?: number
    maxLength?: number
  }
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 19)}Z`)
  if (format === 'date')
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
  if (format === 'uri')
    return fc.constantFrom('https://images.example/a.png', 'https://school.example/')
  if (format === 'email') return fc.constantFrom('new@example.com', 'mei-ling.chou@example.com')
  if (pattern === undefined)
    return fc
      .string({ minLength, maxLength: Math.min(maxLength, 60), unit: anyCharacter })
      .filter(fits)
  const matching = known.filter((text) => new RegExp(pattern, 'u').test(text) && fits(text))
  const made = textsMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength))
  return matching.length === 0
    ? made
    : fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...matching) },
        { weight: 1, arbitrary: made },
      )
}

// The generator knows no look-ahead: some plain texts that such a pattern may take, or one it may not.
const PLAIN = [
  'photo.png',
  '/about',
  '/apps/tools',
  'https://school.example/a',
  'a-b',
  '#aabbcc',
  '12',
]

// To prepare one takes fifty milliseconds, and a few patterns stand in most schemas.
const prepared = new Map<string, fc.Arbitrary<string>>()

function textsMatching(pattern: RegExp): fc.Arbitrary<string> {
  const known = prepared.get(pattern.source) ?? prepareTexts(pattern)
  prepared.set(pattern.source, known)
  return known
}

function prepareTexts(pattern: RegExp): fc.Arbitrary<string> {
  if (!/\(\?[=!<]/.test(pattern.source)) return fc.stringMatching(pattern, { size: 'small' })
  const unicode = new RegExp(pattern.source, 'u')
  const matching = PLAIN.filter((text) => unicode.test(text))
  return fc.constantFrom(...(matching.length === 0 ? ['x'] : matching))
}

/** A value with something about it changed: a member more, less, or of another kind. */
export function almost(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return fc.jsonValue({ maxDepth: 1 })
  const names = Object.keys(value)
  const changed = fc
    .tuple(fc.constantFrom(...(names.length === 0 ? ['x'] : names)), fc.jsonValue({ maxDepth: 1 }))
    .map(([name, other]) => ({ ...value, [name]: other }))
  return fc.oneof(
    changed,
    fc.constant({ ...value, stranger: 1 }),
    names.length === 0
      ? changed
      : fc
          .constantFrom(...names)
          .map((name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))),
  )
}
