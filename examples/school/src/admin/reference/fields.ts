import { type Html, html } from '../../../../pages/html.js'
import { nameIn, type Schema } from './description.js'
import { markdownLine } from './markdown.js'

/** A field of an object, or a parameter. */
export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly description: string | null
  /** Where a parameter belongs: `path`, `query` or `header`. */
  readonly place?: string
}

/** Returns the fields of an object. */
export const fieldsIn = ({ properties = {}, required = [] }: Schema): readonly Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    description: schema.description ?? null,
  }))

/** Renders fields as a list, with the fields of objects in them. */
export const fieldList = (fields: readonly Field[]): Html | null =>
  fields.length === 0
    ? null
    : html`<ul class="fields">
        ${fields.map(
          ({ name, schema, isRequired, description, place }) =>
            html`<li>
              <code class="field-name">${name}</code>
              <span class="field-type"
                >${typeOf(schema)}${place !== undefined && `, in the ${place}`}</span
              >
              ${isRequired && html`<span class="field-must">required</span>`}
              ${saysMore(name, description) && html`<p>${markdownLine(description)}</p>`}
              ${limits(schema)} ${fieldList(fieldsIn(objectIn(schema)))}
            </li>`,
        )}
      </ul>`

// `openapiOf` describes what has no description by its name alone.
const saysMore = (name: string, description: string | null): description is string =>
  description !== null && description !== `The ${name.replaceAll('_', ' ')}.`

/** Returns the object whose fields a value has, itself or in a list; an empty schema for all other values. */
export function objectIn(schema: Schema): Schema {
  if (schema.properties !== undefined) return schema
  if (schema.items !== undefined) return objectIn(schema.items)
  return schema.anyOf?.map(objectIn).find(({ properties }) => properties !== undefined) ?? {}
}

/** Renders the type of a value, with links to the objects. */
export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, type, format, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#object-${nameIn($ref)}">${nameIn($ref)}</a>`
  if (anyOf !== undefined)
    return html`${anyOf.map((one, index) => html`${index > 0 && ' or '}${typeOf(one)}`)}`
  if (items !== undefined) return html`list of ${typeOf(items)}`
  if (typeof additionalProperties === 'object')
    return html`object of ${typeOf(additionalProperties)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  return html`${type ?? 'any'}${format !== undefined && ` (${format})`}`
}

function limits(schema: Schema): Html | null {
  const rules = rulesOf(schema)
  const fallback = schema.default
  if (rules.length === 0 && fallback === undefined) return null
  return html`<p class="field-rules">
    ${rules.map((rule, index) => html`${index > 0 && '; '}${rule}`)}${
      fallback !== undefined &&
      html`${rules.length > 0 && '; '}default <code>${JSON.stringify(fallback)}</code>`
    }
  </p>`
}

function rulesOf(schema: Schema): readonly Html[] {
  const { anyOf = [], items, pattern, format } = schema
  const between = (from = 0, to: number | undefined, what: string): readonly Html[] =>
    to === undefined
      ? []
      : [html`${from > 0 && `${from} to `}${from === 0 && 'at most '}${to}${what}`]
  return [
    ...(schema.enum === undefined ? [] : [choices(schema.enum)]),
    ...between(schema.minItems, schema.maxItems, ' items'),
    ...(schema.type === 'string' && schema.enum === undefined && format === undefined
      ? between(schema.minLength, schema.maxLength, ' characters')
      : []),
    ...(schema.maximum === Number.MAX_SAFE_INTEGER
      ? []
      : between(schema.minimum, schema.maximum, '')),
    // The pattern of a format is long and says no more.
    ...(pattern === undefined || format !== undefined ? [] : [html`<code>${pattern}</code>`]),
    ...anyOf.flatMap(rulesOf),
    ...(items === undefined ? [] : rulesOf(items).map((rule) => html`each: ${rule}`)),
  ]
}

const choices = (values: readonly unknown[]): Html =>
  html`one of
  ${values.map((value, index) => html`${index > 0 && ', '}<code>${String(value)}</code>`)}`
