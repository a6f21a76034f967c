import * as z from 'zod'
import type { ValueShape, ViewerField } from '../../account/viewer-field.js'
import { defineTool, type Tool } from '../tool.js'
import { isToolError } from '../tool-error.js'
import { askFor, snakeCase } from './executor.js'
import { line } from './inputs.js'
import { time, url } from './shapes.js'

const MAX_ARGUMENT_LENGTH = 500
const MAX_ARGUMENT_ITEMS = 100

const RESULTS: Readonly<Record<string, z.ZodType>> = {
  Int: z.int32(),
  Float: z.number(),
  Boolean: z.boolean(),
  DateTime: time,
  URL: url,
}

/**
 * Makes the tool that reads a field of one's own on `Viewer`: `list_my_…` for a list, `get_my_…` for anything else. The
 * description is that of the schema, and the result is in `data`.
 */
export function toolOf({
  name,
  description,
  scopes,
  query,
  args,
  value,
}: ViewerField): readonly Tool<'account:read'>[] {
  if (description === null || query === null) return []
  const word = snakeCase(name)
  const inputs = Object.entries(args).map(([arg, shape]) => [snakeCase(arg), arg, shape] as const)
  return [
    defineTool({
      name: `${value.kind === 'list' ? 'list' : 'get'}_my_${word}`,
      title: `My ${word.replaceAll('_', ' ')}`,
      description,
      // The site has these scopes: `createAccountApi` compares them.
      scopes: [...new Set(['account:read', ...scopes])] as readonly 'account:read'[],
      input: z.strictObject(
        Object.fromEntries(inputs.map(([input, , shape]) => [input, argumentOf(shape)])),
      ),
      output: z.strictObject({ data: resultOf(value) }),
      async run(context, given: Readonly<Record<string, unknown>>) {
        const sent = inputs.filter(([input]) => given[input] !== undefined)
        const variables = Object.fromEntries(sent.map(([input, arg]) => [arg, given[input]]))
        const answer = await askFor(context)<{ viewer: { value: unknown } }>(query, variables)
        return isToolError(answer) ? answer : { data: answer.viewer.value }
      },
    }),
  ]
}

/** Returns the schema of an argument. The Account API checks those with a format, such as a time. */
function argumentOf(shape: ValueShape): z.ZodType {
  const { kind, name = '', isNullable, max, item } = shape
  const isText = !['Int', 'Float', 'Boolean'].includes(name)
  const schema =
    kind === 'list'
      ? z.array(argumentOf(item!)).max(MAX_ARGUMENT_ITEMS)
      : kind === 'enum'
        ? z.enum(shape.values!)
        : max !== undefined
          ? z.int().min(0).max(max)
          : isText
            ? line(MAX_ARGUMENT_LENGTH)
            : RESULTS[name]!
  return described(isNullable ? schema.optional() : schema, shape)
}

function resultOf(shape: ValueShape): z.ZodType {
  const { kind, name = '', isNullable, item, members = {} } = shape
  const schema =
    kind === 'list'
      ? z.array(resultOf(item!))
      : kind === 'enum'
        ? z.enum(shape.values!)
        : kind === 'scalar'
          ? (RESULTS[name] ?? z.string())
          : z.strictObject(
              Object.fromEntries(
                Object.entries(members).map(([member, of]) => [snakeCase(member), resultOf(of)]),
              ),
            )
  return described(isNullable ? schema.nullable() : schema, shape)
}

const described = (schema: z.ZodType, { description }: ValueShape): z.ZodType =>
  description === undefined ? schema : schema.describe(description)
