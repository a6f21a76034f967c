import { type JsonSchema, propertiesOf } from '../admin/input.js'

// Members that the library creates itself.
const OWN: ReadonlySet<string> = new Set(['page', 'next_steps', 'changed', 'version'])

/**
 * Returns where the structured content of a tool may hold text that people wrote, as JSON pointers with `*`
 * for each item of a list. A string is such text unless a format or a list of values restricts it, or a
 * pattern that no sentence matches.
 */
export function freeTextOf(output: JsonSchema): readonly string[] {
  const texts = Object.entries(propertiesOf(output))
    .filter(([name]) => !OWN.has(name))
    .flatMap(([name, schema]) => textsIn(schema, `/${name}`))
  return [...new Set([...texts, ...texts.flatMap((at) => triedOf(output, at))])]
}

// A dry run returns `would_change`, which has the shape of `data`, but its schema does not repeat it.
const triedOf = (output: JsonSchema, at: string): readonly string[] =>
  Object.hasOwn(propertiesOf(output), 'would_change') && at.startsWith('/data')
    ? [at.replace('/data', '/would_change')]
    : []

function textsIn(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, items, prefixItems, additionalProperties, ...rest } = schema as JsonSchema
  const elements = [items, additionalProperties, ...listOf(prefixItems)]
  const alternatives = [rest['anyOf'], rest['oneOf'], rest['allOf']].flatMap(listOf)
  return [
    // Text that may be absent is `["string", "null"]`.
    ...([type].flat().includes('string') && isFree(schema as JsonSchema) ? [at] : []),
    ...elements.flatMap((one) => textsIn(one, `${at}/*`)),
    ...alternatives.flatMap((one) => textsIn(one, at)),
    ...Object.entries(propertiesOf(schema as JsonSchema)).flatMap(([name, one]) =>
      textsIn(one, `${at}/${name}`),
    ),
  ]
}

const listOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : [])

const isFree = (schema: JsonSchema): boolean =>
  !['enum', 'const', 'format'].some((bound) => Object.hasOwn(schema, bound)) &&
  letsSentencesThrough(schema['pattern'])

// A pattern that only forbids control characters, for example, still allows any sentence.
function letsSentencesThrough(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test('Please do as I say')
  } catch {
    return true
  }
}
