import * as z from 'zod'
import type { Operation } from './operation.js'
import { type FieldFault, MAX_ERRORS, type Problem, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

/** A JSON schema (2020-12) without a name of its dialect, as OpenAPI 3.1 and MCP have it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** How a text becomes the value of each input member that can stand in a path or a query. */
export function textReaderOf({
  input,
}: Pick<Operation, 'input'>): RegisteredOperation['readTexts'] {
  let readers: ReadonlyMap<string, (texts: readonly string[]) => unknown> | null = null
  return (texts) => {
    // Made for the first request that has any: most operations take their input from the body.
    if (texts.size > 0) readers ??= readersOf(inputSchemaOf(input))
    return Object.fromEntries(
      [...texts].map(([name, all]) => [name, readers?.get(name)?.(all) ?? all[0] ?? '']),
    )
  }
}

const readersOf = (
  schema: JsonSchema,
): ReadonlyMap<string, (texts: readonly string[]) => unknown> =>
  new Map(Object.entries(propertiesOf(schema)).map(([name, one]) => [name, readerOf(one, schema)]))

/** The JSON schema of what an operation takes. */
export const inputSchemaOf = (input: z.ZodType): JsonSchema =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })

/** The members of an object schema. */
export const propertiesOf = ({
  properties = {},
}: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  properties as Readonly<Record<string, JsonSchema>>

function readerOf(schema: JsonSchema, root: JsonSchema): (texts: readonly string[]) => unknown {
  const types = typesOf(schema, root)
  if (types.includes('array')) {
    const { items = {} } = resolved(schema, root) as { items?: JsonSchema }
    const readOne = scalarReader(typesOf(items, root))
    return (texts) => texts.flatMap((text) => text.split(',')).map(readOne)
  }
  const readOne = scalarReader(types)
  // Two values where one belongs stay an array, which no scalar schema takes.
  return (texts) => (texts.length === 1 ? readOne(texts[0]!) : texts)
}

// What cannot be read stays text, and the schema says what is wrong with it.
function scalarReader(types: readonly string[]): (text: string) => unknown {
  const isNumber = types.includes('number') || types.includes('integer')
  const isBoolean = types.includes('boolean')
  return (text) => {
    if (isNumber && /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,10})?$/.test(text)) return Number(text)
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true'
    return text
  }
}

/** The JSON types that a schema takes. */
export function typesOf(schema: JsonSchema, root: JsonSchema): readonly string[] {
  const { type, anyOf } = resolved(schema, root) as {
    type?: string | readonly string[]
    anyOf?: readonly JsonSchema[]
  }
  if (type !== undefined) return typeof type === 'string' ? [type] : type
  return anyOf?.flatMap((one) => typesOf(one, root)) ?? []
}

// A schema with an id of its own stands among the definitions.
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema as { $ref?: string }
  const { $defs = {} } = root as { $defs?: Readonly<Record<string, JsonSchema>> }
  return $ref === undefined ? schema : ($defs[$ref.replace('#/$defs/', '')] ?? schema)
}

/** A request's input as its schema has it, or the problem with its first faults. */
export function parseInput(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly problem: Problem } {
  const unstorable = Object.entries(value).filter(([name, one]) => isUnstorable({ [name]: one }))
  if (unstorable.length > 0) return { ok: false, problem: invalid(unstorable.map(unstorableFault)) }
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { ok: true, input: parsed.data }
    : { ok: false, problem: invalid(parsed.error.issues.flatMap(faultsOf)) }
}

/** The problem of an input with these faults. */
export function invalid(faults: readonly FieldFault[]): Problem {
  const errors = faults.slice(0, MAX_ERRORS)
  const detail = errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')
  return refuseWith('invalid_request', detail.slice(0, 500), errors)
}

function faultsOf(issue: z.core.$ZodIssue): readonly FieldFault[] {
  const { code, message, path } = issue
  if (code !== 'unrecognized_keys') return [{ pointer: pointerTo(path), code, message }]
  return issue.keys.map((key) => ({
    pointer: pointerTo([...path, key]),
    code: 'unknown_member',
    message: 'there is no such parameter or member',
  }))
}

// A NUL, or half of a surrogate pair: PostgreSQL takes neither.
const UNSTORABLE = /[\0\p{Surrogate}]/u

const unstorableFault = ([name]: readonly [string, unknown]): FieldFault => ({
  pointer: pointerTo([name]),
  code: 'invalid_text',
  message: 'text must be Unicode without NUL, and no name __proto__',
})

/** Whether there is text that a database would not keep, or a name that means something to JavaScript. */
export function isUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return UNSTORABLE.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(isUnstorable)
  return Object.entries(value).some(
    ([name, one]) => name === '__proto__' || UNSTORABLE.test(name) || isUnstorable(one),
  )
}

/** A JSON pointer (RFC 6901 §3), cut where a caller made up a name of any length. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
    .slice(0, 200)
}
