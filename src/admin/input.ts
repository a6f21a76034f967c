import * as z from 'zod'
import { hasUnseen } from '../policy/client-metadata.js'
import type { Operation } from './operation.js'
import { type FieldFault, MAX_ERRORS, type Problem, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

/**
 * A JSON schema (2020-12) as OpenAPI 3.1 and MCP use it.
 *
 * @group Tools
 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Creates the function that converts texts of a path and a query to the types of the input schema. */
export function textReaderOf({
  input,
}: Pick<Operation, 'input'>): RegisteredOperation['readTexts'] {
  let readers: ReadonlyMap<string, (texts: readonly string[]) => unknown> | null = null
  return (texts) => {
    // Created for the first request with such texts, because most operations read only the body.
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

/** Returns the JSON schema of the input of an operation. */
export const inputSchemaOf = (input: z.ZodType): JsonSchema =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })

/** Returns the members of an object schema. */
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
  // Repeated values stay an array, which no scalar schema accepts.
  return (texts) => (texts.length === 1 ? readOne(texts[0]!) : texts)
}

// A text that cannot be converted stays as it is, and the schema reports the error.
function scalarReader(types: readonly string[]): (text: string) => unknown {
  const isNumber = types.includes('number') || types.includes('integer')
  const isBoolean = types.includes('boolean')
  return (text) => {
    if (isNumber && /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,10})?$/.test(text)) return Number(text)
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true'
    return text
  }
}

/** Returns the JSON types that a schema accepts. */
export function typesOf(schema: JsonSchema, root: JsonSchema): readonly string[] {
  const { type, anyOf } = resolved(schema, root) as {
    type?: string | readonly string[]
    anyOf?: readonly JsonSchema[]
  }
  if (type !== undefined) return typeof type === 'string' ? [type] : type
  return anyOf?.flatMap((one) => typesOf(one, root)) ?? []
}

// A schema with an id is a reference to the definitions.
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema as { $ref?: string }
  const { $defs = {} } = root as { $defs?: Readonly<Record<string, JsonSchema>> }
  return $ref === undefined ? schema : ($defs[$ref.replace('#/$defs/', '')] ?? schema)
}

/** Parses the input of a request. Returns a problem with the first faults if it is invalid. */
export function parseInput(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly problem: Problem } {
  const unsafe = Object.entries(value).filter(([name, one]) => holds({ [name]: one }, isUnsafeText))
  if (unsafe.length > 0) return { ok: false, problem: invalid(unsafe.map(unsafeFault)) }
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { ok: true, input: parsed.data }
    : { ok: false, problem: invalid(parsed.error.issues.flatMap(faultsOf)) }
}

/** Returns the problem for an input with these faults. */
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
    message: 'unknown parameter or member',
  }))
}

// NUL and lone surrogates: PostgreSQL accepts neither.
const UNSTORABLE = /[\0\p{Surrogate}]/u
// Characters that show the text after them in another order: overrides, embeddings and isolates.
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/u

const isUnstorableText = (text: string): boolean => UNSTORABLE.test(text)
const isUnsafeText = (text: string): boolean =>
  isUnstorableText(text) || REORDERING.test(text) || hasUnseen(text)

const unsafeFault = ([name]: readonly [string, unknown]): FieldFault => ({
  pointer: pointerTo([name]),
  code: 'invalid_text',
  message:
    'text must be valid Unicode without NUL, without U+202A to U+202E and U+2066 to U+2069, and without tag, deprecated or reserved invisible characters; and no member may be named __proto__',
})

/** Whether a value contains text that a database refuses, or a member named `__proto__`. */
export const isUnstorable = (value: unknown): boolean => holds(value, isUnstorableText)

function holds(value: unknown, isBad: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isBad(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((one) => holds(one, isBad))
  return Object.entries(value).some(
    ([name, one]) => name === '__proto__' || isBad(name) || holds(one, isBad),
  )
}

/** Returns a JSON pointer (RFC 6901, section 3), truncated because a caller chooses the names in it. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
    .slice(0, 200)
}
