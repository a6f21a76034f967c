import type { GraphQLError } from 'graphql'
import {
  GraphQLError as GraphQLFault,
  type DocumentNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'

export const DEFAULT_LIMITS = {
  tokens: 2000,
  depth: 12,
  aliases: 30,
  directives: 50,
  fragments: 50,
  rootFields: 10,
  cost: 1000,
}

export type DocumentLimits = Readonly<typeof DEFAULT_LIMITS>

const TOO_MUCH: readonly unknown[] = ['QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY']

/** Whether an error was created by {@link tooMuch}. */
export const isTooMuch = ({ extensions }: GraphQLError): boolean =>
  TOO_MUCH.includes(extensions['code'])

/** Creates the error for a document that exceeds a limit. */
export function tooMuch(
  code: 'QUERY_TOO_DEEP' | 'QUERY_TOO_COSTLY',
  what: string,
  counts: { limit: number; actual?: number },
): GraphQLError {
  return new GraphQLFault(`the query has too many ${what}: at most ${counts.limit} are allowed`, {
    extensions: { code, ...counts },
  })
}

/**
 * Returns the error for a document that exceeds a limit, or `null`. Each fragment is visited once, however
 * often it is spread, so the check takes linear time.
 *
 * @param document - must not contain fragments that form a cycle
 */
export function checkLimits(document: DocumentNode, limits: DocumentLimits): GraphQLError | null {
  let [aliases, directives, fragments] = [0, 0, 0]
  visit(document, {
    Field: (node) => void (node.alias !== undefined && aliases++),
    Directive: () => void directives++,
    // Validation compares all fields of one name, and all fragments, with each other: quadratic time.
    SelectionSet: (node) => void (aliases += repeatedFields(node)),
    FragmentSpread: () => void fragments++,
    InlineFragment: () => void fragments++,
  })
  const costly = (what: string, limit: number, actual: number): GraphQLError | null =>
    actual > limit ? tooMuch('QUERY_TOO_COSTLY', what, { limit, actual }) : null
  const { depth, rootFields, fields } = shapeOf(document)
  return (
    costly('aliases or repeated fields', limits.aliases, aliases) ??
    costly('directives', limits.directives, directives) ??
    costly('fields at the root', limits.rootFields, rootFields) ??
    costly('fields after expanding its fragments', limits.tokens, fields) ??
    costly('fragments', limits.fragments, fragments) ??
    (depth > limits.depth
      ? tooMuch('QUERY_TOO_DEEP', 'levels', { limit: limits.depth, actual: depth })
      : null)
  )
}

function repeatedFields({ selections }: SelectionSetNode): number {
  const names = selections.flatMap((node) =>
    node.kind === Kind.FIELD ? [(node.alias ?? node.name).value] : [],
  )
  return names.length - new Set(names).size
}

interface Shape {
  readonly depth: number
  /** Number of fields on this level. */
  readonly width: number
  /** Number of fields on all levels. */
  readonly fields: number
}

const EMPTY: Shape = { depth: 0, width: 0, fields: 0 }

function shapeOf(document: DocumentNode): { depth: number; rootFields: number; fields: number } {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  )
  const known = new Map<string, Shape>()

  function fragment(name: string): Shape {
    const before = known.get(name)
    if (before !== undefined) return before
    const selections = fragments.get(name)
    const shape = selections === undefined ? EMPTY : shapeOfSet(selections)
    known.set(name, shape)
    return shape
  }

  function shapeOfSet(set: SelectionSetNode): Shape {
    let [depth, width, fields] = [0, 0, 0]
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const below = node.selectionSet === undefined ? EMPTY : shapeOfSet(node.selectionSet)
        // The depth of introspection is limited by a validation rule of graphql-js.
        const isMeta = node.name.value.startsWith('__')
        width++
        fields += 1 + below.fields
        depth = Math.max(depth, isMeta ? 1 : 1 + below.depth)
      } else {
        const inner =
          node.kind === Kind.INLINE_FRAGMENT
            ? shapeOfSet(node.selectionSet)
            : fragment(node.name.value)
        width += inner.width
        fields += inner.fields
        depth = Math.max(depth, inner.depth)
      }
    }
    return { depth, width, fields }
  }

  let [depth, rootFields, fields] = [0, 0, 0]
  for (const node of document.definitions) {
    const isFragment = node.kind === Kind.FRAGMENT_DEFINITION
    if (!isFragment && node.kind !== Kind.OPERATION_DEFINITION) continue
    const shape = isFragment ? fragment(node.name.value) : shapeOfSet(node.selectionSet)
    fields = Math.max(fields, shape.fields)
    // The depth of a fragment depends on where it is spread, which can be in an introspection field.
    if (isFragment) continue
    depth = Math.max(depth, shape.depth)
    rootFields = Math.max(rootFields, shape.width)
  }
  return { depth, rootFields, fields }
}
